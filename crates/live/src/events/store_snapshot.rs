//! The thread files of one directory, as they were last seen.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::checkpoint_state::States;
use skein_catalog::placed::retain;
use skein_catalog::rows::{Depth, checkpoint, review, unreadable};
use skein_checkpoints::became_full;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::review::ReviewDoc;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{ResumeLockHolder, ThreadRow};
use skein_model::{Filter, Kind};
use skein_store::{ReadError, read};
use skein_workspace::settings::Settings;
use skein_workspace::{CheckpointStore, Env, ReviewStore, Workspace};

use super::ROOT_TIMEOUT;
use super::event::ThreadEvent;
use super::roots::StoreRoots;
use super::thread_state::ThreadState;
use crate::cache::review_parser::REVIEW_FILES;
use crate::tracked_dir::{FileParser, HALF_WRITTEN_GRACE, TrackedDir, hash};

/// A missing file counts as deleted after this time, even while others of its directory are still being removed.
const DELETION_LIMIT: Duration = Duration::from_secs(10);

/// The thread files of one directory.
pub(super) struct StoreSnapshot {
    store: EventStore,
    pub(super) files: TrackedDir<ThreadState>,
    /// Since when the directory is missing that the files were in.
    missing_since: Option<Instant>,
    /// When the last of the missing files was missed.
    last_missing: Option<Instant>,
}

/// The state of a store's directory.
pub(super) enum Presence {
    /// It is there, or was never there.
    There,
    /// It is there again.
    Back,
    /// It is missing, perhaps only for a moment, or because the whole workspace is being removed.
    Missing,
    /// It was missing for too long, with this number of threads that pass the filter. They are forgotten.
    Gone(usize),
}

enum EventStore {
    Reviews(ReviewStore),
    Checkpoints(CheckpointStore, CheckpointFileKind),
}

/// The filter and the workspace that events are made for.
pub(super) struct EventContext<'a> {
    pub(super) filter: &'a Filter,
    /// What of the filter the file of a review thread decides.
    of_review_file: Filter,
    workspace: &'a Workspace,
    env: &'a Env,
    roots: &'a StoreRoots,
    pub(super) settings: &'a Settings,
    pub(super) now: Time,
}

impl<'a> EventContext<'a> {
    pub(super) fn new(
        filter: &'a Filter,
        workspace: &'a Workspace,
        env: &'a Env,
        roots: &'a StoreRoots,
    ) -> Self {
        let (settings, now) = (&workspace.settings, env.clock.now());
        let of_review_file = filter.of_review_file();
        Self { filter, of_review_file, workspace, env, roots, settings, now }
    }

    /// Returns which of the review threads that pass by their files pass the whole filter, by the names of their files.
    fn passing(&self, mut rows: Vec<ThreadRow>) -> HashSet<PathBuf> {
        retain(self.workspace, self.env, self.filter, &mut rows);
        rows.into_iter().map(|row| row.file).collect()
    }
}

/// The result of reading a file again.
pub(super) enum ReadOutcome {
    Events(Vec<ThreadEvent>),
    /// The file is missing or unusable, perhaps because a program is rewriting it, or its branch is not known yet.
    Unsettled,
}

impl StoreSnapshot {
    /// Returns the directories of a workspace whose threads can pass; nothing is read yet.
    pub(super) fn all(workspace: &Workspace, filter: &Filter) -> Vec<Self> {
        let (reviews, checkpoints) = (&workspace.reviews, &workspace.checkpoints);
        let mut all = Vec::new();
        if filter.wants(Kind::Review) {
            let files = TrackedDir::new(reviews.threads(), REVIEW_FILES);
            all.push(Self::new(files, EventStore::Reviews(reviews.clone())));
        }
        if filter.wants(Kind::Checkpoint) {
            for kind in [CheckpointFileKind::Thread, CheckpointFileKind::Legacy] {
                let (dir, options) = checkpoint::scanning(checkpoints, kind);
                let store = EventStore::Checkpoints(checkpoints.clone(), kind);
                all.push(Self::new(TrackedDir::new(dir, options), store));
            }
        }
        all
    }

    fn new(files: TrackedDir<ThreadState>, store: EventStore) -> Self {
        Self { store, files, missing_since: None, last_missing: None }
    }

    /// Returns the kind of the threads.
    pub(super) fn kind(&self) -> Kind {
        self.store.kind()
    }

    /// Returns how many threads pass the filter.
    pub(super) fn count(&self) -> usize {
        self.files.values().filter(|seen| seen.passes).count()
    }

    /// Checks the directory.
    pub(super) fn presence(&mut self) -> Presence {
        if self.files.values().next().is_none() || self.files.dir.is_dir() {
            let was_missing = self.missing_since.take().is_some();
            return if was_missing { Presence::Back } else { Presence::There };
        }
        let since = *self.missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() < ROOT_TIMEOUT {
            return Presence::Missing;
        }
        let count = self.count();
        self.files.retain(|_| false);
        self.missing_since = None;
        Presence::Gone(count)
    }

    /// Returns whether the directory was missing when it was last looked at.
    pub(super) fn is_missing(&self) -> bool {
        self.missing_since.is_some()
    }

    /// Reads every file without reporting events.
    pub(super) fn load(&mut self, context: &EventContext<'_>) {
        let parser = EventParser { store: &self.store, context, depth: Depth::Summary };
        self.files.load(&parser);
        let is_shown = |name: &str| !self.store.is_hidden(name);
        self.files.retain(is_shown);
        if self.needs_more(context) {
            let rows = self.files.values().filter(|state| state.passes);
            let passing = context.passing(rows.map(|state| state.row.clone()).collect());
            for state in self.files.values_mut() {
                state.passes = passing.contains(&state.row.file);
            }
        }
    }

    /// Reads a file again and returns the events since the change was noticed.
    pub(super) fn read(
        &mut self,
        name: &str,
        context: &EventContext<'_>,
        since: Instant,
    ) -> ReadOutcome {
        let in_grace = since.elapsed() < HALF_WRITTEN_GRACE;
        let path = self.files.dir.join(name);
        let old = self.files.get(name);
        let parser = EventParser { store: &self.store, context, depth: Depth::Full };
        let mut state = match read(&path) {
            _ if self.store.is_hidden(name) => return ReadOutcome::Events(Vec::new()),
            Ok(snapshot) => parser.parse(&path, &snapshot.bytes).0,
            Err(ReadError::NotFound { .. }) if old.is_none() => {
                return ReadOutcome::Events(Vec::new());
            }
            Err(ReadError::NotFound { .. }) => {
                // A file whose directory is gone as well was not deleted by itself.
                let is_early = self.may_be_unfinished(since)
                    || !self.files.dir.is_dir()
                    || context.roots.missing().is_some();
                return match is_early {
                    true => ReadOutcome::Unsettled,
                    false => ReadOutcome::Events(self.forget(name, context.now)),
                };
            }
            Err(error) => parser.unreadable(&path, &error.reason()),
        };
        if in_grace && !state.row.usable && old.is_none_or(|old| old.row.usable) {
            return ReadOutcome::Unsettled;
        }
        if state.passes && self.needs_more(context) {
            state.passes = !context.passing(vec![state.row.clone()]).is_empty();
            // The branch of a thread is written a moment after its file.
            if in_grace && old.is_none() && !state.passes && context.filter.branch.is_some() {
                return ReadOutcome::Unsettled;
            }
        }
        let events = match old {
            Some(old) => state.changes_since(old, context.now),
            None => vec![state.created(context.now)],
        };
        let passes = state.passes;
        state.comments = Vec::new();
        match self.files.get_mut(name) {
            Some(old) if events.is_empty() => *old = state,
            _ => {
                let hash = state.hash;
                self.files.insert(name, state, hash);
            }
        }
        ReadOutcome::Events(if passes { events } else { Vec::new() })
    }

    /// Returns whether another program may be about to put a missing file back, or to remove the whole directory, of which the
    /// files go first.
    fn may_be_unfinished(&mut self, since: Instant) -> bool {
        let last = since.max(self.last_missing.unwrap_or(since));
        self.last_missing = Some(last);
        last.elapsed() < HALF_WRITTEN_GRACE && since.elapsed() < DELETION_LIMIT
    }

    /// Returns whether these are checkpoints in the present form, which can be taken.
    pub(super) fn has_checkpoints(&self) -> bool {
        matches!(self.store, EventStore::Checkpoints(_, CheckpointFileKind::Thread))
    }

    /// Returns the event that a checkpoint was taken or released.
    ///
    /// The end of the work, which frees it as well, is an event of its own.
    pub(super) fn holder_event(
        &self,
        id: &str,
        holder: Option<&ResumeLockHolder>,
        states: &States,
        context: &EventContext<'_>,
    ) -> Option<ThreadEvent> {
        let path = self.files.dir.join(format!("{id}.json"));
        let bytes = read(&path).ok()?.bytes;
        let mut row = checkpoint::row(&bytes, &path, CheckpointFileKind::Thread);
        states.mark(&mut row);
        let has_ended = row.checkpoint().is_some_and(|detail| detail.is_over);
        if has_ended
            || !checkpoint::is_wanted(&row, &bytes, CheckpointFileKind::Thread, context.filter)
        {
            return None;
        }
        let name = if holder.is_some() { "taken" } else { "released" };
        let by = holder.and_then(|holder| holder.by.clone().or_else(|| holder.session_id.clone()));
        Some(ThreadEvent { by, ..ThreadEvent::new(name, &row, context.now) })
    }

    fn forget(&mut self, name: &str, now: Time) -> Vec<ThreadEvent> {
        let Some(state) = self.files.remove(name).filter(|state| state.passes) else {
            return Vec::new();
        };
        let id = stem(Path::new(name));
        // The event of the full checkpoint reports it.
        if matches!(&self.store, EventStore::Checkpoints(all, CheckpointFileKind::Thread) if became_full(all, &id, now))
        {
            return Vec::new();
        }
        let archived = self.archived(name);
        let what = if archived.is_some() { "archived" } else { "deleted" };
        let path = archived.unwrap_or_else(|| self.files.dir.join(name));
        let file = path.display().to_string();
        vec![state.removed(what, &id, file, now)]
    }

    /// Returns the path of an archived checkpoint.
    fn archived(&self, name: &str) -> Option<PathBuf> {
        let EventStore::Checkpoints(checkpoints, _) = &self.store else { return None };
        let months = checkpoints.archive().read_dir().ok()?.filter_map(Result::ok);
        months.map(|month| month.path().join(name)).find(|path| path.is_file())
    }

    /// Returns whether the files of the threads do not decide all that is asked.
    fn needs_more(&self, context: &EventContext<'_>) -> bool {
        self.kind() == Kind::Review && context.filter.asks_beyond_review_file()
    }
}

impl EventStore {
    /// Returns the kind of the threads.
    fn kind(&self) -> Kind {
        match self {
            Self::Reviews(_) => Kind::Review,
            Self::Checkpoints(..) => Kind::Checkpoint,
        }
    }

    /// Returns whether a thread replaces a legacy file.
    fn is_hidden(&self, name: &str) -> bool {
        match self {
            Self::Checkpoints(checkpoints, CheckpointFileKind::Legacy) => {
                checkpoints.replaces_legacy(&stem(Path::new(name)))
            }
            _ => false,
        }
    }
}

/// Reads threads; the text of comments only at full depth.
struct EventParser<'a> {
    store: &'a EventStore,
    context: &'a EventContext<'a>,
    depth: Depth,
}

impl FileParser<ThreadState> for EventParser<'_> {
    fn parse(&self, path: &Path, bytes: &[u8]) -> (ThreadState, bool) {
        let (stem, context) = (stem(path), self.context);
        let (mut comments, mut steps) = (Vec::new(), Vec::new());
        let (row, passes) = match self.store {
            EventStore::Reviews(reviews) => {
                let of = (reviews, context.settings);
                if matches!(self.depth, Depth::Full) {
                    let doc = ReviewDoc::parse(bytes.to_vec(), &stem, &reviews.store_path).0;
                    let all = doc.comments().into_iter();
                    comments = all.map(|one| (one.author, one.body)).collect();
                }
                let name = format!("{stem}.md");
                let passes = !context.filter.asks()
                    || review::passes(bytes, &name, &context.of_review_file, of);
                (review::summary_row(bytes, path, of), passes)
            }
            EventStore::Checkpoints(_, form) => {
                let row = checkpoint::row(bytes, path, *form);
                let doc = CheckpointDoc::parse(bytes.to_vec(), &stem, *form).0;
                steps = doc.steps().into_iter().map(Into::into).collect();
                let passes = checkpoint::is_wanted(&row, bytes, *form, context.filter);
                (row, passes)
            }
        };
        let is_usable = row.usable;
        (ThreadState { row, hash: hash(bytes), comments, steps, passes }, is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> ThreadState {
        let row = unreadable(self.store.kind(), path, &reason);
        let (comments, steps) = (Vec::new(), Vec::new());
        ThreadState { row, hash: hash(reason), comments, steps, passes: true }
    }
}
