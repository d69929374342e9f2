//! The commit that a file is compared with.

use skein_anchor::State;
use skein_format::review::{Range, ReviewDoc};
use skein_git::CommitId;

use super::Placer;
use super::old_text::OldText;

/// Maximum confidence in a location that was found without the commit stored in the thread.
const SUBSTITUTE_CONFIDENCE: f32 = 0.85;

/// The commit that contains the old version of a file, if known.
pub(super) struct BaseCommit {
    pub(super) commit: Option<CommitId>,
    /// Whether it differs from the commit stored in the thread.
    pub(super) is_substitute: bool,
}

impl BaseCommit {
    /// Returns the maximum confidence in a location that was found by comparing with this commit.
    pub(super) fn max_confidence(&self) -> f32 {
        if self.is_substitute { SUBSTITUTE_CONFIDENCE } else { 1.0 }
    }
}

impl Placer<'_> {
    /// Returns the commit to compare a missing file with.
    ///
    /// It is the commit stored in the thread. Git deletes unreferenced commits, such as those before an amend or a rebase: then it is
    /// the last commit in the history of HEAD that has the file.
    pub(super) fn base_of_missing(&mut self, doc: &ReviewDoc, path: &str) -> BaseCommit {
        let named = self.commit(doc);
        let whole = format!("{}{path}", self.prefix);
        let is_known = match &named {
            Some(commit) => self.blob(commit, &whole).is_some() || self.exists(commit),
            None => doc.head().git.base_ref.is_none(),
        };
        if is_known {
            return BaseCommit { commit: named, is_substitute: false };
        }
        BaseCommit { commit: self.last_commit_with(&whole), is_substitute: true }
    }

    /// Returns the commented text from a substitute; the substitute is dropped if it does not contain the text.
    pub(super) fn old_text_in_substitute(
        &mut self,
        doc: &ReviewDoc,
        path: &str,
        range: Range,
        base: &mut BaseCommit,
    ) -> OldText {
        let stored = OldText::stored(doc, range);
        let whole = format!("{}{path}", self.prefix);
        let text = base.commit.as_ref().and_then(|commit| self.text_at(commit, &whole));
        let found = text.as_ref().map(|text| skein_anchor::place(&stored.as_old(), text));
        let found = found.filter(|found| matches!(found.state, State::Exact | State::Shifted));
        match text.zip(found.and_then(|found| found.lines)) {
            Some((text, (start, end))) => OldText::Whole { text: text.to_vec(), start, end },
            None => {
                base.commit = None;
                stored
            }
        }
    }

    fn exists(&mut self, commit: &CommitId) -> bool {
        let known = self.memory.exists.get(commit.as_str()).copied();
        known.unwrap_or_else(|| {
            let found = self.repo.as_ref().map(|repo| repo.resolve(commit.as_str()));
            let exists = matches!(found, Some(Ok(Some(_))));
            self.memory.exists.insert(commit.to_string(), exists);
            exists
        })
    }

    /// Returns the last commit that has a file, by its path from the top of the repository.
    fn last_commit_with(&mut self, path: &str) -> Option<CommitId> {
        let head = self.head()?;
        if self.blob(&head, path).is_some() {
            return Some(head);
        }
        let key = (head.to_string(), path.to_owned());
        if let Some(known) = self.memory.last_with.get(&key) {
            return known.clone();
        }
        let found = self.repo.as_ref()?.last_commit_with(&head, path).ok().flatten();
        self.memory.last_with.insert(key, found.clone());
        found
    }
}
