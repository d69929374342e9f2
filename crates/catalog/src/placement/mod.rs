//! Finds the current location of commented code.
//!
//! [`Placer`] passes texts to `skein-anchor`: the old version of the file, from git or from the thread, and the current one. It follows
//! renames and code that was moved to another file, and caches the placements in the cache directory.

mod base;
mod cache;
mod fit;
mod old_text;
mod other_files;
mod placer_state;
mod text;
mod trail;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use skein_anchor::{LastDiffs, OldCode, State, place_again};
use skein_format::review::{Range, ReviewDoc};
use skein_git::{CommitId, ObjectError, Objects, Ref, Repo, RepoDirs, is_binary};
use skein_model::view::{ExcerptView, PlacementState, PlacementView};
use skein_workspace::{ReviewStore, Workspace};

use crate::rounds;
use crate::source_text::without_bom;
use base::BaseCommit;
use cache::{CodeTrail, PlacementKey};
use fit::{Fit, count};
use old_text::OldText;

pub use placer_state::PlacerState;
pub use text::SourceText;

/// Files that were read; none for one that is missing, binary or too large.
pub type SourceTexts = BTreeMap<String, Option<Rc<SourceText>>>;

/// Files of commits, by commit and path, and their total size; many threads are about the same file.
type Blobs = (BTreeMap<(String, String), Option<Rc<[u8]>>>, usize);

/// Maximum size of cached files of commits, in bytes.
const MAX_BLOB_BYTES: usize = 32 * 1024 * 1024;

/// Maximum number of changed files that are searched for moved code.
const MAX_SEARCHED_FILES: usize = 200;
/// Maximum total size of such files, in bytes.
const MAX_SEARCHED_BYTES: usize = 16 * 1024 * 1024;

/// Confidence that code is gone.
const GONE_CONFIDENCE: f32 = 0.9;

/// The indexes of changed files, by the hash of a line that they contain.
type Lines = HashMap<u64, Vec<usize>>;

/// Places threads; one placer for many threads reads each file once.
pub struct Placer<'a> {
    reviews: &'a ReviewStore,
    layout: Option<RepoDirs>,
    repo: Option<Repo>,
    /// The path of the root of the reviews from the top of the repository, with a trailing slash.
    prefix: String,
    sources: SourceTexts,
    /// The files whose texts are not in the files; what is found there is of no use later.
    unsaved: BTreeSet<String>,
    diffs: LastDiffs,
    blobs: Blobs,
    /// The changed files that contain a line, by the commit that they differ from.
    lines: BTreeMap<String, Lines>,
    memory: PlacerState,
    /// The prefix of the references to the submissions; none for the threads of another worktree.
    rounds_prefix: Option<String>,
    /// The submissions, once they were read.
    rounds: Option<Rc<Vec<Ref>>>,
}

/// The result of searching for code in the file of its thread.
enum OwnFileResult {
    /// The location in the file.
    Here(PlacementView),
    /// It is not in the file.
    Away(Away),
}

/// Code that is no longer in its file.
struct Away {
    /// The old text.
    old: OldText,
    /// The path stored in the thread.
    path: String,
    /// Whether that file still exists.
    exists: bool,
    /// The location of the code after the commits since then, if known.
    trail: Option<CodeTrail>,
    /// What stands in the place of the code, unless the code was moved to another file.
    replacement: Option<PlacementView>,
    /// The commit that the file is compared with.
    base: BaseCommit,
}

impl<'a> Placer<'a> {
    /// Prepares to place threads of one store.
    pub fn new(workspace: &'a Workspace, reviews: &'a ReviewStore) -> Self {
        Self::resume(workspace, reviews, PlacerState::open(workspace))
    }

    /// Prepares to place threads of one store, with the state of another placer of the workspace.
    pub fn resume(workspace: &'a Workspace, reviews: &'a ReviewStore, memory: PlacerState) -> Self {
        let (layout, prefix) = repository(workspace, reviews).unzip();
        let repo = layout.as_ref().and_then(Repo::new);
        let prefix = prefix.unwrap_or_default();
        let (sources, lines) = (SourceTexts::new(), BTreeMap::new());
        let blobs = Blobs::default();
        let (unsaved, diffs) = (BTreeSet::new(), LastDiffs::default());
        let is_own = reviews.root == workspace.reviews.root;
        let rounds_prefix = is_own.then(|| rounds::prefix(workspace));
        Self {
            reviews,
            layout,
            repo,
            prefix,
            sources,
            unsaved,
            diffs,
            blobs,
            lines,
            memory,
            rounds_prefix,
            rounds: None,
        }
    }

    /// Returns the current location of the code of a thread; none for an unusable thread.
    pub fn place(&mut self, doc: &ReviewDoc) -> Option<PlacementView> {
        let mut placement = match self.at_home(doc)? {
            OwnFileResult::Here(placement) => placement,
            OwnFileResult::Away(away) => {
                let most = away.base.max_confidence();
                let found = self.elsewhere(doc, away);
                PlacementView { confidence: found.confidence.min(most), ..found }
            }
        };
        let is_there =
            !matches!(placement.state, PlacementState::Gone | PlacementState::Unverified);
        if is_there && self.source(&placement.path).is_some_and(|source| source.is_from_index) {
            placement.state = PlacementState::NotCheckedOut;
        }
        Some(placement)
    }

    /// Returns whether the code of a thread is no longer in its file, so that all other files would have to be searched.
    pub fn left_its_file(&mut self, doc: &ReviewDoc) -> bool {
        matches!(self.at_home(doc), Some(OwnFileResult::Away(Away { replacement: None, .. })))
    }

    /// Searches for code in its own file.
    fn at_home(&mut self, doc: &ReviewDoc) -> Option<OwnFileResult> {
        let head = doc.head();
        let path = head.path.as_ref().filter(|_| head.usable)?.to_string();
        let source = self.source(&path);
        let Some(range) = head.range else {
            return Some(OwnFileResult::Here(self.whole_file(doc, path, source.is_some())));
        };
        if let Some(source) = &source {
            return Some(self.in_own_file(doc, path, range, source));
        }
        // The file cannot be read, or is not text.
        if self.reviews.root.join(&path).symlink_metadata().is_ok() {
            return Some(OwnFileResult::Here(unverified(doc, path)));
        }
        let mut base = self.base_of_missing(doc, &path);
        let old = match base.is_substitute {
            true => self.old_text_in_substitute(doc, &path, range, &mut base),
            false => self.old_text(doc, &path, range, base.commit.as_ref()),
        };
        let trail = self.trail(doc, &old, &path, base.commit.as_ref());
        Some(OwnFileResult::Away(Away { old, path, exists: false, trail, replacement: None, base }))
    }

    fn in_own_file(
        &mut self,
        doc: &ReviewDoc,
        path: String,
        range: Range,
        source: &SourceText,
    ) -> OwnFileResult {
        let commit = self.commit(doc);
        if let Some(confidence) = exact(source, range, doc, commit.is_some()) {
            let lines = Some((range.start_line, range.end_line));
            return OwnFileResult::Here(placed(State::Exact, path, lines, confidence));
        }
        let key = PlacementKey::of_file(doc, commit.as_ref(), self.head().as_ref(), source);
        let known = self.memory.cache.get(&key);
        let is_here =
            |known: &skein_anchor::Placement| !matches!(known.state, State::Gone | State::Replaced);
        if let Some(known) = known.filter(is_here) {
            let skein_anchor::Placement { state, lines, confidence } = known;
            return OwnFileResult::Here(placed(state, path, lines, confidence));
        }
        let old = self.old_text(doc, &path, range, commit.as_ref());
        let trail = self.trail(doc, &old, &path, commit.as_ref());
        let found = known.unwrap_or_else(|| self.find(&old, &path, source, trail.as_ref()));
        if found.state == State::Unverified {
            return OwnFileResult::Here(unverified(doc, path));
        }
        if known.is_none() && !self.unsaved.contains(&path) {
            self.memory.cache.put(key, found);
        }
        let here = placed(found.state, path.clone(), found.lines, found.confidence);
        if is_here(&found) {
            return OwnFileResult::Here(here);
        }
        let base = BaseCommit { commit, is_substitute: false };
        let replacement = Some(here).filter(|_| found.state == State::Replaced);
        OwnFileResult::Away(Away { old, path, exists: true, trail, replacement, base })
    }

    /// Finds code in its own file, from the difference between the old and the current file, and from the commits in between.
    ///
    /// The commits take precedence, because each is a small change. If the two disagree, the confidence is limited.
    fn find(
        &mut self,
        old: &OldText,
        path: &str,
        source: &SourceText,
        trail: Option<&CodeTrail>,
    ) -> skein_anchor::Placement {
        const DISPUTED: f32 = 0.89;
        const BROUGHT_BACK: f32 = 0.85;
        let direct = place_again(&old.as_old(), &source.bytes, &mut self.diffs);
        let gone = skein_anchor::Placement {
            state: State::Gone,
            lines: None,
            confidence: GONE_CONFIDENCE,
        };
        let spot = match trail {
            None => return direct,
            Some(CodeTrail::At(spot)) if spot.path == path => spot,
            Some(CodeTrail::At(_)) => return gone,
            Some(CodeTrail::Removed { .. }) => {
                let is_back = matches!(direct.state, State::Exact | State::Shifted);
                let confidence = direct.confidence.min(BROUGHT_BACK);
                return if is_back {
                    skein_anchor::Placement { confidence, ..direct }
                } else {
                    gone
                };
            }
        };
        let head = self.head();
        let whole = format!("{}{path}", self.prefix);
        let Some(text) = head.and_then(|head| self.text_at(&head, &whole)) else { return direct };
        let at_head = OldCode::Whole { text: &text, start: spot.lines.0, end: spot.lines.1 };
        let mut found = place_again(&at_head, &source.bytes, &mut self.diffs);
        let Some(place) = found.lines else { return gone };
        let is_moved = spot.is_moved || found.state == State::Moved;
        let is_replaced = spot.is_replaced || found.state == State::Replaced;
        let is_same = old.is_at(source, place, is_moved);
        found.state = match old.lines() {
            _ if !is_same && is_replaced => State::Replaced,
            _ if !is_same => State::Edited,
            _ if is_moved => State::Moved,
            Some(lines) if lines == place => State::Exact,
            _ => State::Shifted,
        };
        found.confidence = found.confidence.min(spot.confidence);
        found.confidence = match direct.lines == found.lines {
            true => found.confidence.max(direct.confidence),
            false => found.confidence.min(DISPUTED),
        };
        found
    }

    /// Saves the placements for the next run; errors are ignored, because it is only a cache.
    pub fn finish(mut self) {
        self.memory.save();
    }

    /// Returns the state for the next placer, and the files that were read.
    pub fn into_state(self) -> (PlacerState, SourceTexts) {
        (self.memory, self.sources)
    }

    /// Places threads against a text that is not in the file yet, such as the one in an editor.
    pub fn set_text(&mut self, path: &str, text: &str) {
        self.unsaved.insert(path.to_owned());
        self.sources.insert(path.to_owned(), Some(Rc::new(SourceText::new(text.as_bytes()))));
    }

    /// Returns a file of the workspace; none if it is missing, binary or too large.
    pub fn source(&mut self, path: &str) -> Option<Rc<SourceText>> {
        if let Some(known) = self.sources.get(path) {
            return known.clone();
        }
        let read = SourceText::read(self.reviews, path).or_else(|| self.indexed(path)).map(Rc::new);
        self.sources.insert(path.to_owned(), read.clone());
        read
    }

    /// Returns a file from the index that is not checked out, as in a sparse checkout.
    fn indexed(&mut self, path: &str) -> Option<SourceText> {
        if self.reviews.root.join(path).symlink_metadata().is_ok() {
            return None;
        }
        let whole = format!("{}{path}", self.prefix);
        // This starts no further process, and few missing files are in the index.
        let found = self.objects()?.staged(&whole);
        let staged = self.answered(found)?;
        self.is_not_checked_out(&whole).then(|| SourceText::from_index(&staged)).flatten()
    }

    fn is_not_checked_out(&mut self, path: &str) -> bool {
        let repo = self.repo.as_ref();
        let list = || repo.and_then(|repo| repo.not_checked_out().ok()).unwrap_or_default();
        self.memory.not_checked_out.get_or_insert_with(list).contains(path)
    }

    /// Returns the code at a location, with some lines around it.
    pub(crate) fn code(&mut self, placement: &PlacementView) -> Option<ExcerptView> {
        const CONTEXT_LINES: u32 = 3;
        let (start, end) = (placement.start_line?, placement.end_line?);
        let source = self.source(&placement.path)?;
        let from = start.saturating_sub(CONTEXT_LINES);
        let count = (end - from + 1 + CONTEXT_LINES) as usize;
        let lines = source.lines.iter().skip(from as usize).take(count).cloned().collect();
        Some(ExcerptView { path: placement.path.clone(), start_line: from, lines })
    }

    fn whole_file(&mut self, doc: &ReviewDoc, path: String, exists: bool) -> PlacementView {
        if exists || self.workspace_has(&path) {
            return placed(State::Exact, path, None, 1.0);
        }
        let base = self.base_of_missing(doc, &path);
        match base.commit.as_ref().and_then(|commit| self.name_since(commit, &path)) {
            Some(path) => placed(State::Moved, path, None, base.max_confidence().min(0.9)),
            None if self.reviews.root.join(&path).symlink_metadata().is_ok() => {
                unverified(doc, path)
            }
            None => placed(State::Gone, path, None, 0.9),
        }
    }

    fn workspace_has(&self, path: &str) -> bool {
        skein_store::open_inside(&self.reviews.root, path).is_ok()
    }

    /// Reads a file of a commit, by its path from the top of the repository.
    fn blob(&mut self, commit: &CommitId, path: &str) -> Option<Rc<[u8]>> {
        let key = (commit.to_string(), path.to_owned());
        if let Some(known) = self.blobs.0.get(&key) {
            return known.clone();
        }
        let found: Option<Rc<[u8]>> = self.read_blob(commit, path).map(Into::into);
        let size = found.as_ref().map_or(0, |blob| blob.len());
        if self.blobs.1 + size > MAX_BLOB_BYTES {
            self.blobs = Blobs::default();
        }
        self.blobs.1 += size;
        self.blobs.0.insert(key, found.clone());
        found
    }

    /// Reads a file of a commit without a byte order mark; none if it is binary.
    fn text_at(&mut self, commit: &CommitId, path: &str) -> Option<Rc<[u8]>> {
        let blob = self.blob(commit, path).filter(|blob| !is_binary(blob))?;
        let text = without_bom(&blob);
        Some(if text.len() == blob.len() { blob } else { text.into() })
    }

    fn read_blob(&mut self, commit: &CommitId, path: &str) -> Option<Vec<u8>> {
        let found = self.objects()?.blob(commit, path);
        self.answered(found)
    }

    /// Returns the process that reads git objects, starting it if needed.
    fn objects(&mut self) -> Option<&mut Objects> {
        let repo = self.repo.as_ref()?;
        if self.memory.objects.is_none() {
            self.memory.objects = Objects::start(repo).ok();
        }
        self.memory.objects.as_mut()
    }

    /// Returns the answer of the object process; after an error it is restarted.
    fn answered(&mut self, found: Result<Option<Vec<u8>>, ObjectError>) -> Option<Vec<u8>> {
        found.unwrap_or_else(|_| {
            self.memory.objects = None;
            None
        })
    }

    /// Returns HEAD.
    fn head(&mut self) -> Option<CommitId> {
        if self.memory.head.is_none() {
            let head = self.layout.as_ref().and_then(RepoDirs::head_commit);
            let asked = || self.repo.as_ref()?.head_commit().ok().flatten();
            self.memory.head = Some(head.or_else(asked));
        }
        self.memory.head.clone().flatten()
    }

    /// Resolves the commit stored in the thread.
    fn commit(&mut self, doc: &ReviewDoc) -> Option<CommitId> {
        let name = doc.head().git.base_ref.as_ref()?;
        if let Some(known) = self.memory.commits.get(name) {
            return known.clone();
        }
        let full = CommitId::parse(name);
        let found = full.or_else(|| self.repo.as_ref()?.resolve(name).ok().flatten());
        self.memory.commits.insert(name.clone(), found.clone());
        found
    }
}

fn placed(state: State, path: String, lines: Option<(u32, u32)>, confidence: f32) -> PlacementView {
    PlacementView {
        state: match state {
            State::Exact => PlacementState::Exact,
            State::Shifted => PlacementState::Shifted,
            State::Edited => PlacementState::Edited,
            State::Replaced => PlacementState::Replaced,
            State::Moved => PlacementState::Moved,
            State::Gone => PlacementState::Gone,
            State::Unverified => PlacementState::Unverified,
        },
        path,
        start_line: lines.map(|(start, _)| start),
        end_line: lines.map(|(_, end)| end),
        confidence,
    }
}

/// Returns the location stored in the thread, unverified.
fn unverified(doc: &ReviewDoc, path: String) -> PlacementView {
    let lines = doc.head().range.map(|range| (range.start_line, range.end_line));
    placed(State::Unverified, path, lines, 0.0)
}

/// Returns the confidence that the commented text is at its location, with the context of the thread around it.
///
/// A match from column 0 may be the start of a line that was later extended: if the commit is known, its text decides.
fn exact(source: &SourceText, range: Range, doc: &ReviewDoc, known: bool) -> Option<f32> {
    let context = doc.context()?;
    let (model, start) = (source.model(), range.start_line as usize);
    let fit =
        model.fit(start, range, &context).filter(|_| model.is_around(start, range, &context))?;
    if fit == Fit::Part && range.start_character == 0 && known {
        return None;
    }
    // Without context the text may be on a copy.
    let alone = context.before.is_empty() && context.after.is_empty();
    if alone && source.lines.len() > count(range)? {
        return Some(0.7);
    }
    if model.places(range, &context).nth(1).is_some() {
        // Only the history of the file distinguishes copies.
        return (!known).then_some(0.95);
    }
    Some(if fit == Fit::Whole || range.start_character > 0 { 1.0 } else { 0.7 })
}

/// Returns the repository that contains a store, and the path of the store's root below its top.
///
/// Each worktree has its own files, index and HEAD.
fn repository(workspace: &Workspace, reviews: &ReviewStore) -> Option<(RepoDirs, String)> {
    let layout = match &workspace.git {
        Some(layout) if reviews.root == workspace.reviews.root => layout.clone(),
        _ => RepoDirs::discover(&reviews.root).ok()??,
    };
    let root = reviews.root.canonicalize().ok()?;
    let below = root.strip_prefix(layout.top.as_deref()?).ok()?.to_str()?;
    let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
    Some((layout, prefix))
}
