//! The thread files of one directory, as they were last seen.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::list::is_draft_wanted;
use skein_catalog::placed::{is_on_file, retain};
use skein_catalog::rows::{Depth, checkpoint, review, unreadable};
use skein_catalog::{branches, drafts};
use skein_checkpoints::became_full;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::review::ReviewDoc;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{ThreadRow, ThreadView};
use skein_model::{Filter, Kind};
use skein_workspace::{Actor, CheckpointStore, Workspace};

use super::ROOT_TIMEOUT;
use super::event::ThreadEvent;
use super::roots::StoreRoots;
use super::thread_state::ThreadState;
use crate::cache::placed_thread::REVIEW_FILES;
use crate::tracked_dir::{FileParser, HALF_WRITTEN_GRACE, TrackedDir};

/// A missing file counts as deleted after this time, even while others of its directory are still being removed.
const DELETION_LIMIT: Duration = Duration::from_secs(10);

/// The thread files of one directory.
pub(super) struct StoreSnapshot {
    /// The kind of its checkpoints; none for review threads.
    form: Option<CheckpointFileKind>,
    /// Whether its review threads are drafts.
    pub(super) is_draft: bool,
    pub(super) files: TrackedDir<ThreadState>,
    /// Since when the directory is missing that the files were in.
    missing_since: Option<Instant>,
}

/// What happened to the directory of a store.
pub(super) enum DirChange {
    /// It was missing for a moment and is there again.
    Back,
    /// It was missing for too long, with this number of threads that pass the filter. They are forgotten.
    Gone(usize),
}

/// The filter and the workspace that events are made for.
pub(super) struct EventContext<'a> {
    pub(super) filter: &'a Filter,
    /// What of the filter the file of a review thread decides.
    of_review_file: Filter,
    pub(super) workspace: &'a Workspace,
    roots: &'a StoreRoots,
    pub(super) now: Time,
}

impl<'a> EventContext<'a> {
    pub(super) fn new(filter: &'a Filter, workspace: &'a Workspace, roots: &'a StoreRoots) -> Self {
        let of_review_file = filter.of_review_file();
        Self { filter, of_review_file, workspace, roots, now: workspace.env.clock.now() }
    }

    /// Returns which of the review threads that pass by their files pass the whole filter, by the names of their files.
    fn passing(&self, mut rows: Vec<ThreadRow>) -> HashSet<PathBuf> {
        retain(self.workspace, self.filter, &mut rows);
        rows.into_iter().map(|row| row.file).collect()
    }
}

impl StoreSnapshot {
    /// Returns the directories of a workspace whose threads can pass; nothing is read yet.
    pub(super) fn all(workspace: &Workspace, filter: &Filter, wants_drafts: bool) -> Vec<Self> {
        let mut all = Vec::new();
        let drafts = drafts::dir(workspace);
        if filter.wants(Kind::Review) {
            all.push((None, workspace.reviews.threads(), REVIEW_FILES));
            if wants_drafts && !Actor::find(workspace, None).agent {
                all.push((None, drafts.clone(), REVIEW_FILES));
            }
        }
        if filter.wants(Kind::Checkpoint) {
            for form in [CheckpointFileKind::Thread, CheckpointFileKind::Legacy] {
                let (dir, options) = checkpoint::scanning(&workspace.checkpoints, form);
                all.push((Some(form), dir, options));
            }
        }
        let new = |(form, dir, options)| {
            let is_draft = dir == drafts;
            let files = TrackedDir::new(dir, options);
            Self { form, is_draft, files, missing_since: None }
        };
        all.into_iter().map(new).collect()
    }

    /// Returns the kind of the threads.
    pub(super) fn kind(&self) -> Kind {
        kind(self.form)
    }

    /// Returns how many threads pass the filter.
    pub(super) fn count(&self) -> usize {
        self.files.values().filter(|seen| seen.passes).count()
    }

    /// Looks whether the directory is there.
    pub(super) fn check_dir(&mut self) -> Option<DirChange> {
        if self.files.values().next().is_none() || self.files.dir.is_dir() {
            self.missing_since.take()?;
            // Its files may come back one by one.
            self.files.restart_grace();
            return Some(DirChange::Back);
        }
        let since = *self.missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() < ROOT_TIMEOUT {
            return None;
        }
        let count = self.count();
        self.files.retain(|_| false);
        self.missing_since = None;
        (count > 0).then_some(DirChange::Gone(count))
    }

    /// Returns whether the directory was missing when it was last looked at.
    pub(super) fn is_missing(&self) -> bool {
        self.missing_since.is_some()
    }

    /// Returns the files that may have changed since they were last read.
    pub(super) fn suspects(&mut self, checkpoints: &CheckpointStore) -> Vec<PathBuf> {
        let mut suspects = self.files.suspects();
        suspects.retain(|path| !is_hidden(self.form, path, checkpoints));
        suspects
    }

    /// Reads every file without reporting events.
    pub(super) fn load(&mut self, context: &EventContext<'_>) {
        self.files.load(&self.parser(context, Depth::Summary));
        let (form, checkpoints) = (self.form, &context.workspace.checkpoints);
        self.files.retain(|name| !is_hidden(form, Path::new(name), checkpoints));
        if self.kind() == Kind::Review && context.filter.asks_beyond_review_file() {
            let rows = self.files.values().filter(|state| state.passes);
            let passing = context.passing(rows.map(|state| state.row.clone()).collect());
            for state in self.files.values_mut() {
                state.passes = passing.contains(&state.row.file);
            }
        }
    }

    /// Reads files that may have changed, and returns the events.
    pub(super) fn refresh(
        &mut self,
        paths: &BTreeSet<PathBuf>,
        context: &EventContext<'_>,
    ) -> Vec<ThreadEvent> {
        let dir = self.files.dir.clone();
        let is_deleted = |since: Instant, last: Instant| {
            // Another program may be about to put the file back, or to remove the whole directory, of which the files go first.
            let is_over = last.elapsed() >= HALF_WRITTEN_GRACE || since.elapsed() >= DELETION_LIMIT;
            // A file whose directory is gone as well was not deleted by itself.
            is_over && dir.is_dir() && context.roots.missing().is_none()
        };
        let parser = self.parser(context, Depth::Full);
        let mut events = Vec::new();
        for (name, old) in self.files.refresh(paths, &parser, &is_deleted) {
            let path = dir.join(&name);
            if is_hidden(self.form, &path, &context.workspace.checkpoints) {
                self.files.remove(&name);
            } else if let Some(state) = self.files.get_mut(&name) {
                let new = state.events_since(old.as_ref(), context.now);
                state.comments = Vec::new();
                events.extend(new.into_iter().filter(|_| state.passes));
            } else if let Some(old) = old.filter(|old| old.passes) {
                events.extend(self.removal(path, &old, context));
            }
        }
        events.iter_mut().for_each(|event| event.draft = self.is_draft);
        events
    }

    /// Returns the event of a thread whose code has moved, if it is open; the caller sets the location.
    pub(super) fn moved(
        &mut self,
        view: &ThreadView,
        context: &EventContext<'_>,
    ) -> Option<ThreadEvent> {
        let (row, filter) = (&view.row, context.filter);
        if row.status.as_deref() == Some("resolved") {
            return None;
        }
        let bytes = skein_store::read(&row.file).ok()?.bytes;
        let passes = self.parser(context, Depth::Full).passes_by_file(row, &bytes)
            && is_on_file(view, filter)
            && (filter.branch.is_none() || branches::is_on(row, filter));
        if let Some(known) = self.files.get_mut(row.file.file_name()?.to_str()?) {
            known.passes = passes;
        }
        let event = ThreadEvent::new("moved", row, context.now);
        passes.then_some(ThreadEvent { draft: self.is_draft, ..event })
    }

    fn parser<'a>(&self, context: &'a EventContext<'a>, depth: Depth) -> EventParser<'a> {
        EventParser { form: self.form, is_draft: self.is_draft, context, depth }
    }

    /// Returns the event of a file that is gone.
    fn removal(
        &self,
        path: PathBuf,
        old: &ThreadState,
        context: &EventContext<'_>,
    ) -> Option<ThreadEvent> {
        let (id, checkpoints) = (stem(&path), &context.workspace.checkpoints);
        // The event of the full checkpoint reports it.
        if self.form == Some(CheckpointFileKind::Thread)
            && became_full(checkpoints, &id, context.now)
        {
            return None;
        }
        let archived = self.form.and_then(|_| archived(checkpoints, &path));
        let what = if archived.is_some() { "archived" } else { "deleted" };
        let file = archived.unwrap_or(path).display().to_string();
        Some(old.removed(what, &id, file, context.now))
    }
}

/// Returns whether a thread replaces a legacy file.
fn is_hidden(form: Option<CheckpointFileKind>, path: &Path, checkpoints: &CheckpointStore) -> bool {
    form == Some(CheckpointFileKind::Legacy) && checkpoints.replaces_legacy(&stem(path))
}

/// Returns the path of an archived checkpoint.
fn archived(checkpoints: &CheckpointStore, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let months = checkpoints.archive().read_dir().ok()?.filter_map(Result::ok);
    months.map(|month| month.path().join(name)).find(|path| path.is_file())
}

/// Returns the kind of the threads of a store.
fn kind(form: Option<CheckpointFileKind>) -> Kind {
    form.map_or(Kind::Review, |_| Kind::Checkpoint)
}

/// Reads threads; the text of comments, and what of the filter their files do not decide, only at full depth.
struct EventParser<'a> {
    form: Option<CheckpointFileKind>,
    is_draft: bool,
    context: &'a EventContext<'a>,
    depth: Depth,
}

impl EventParser<'_> {
    /// Returns whether a review thread matches the parts of the filter that its file decides.
    fn passes_by_file(&self, row: &ThreadRow, bytes: &[u8]) -> bool {
        let EventContext { filter, of_review_file, workspace, .. } = self.context;
        let of = (&workspace.reviews, &workspace.settings);
        match self.is_draft {
            _ if !filter.asks() => true,
            true => is_draft_wanted(row, filter),
            false => review::passes(bytes, &format!("{}.md", stem(&row.file)), of_review_file, of),
        }
    }

    fn parse_review(&self, path: &Path, bytes: &[u8]) -> (ThreadState, bool) {
        let (stem, context, steps) = (stem(path), self.context, Vec::new());
        let Workspace { reviews, settings, .. } = context.workspace;
        let Filter { branch, .. } = context.filter;
        let mut row = review::summary_row(bytes, path, (reviews, settings));
        if self.is_draft {
            row.mark_draft();
        }
        let mut passes = self.passes_by_file(&row, bytes);
        if matches!(self.depth, Depth::Summary) {
            let is_usable = row.usable;
            return (ThreadState { row, comments: Vec::new(), steps, passes }, is_usable);
        }
        let comments = ReviewDoc::parse(bytes.to_vec(), &stem, &reviews.store_path).0.comments();
        let comments = comments.into_iter().map(|one| (one.author, one.body)).collect();
        if passes && context.filter.asks_beyond_review_file() {
            passes = !context.passing(vec![row.clone()]).is_empty();
        }
        // The branch of a thread is written a moment after its file.
        let is_usable = row.usable && (passes || branch.is_none());
        (ThreadState { row, comments, steps, passes }, is_usable)
    }
}

impl FileParser<ThreadState> for EventParser<'_> {
    fn parse(&self, path: &Path, bytes: &[u8]) -> (ThreadState, bool) {
        let Some(form) = self.form else { return self.parse_review(path, bytes) };
        let row = checkpoint::row(bytes, path, form);
        let doc = CheckpointDoc::parse(bytes.to_vec(), &stem(path), form).0;
        let steps = doc.steps().into_iter().map(Into::into).collect();
        let passes = checkpoint::is_wanted(&row, bytes, form, self.context.filter);
        let is_usable = row.usable;
        (ThreadState { row, comments: Vec::new(), steps, passes }, is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> ThreadState {
        let row = unreadable(kind(self.form), path, &reason);
        ThreadState { row, comments: Vec::new(), steps: Vec::new(), passes: true }
    }
}
