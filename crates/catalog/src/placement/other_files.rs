//! Searches other files for code that is no longer in its file.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;
use std::sync::Arc;

use skein_anchor::{CandidateFile, OldCode, Placement, State, elsewhere, elsewhere_with_context};
use skein_format::review::ReviewDoc;
use skein_git::{ChangedFile, CommitId, DiffSide};
use skein_model::view::{PlacementState, PlacementView};

use super::cache::{CodeSpot, CodeTrail};
use super::old_text::OldText;
use super::text::SourceText;
use super::{
    Away, GONE_CONFIDENCE, MAX_SEARCHED_BYTES, MAX_SEARCHED_FILES, Placer, placed, unverified,
};

/// The path of a file, its old and its current content.
type Changes = (String, Option<Rc<[u8]>>, Rc<SourceText>);

/// Searches the lines of other files for some code.
type Search = fn(&OldCode<'_>, &[CandidateFile<'_>]) -> Option<(usize, Placement)>;

impl Placer<'_> {
    /// Searches for code that is not in its file: at its location after the commits since then, else in the renamed file, then in every
    /// changed file.
    pub(super) fn elsewhere(&mut self, doc: &ReviewDoc, away: Away) -> PlacementView {
        let Away { old, path, exists, trail, replacement, base } = away;
        if let Some(replacement) = replacement {
            let moved = self.moved_with_context(&old, &path, trail, base.commit);
            return moved.unwrap_or(replacement);
        }
        let gone = |path: String| placed(State::Gone, path, None, GONE_CONFIDENCE);
        match trail {
            Some(CodeTrail::Removed { file }) => {
                return gone(if exists { path } else { self.name_now(file).unwrap_or(path) });
            }
            Some(CodeTrail::At(spot)) => {
                if let Some(found) = self.since_head(&old, &spot) {
                    return found;
                }
                let is_there = self.source(&spot.path).is_some();
                let renamed = if is_there { None } else { self.renamed_since_head(&spot.path) };
                return gone(renamed.unwrap_or(spot.path));
            }
            None => {}
        }
        let Some(commit) = base.commit else {
            return if doc.context().is_some() { gone(path) } else { unverified(doc, path) };
        };
        let renamed = if exists { None } else { self.renamed(&commit, &path) };
        if let Some(other) = &renamed
            && let Some(found) = self.in_renamed(&old, other)
        {
            return found;
        }
        if let Some(found) = self.in_others(&commit, &old, &path, elsewhere) {
            return found;
        }
        let known = matches!(old, OldText::Whole { .. }) || doc.context().is_some();
        if known { gone(renamed.unwrap_or(path)) } else { unverified(doc, path) }
    }

    /// Searches the worktree for code whose location in HEAD is known.
    fn since_head(&mut self, old: &OldText, at_head: &CodeSpot) -> Option<PlacementView> {
        let head = self.head()?;
        let path = at_head.path.as_str();
        let spot = self.text_in_head(at_head)?;
        let here = self.source(path).and_then(|source| {
            let found = skein_anchor::place(&spot.as_old(), &source.bytes);
            Some(placed(found.state, path.to_owned(), Some(found.lines?), found.confidence))
        });
        let renamed = || {
            let other = self.renamed(&head, path)?;
            self.in_renamed(&spot, &other)
        };
        let mut found = match here.or_else(renamed) {
            Some(found) => found,
            None => self.in_others(&head, &spot, path, elsewhere)?,
        };
        let there = self.source(&found.path)?;
        let place = found.start_line.zip(found.end_line)?;
        let is_same = old.is_at(&there, place, true);
        found.state = match found.state {
            _ if is_same => PlacementState::Moved,
            PlacementState::Replaced => PlacementState::Replaced,
            _ if at_head.is_replaced => PlacementState::Replaced,
            _ => PlacementState::Edited,
        };
        found.confidence = found.confidence.min(at_head.confidence);
        Some(found)
    }

    /// Searches other files for code that was moved together with a line around it, while other lines took its place.
    fn moved_with_context(
        &mut self,
        old: &OldText,
        path: &str,
        trail: Option<CodeTrail>,
        commit: Option<CommitId>,
    ) -> Option<PlacementView> {
        match trail {
            None => self.in_others(&commit?, old, path, elsewhere_with_context),
            // The commit that replaced the code did not move it.
            Some(CodeTrail::At(spot)) if !spot.is_replaced => {
                let at_head = self.text_in_head(&spot)?;
                let head = self.head()?;
                self.in_others(&head, &at_head, &spot.path, elsewhere_with_context)
            }
            Some(_) => None,
        }
    }

    /// Returns the code in HEAD.
    fn text_in_head(&mut self, spot: &CodeSpot) -> Option<OldText> {
        let head = self.head()?;
        let text = self.text_at(&head, &format!("{}{}", self.prefix, spot.path))?;
        Some(OldText::Whole { text: text.to_vec(), start: spot.lines.0, end: spot.lines.1 })
    }

    /// Returns the current name of a file, given its name in HEAD.
    fn name_now(&mut self, at_head: Option<String>) -> Option<String> {
        let name = at_head?;
        if self.source(&name).is_some() {
            return Some(name);
        }
        self.renamed_since_head(&name)
    }

    /// Returns the current name of a file of HEAD that was renamed.
    fn renamed_since_head(&mut self, path: &str) -> Option<String> {
        let head = self.head()?;
        self.renamed(&head, path)
    }

    /// Returns the current name of a file of `commit` that was renamed.
    pub(super) fn renamed(&mut self, commit: &CommitId, path: &str) -> Option<String> {
        let whole = format!("{}{path}", self.prefix);
        let changes = self.changes(commit)?;
        let renamed = changes.iter().find(|change| {
            change.old_path.as_deref() == Some(&whole) && change.new_path.is_some()
        })?;
        self.below_root(renamed.new_path.as_deref()?).filter(|path| *path != whole)
    }

    fn in_renamed(&mut self, old: &OldText, path: &str) -> Option<PlacementView> {
        let source = self.source(path)?;
        let found = skein_anchor::place(&old.as_old(), &source.bytes);
        let state = match found.state {
            State::Exact | State::Shifted | State::Moved => State::Moved,
            State::Edited | State::Replaced => found.state,
            State::Gone | State::Unverified => return None,
        };
        Some(placed(state, path.to_owned(), found.lines, found.confidence))
    }

    fn in_others(
        &mut self,
        commit: &CommitId,
        old: &OldText,
        path: &str,
        search: Search,
    ) -> Option<PlacementView> {
        let changes = self.changes(commit)?;
        let line = skein_anchor::distinctive_line(&old.as_old())?.to_vec();
        let mut texts: Vec<Changes> = Vec::new();
        let mut size = 0;
        for index in self.with_line(commit, &changes, &line) {
            let Some(change) = changes.get(index) else { continue };
            let other = change.new_path.as_deref().and_then(|path| self.below_root(path));
            let Some(other) = other.filter(|other| other != path) else { continue };
            let Some(new) = self.source(&other) else { continue };
            let before = change.old_path.as_deref().and_then(|path| self.blob(commit, path));
            size += new.bytes.len() + before.as_ref().map_or(0, |text| text.len());
            if size > MAX_SEARCHED_BYTES {
                break;
            }
            texts.push((other, before, new));
        }
        let others: Vec<CandidateFile<'_>> = texts
            .iter()
            .map(|(_, old, new)| CandidateFile { old: old.as_deref(), new: &new.bytes })
            .collect();
        let (index, found) = search(&old.as_old(), &others)?;
        let (path, ..) = texts.get(index)?;
        Some(placed(State::Moved, path.clone(), found.lines, found.confidence))
    }

    /// Returns the indexes of the changed files that contain a line.
    ///
    /// The lines are collected once for all threads of a commit.
    fn with_line(&mut self, commit: &CommitId, changes: &[ChangedFile], line: &[u8]) -> Vec<usize> {
        if !self.lines.contains_key(commit.as_str()) {
            let mut all: HashMap<u64, Vec<usize>> = HashMap::new();
            let mut size = 0;
            for (index, change) in changes.iter().take(MAX_SEARCHED_FILES).enumerate() {
                let path = change.new_path.as_deref().and_then(|path| self.below_root(path));
                let Some(text) = path.and_then(|path| self.source(&path)) else { continue };
                size += text.bytes.len();
                if size > MAX_SEARCHED_BYTES {
                    break;
                }
                for line in text.bytes.split(|byte| *byte == b'\n') {
                    let files = all.entry(hash(line)).or_default();
                    if files.last() != Some(&index) {
                        files.push(index);
                    }
                }
            }
            self.lines.insert(commit.to_string(), all);
        }
        let all = self.lines.get(commit.as_str());
        all.and_then(|all| all.get(&hash(line))).cloned().unwrap_or_default()
    }

    /// Lists the tracked files that differ from a commit.
    fn changes(&mut self, commit: &CommitId) -> Option<Arc<Vec<ChangedFile>>> {
        if let Some(known) = self.memory.changes.get(commit.as_str()) {
            return Some(known.clone());
        }
        let found = self.repo.as_ref()?.changed_paths(commit, &DiffSide::Worktree);
        let found = Arc::new(found.unwrap_or_default());
        self.memory.changes.insert(commit.to_string(), found.clone());
        Some(found)
    }

    /// Converts a path from the top of the repository into one from the root of the reviews.
    pub(super) fn below_root(&self, path: &str) -> Option<String> {
        let below = path.strip_prefix(&self.prefix)?;
        let store = &self.reviews.store_path;
        skein_format::path::WorkspacePath::parse(below, store).ok().map(|path| path.into_string())
    }
}

/// Returns the hash of a line without surrounding whitespace.
fn hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_ascii().hash(&mut hasher);
    hasher.finish()
}
