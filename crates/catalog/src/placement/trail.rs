//! Follows code through the commits since the one stored in a thread.

use std::sync::Arc;

use skein_anchor::{FileChange, Next, Spot, Steps, follow};
use skein_format::review::ReviewDoc;
use skein_git::{CommitFiles, CommitId};

use super::cache::{CodeSpot, CodeTrail, PlacementKey};
use super::old_text::OldText;
use super::{MAX_SEARCHED_BYTES, MAX_SEARCHED_FILES, Placer};

/// Maximum number of commits through which code is followed.
const MAX_STEPS: usize = 1000;

/// The commits from one to another, oldest first; none if one is not an ancestor of the other.
pub(super) type CommitLine = Option<Arc<Vec<CommitFiles>>>;

impl Placer<'_> {
    /// Follows code from a commit that has it to HEAD.
    ///
    /// `None` if no commit in between changed the file, or if HEAD does not descend from the commit. Results are cached, so that git
    /// runs once for each pair of commits.
    pub(super) fn trail(
        &mut self,
        doc: &ReviewDoc,
        old: &OldText,
        path: &str,
        base: Option<&CommitId>,
    ) -> Option<CodeTrail> {
        let OldText::Whole { text, start, end } = old else { return None };
        let (base, head) = (base?.clone(), self.head()?);
        if base == head {
            return None;
        }
        let key = PlacementKey::of_trail(doc, &base, &head);
        if let Some(known) = self.memory.cache.trail(&key) {
            return known;
        }
        let whole = format!("{}{path}", self.prefix);
        let is_touched = |step: &CommitFiles| {
            step.changed.iter().any(|change| change.old_path.as_deref() == Some(&whole))
        };
        let steps = self.steps(&base, &head)?.filter(|steps| steps.iter().any(is_touched));
        let trail = match steps {
            Some(steps) => {
                let name = name_after(&steps, whole.clone());
                let text = text.as_slice().into();
                let spot = Spot { path: whole, text, lines: (*start, *end) };
                let found = follow(&mut Commits { placer: self, base, steps }, spot);
                Some(self.trail_of(found, name)?)
            }
            None => None,
        };
        self.memory.cache.put_trail(key, trail.clone());
        trail
    }

    /// Converts the result; `name` is the name of the file in HEAD.
    fn trail_of(&self, found: skein_anchor::Trail, name: Option<String>) -> Option<CodeTrail> {
        let removed = || CodeTrail::Removed { file: name.and_then(|name| self.below_root(&name)) };
        match found {
            skein_anchor::Trail::At(found) => {
                let path = self.below_root(&found.spot.path);
                Some(path.map_or_else(removed, |path| {
                    CodeTrail::At(CodeSpot {
                        path,
                        lines: found.spot.lines,
                        confidence: found.confidence,
                        is_moved: found.is_moved,
                        is_replaced: found.is_replaced,
                    })
                }))
            }
            skein_anchor::Trail::Removed => Some(removed()),
            skein_anchor::Trail::Unknown => None,
        }
    }

    /// Returns the current name of a file of a commit that does not have this name any more.
    pub(super) fn name_since(&mut self, commit: &CommitId, path: &str) -> Option<String> {
        // The commits are listed only if the two versions differ too much.
        if let Some(name) = self.renamed(commit, path) {
            return Some(name);
        }
        let head = self.head()?;
        let steps = self.steps(commit, &head).flatten()?;
        let name = self.below_root(&name_after(&steps, format!("{}{path}", self.prefix))?)?;
        if self.workspace_has(&name) { Some(name) } else { self.renamed(&head, &name) }
    }

    /// Returns the commits from one to another; `None` if git fails.
    fn steps(&mut self, base: &CommitId, head: &CommitId) -> Option<CommitLine> {
        let key = (base.to_string(), head.to_string());
        if let Some(known) = self.memory.steps.get(&key) {
            return known.clone();
        }
        let found = self.repo.as_ref()?.changes_between(base, head, MAX_STEPS);
        let found = found.ok().map(|steps| steps.map(Arc::new));
        self.memory.steps.insert(key, found.clone());
        found
    }
}

/// Returns the name of a file after some commits; `None` if it was deleted.
fn name_after(steps: &[CommitFiles], mut name: String) -> Option<String> {
    for step in steps {
        let change = step.changed.iter().find(|one| one.old_path.as_ref() == Some(&name));
        if let Some(change) = change {
            name.clone_from(change.new_path.as_ref()?);
        }
    }
    Some(name)
}

/// The commits since the one stored in a thread.
struct Commits<'p, 'a> {
    placer: &'p mut Placer<'a>,
    base: CommitId,
    steps: Arc<Vec<CommitFiles>>,
}

impl Commits<'_, '_> {
    fn before(&self, step: usize) -> CommitId {
        let before = step.checked_sub(1).and_then(|step| self.steps.get(step));
        before.map_or_else(|| self.base.clone(), |step| step.commit.clone())
    }
}

impl Steps for Commits<'_, '_> {
    fn count(&self) -> usize {
        self.steps.len()
    }

    fn file(&mut self, step: usize, path: &str) -> Next {
        let steps = self.steps.clone();
        let Some(CommitFiles { commit, changed }) = steps.get(step) else { return Next::Unknown };
        let change = changed.iter().find(|change| change.old_path.as_deref() == Some(path));
        match change.map(|change| change.new_path.as_deref()) {
            None => Next::Same,
            Some(None) => Next::Deleted,
            Some(Some(path)) => match self.placer.text_at(commit, path) {
                Some(text) => Next::File { path: path.to_owned(), text },
                None => Next::Unknown,
            },
        }
    }

    fn changed(&mut self, step: usize) -> Vec<FileChange> {
        let steps = self.steps.clone();
        let Some(CommitFiles { commit, changed }) = steps.get(step) else { return Vec::new() };
        let before = self.before(step);
        let (mut versions, mut size) = (Vec::new(), 0);
        for change in changed.iter().take(MAX_SEARCHED_FILES) {
            let Some(path) = &change.new_path else { continue };
            let Some(new) = self.placer.text_at(commit, path) else { continue };
            let old = change.old_path.as_ref().and_then(|path| self.placer.text_at(&before, path));
            size += new.len() + old.as_ref().map_or(0, |old| old.len());
            if size > MAX_SEARCHED_BYTES {
                break;
            }
            versions.push(FileChange { path: path.clone(), old, new });
        }
        versions
    }
}
