//! The thread files of one directory, as they were last seen.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::checkpoint_state::States;
use skein_catalog::placed::retain;
use skein_catalog::rows::{Depth, checkpoint, review, unreadable};
use skein_checkpoints::became_full;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::redact::redacted;
use skein_format::review::ReviewDoc;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{ResumeLockHolder, RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_store::{Chunk, ReadError, ScanOptions, Trace, Visit, list_files, read, scan};
use skein_workspace::settings::Settings;
use skein_workspace::{CheckpointStore, Env, ReviewStore, Workspace};

use super::ROOT_TIMEOUT;
use super::event::ThreadEvent;
use super::roots::StoreRoots;
use super::thread_state::{Comment, Step, ThreadContent, ThreadState, hash};

/// Most files fit into this, so that one read gets them whole.
const FIRST_READ_BYTES: usize = 64 * 1024;
/// Another program may take this long to rewrite a file that is missing or makes no sense.
pub(super) const HALF_WRITTEN_GRACE: Duration = Duration::from_millis(250);
/// A missing file counts as deleted after this time, even while others of its directory are still being removed.
const DELETION_LIMIT: Duration = Duration::from_secs(10);

/// The thread files of one directory.
pub(super) struct StoreSnapshot {
    what: What,
    pub(super) dir: PathBuf,
    files: HashMap<String, ThreadState>,
    /// Since when the directory is missing that the files were in.
    missing_since: Option<Instant>,
    /// When the last of the missing files was missed.
    last_missing: Option<Instant>,
}

/// What became of the directory of a store.
pub(super) enum Presence {
    /// It is there, or was never there.
    There,
    /// It is there again.
    Back,
    /// It is missing, perhaps only for a moment, or because the whole workspace is being removed.
    Missing,
    /// It was missing for too long, with this number of threads that are asked for. They are forgotten.
    Gone(usize),
}

enum What {
    Reviews(ReviewStore),
    Checkpoints(CheckpointStore, CheckpointFileKind),
}

/// What threads are judged by.
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
    fn passing(&self, mut rows: Vec<ThreadRow>) -> HashSet<String> {
        retain(self.workspace, self.env, self.filter, &mut rows);
        rows.into_iter().map(|row| row.file).collect()
    }
}

/// What a look at a file gave.
pub(super) enum ReadOutcome {
    /// What happened to the thread, if anything.
    Told(Vec<ThreadEvent>),
    /// The file is gone or makes no sense, perhaps because a program is rewriting it, or its branch is not known yet.
    Unsettled,
}

impl StoreSnapshot {
    /// Returns the directories of a workspace whose threads can pass; nothing is read yet.
    pub(super) fn all(workspace: &Workspace, filter: &Filter) -> Vec<Self> {
        let (reviews, checkpoints) = (&workspace.reviews, &workspace.checkpoints);
        let mut all = Vec::new();
        if filter.wants(Kind::Review) {
            all.push(Self::new(reviews.threads(), What::Reviews(reviews.clone())));
        }
        if filter.wants(Kind::Checkpoint) {
            let of = |form| What::Checkpoints(checkpoints.clone(), form);
            all.push(Self::new(checkpoints.threads(), of(CheckpointFileKind::Thread)));
            all.push(Self::new(checkpoints.legacy(), of(CheckpointFileKind::Legacy)));
        }
        all
    }

    fn new(dir: PathBuf, what: What) -> Self {
        Self { what, dir, files: HashMap::new(), missing_since: None, last_missing: None }
    }

    /// Returns the kind of the threads.
    pub(super) fn kind(&self) -> Kind {
        match self.what {
            What::Reviews(_) => Kind::Review,
            What::Checkpoints(..) => Kind::Checkpoint,
        }
    }

    /// Returns how many threads there are that are asked for.
    pub(super) fn count(&self) -> usize {
        self.files.values().filter(|seen| seen.passes).count()
    }

    /// Returns what became of the directory.
    pub(super) fn presence(&mut self) -> Presence {
        if self.files.is_empty() || self.dir.is_dir() {
            let was_missing = self.missing_since.take().is_some();
            return if was_missing { Presence::Back } else { Presence::There };
        }
        let since = *self.missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() < ROOT_TIMEOUT {
            return Presence::Missing;
        }
        let count = self.count();
        self.files.clear();
        self.missing_since = None;
        Presence::Gone(count)
    }

    /// Returns whether the directory was missing when it was last looked at.
    pub(super) fn is_missing(&self) -> bool {
        self.missing_since.is_some()
    }

    /// Reads every file, and tells nobody.
    pub(super) fn learn(&mut self, judge: &EventContext<'_>) {
        let options = self.options();
        // What is written after this look is seen by the next one.
        let before = list_files(&self.dir, &options).unwrap_or_default();
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            let said = self.parse(name, chunk.bytes, judge, Depth::Summary);
            let (seen, usable) = (said.seen(), said.row.usable);
            let row = (seen.passes && self.needs_more(judge)).then_some(said.row);
            let known = (name.to_owned(), seen, row);
            if usable { Visit::Done(known) } else { Visit::Broken(known) }
        };
        let Ok(mut found) = scan(&self.dir, &options, &visit) else { return };
        let rows = found.values.iter_mut().filter_map(|(_, _, row)| row.take()).collect();
        let passing = judge.passing(rows);
        let known = |(name, mut seen, _): (String, ThreadState, _)| {
            if self.needs_more(judge) {
                seen.passes = passing.contains(&self.dir.join(&name).display().to_string());
            }
            (name, seen)
        };
        let mut files: HashMap<String, ThreadState> = found.values.into_iter().map(known).collect();
        for odd in found.unreadable {
            if let Some(name) = odd.name.to_str() {
                let said = self.unreadable(name, &odd.source);
                files.insert(name.to_owned(), said.seen());
            }
        }
        files.retain(|name, _| !self.is_hidden(name));
        for (name, trace) in before.iter() {
            if let Some(seen) = files.get_mut(name) {
                seen.trace = trace.filter(Trace::is_settled);
            }
        }
        self.files = files;
    }

    /// Returns the names of files that may have changed since they were last read.
    pub(super) fn suspects(&mut self) -> Vec<String> {
        // A directory that cannot be listed tells nothing; perhaps it can be the next time.
        let Ok(walk) = list_files(&self.dir, &self.options()) else { return Vec::new() };
        let mut suspects = Vec::new();
        let mut there = 0;
        for (name, trace) in walk.iter() {
            let Some(seen) = self.files.get_mut(name) else {
                suspects.push(name.to_owned());
                continue;
            };
            there += 1;
            if seen.trace.is_none() || seen.trace != trace {
                seen.trace = trace.filter(Trace::is_settled);
                suspects.push(name.to_owned());
            }
        }
        if there < self.files.len() {
            let names: HashSet<&str> = walk.iter().map(|(name, _)| name).collect();
            suspects
                .extend(self.files.keys().filter(|name| !names.contains(name.as_str())).cloned());
        }
        suspects
    }

    /// Reads a file again and tells what happened since the change was noticed.
    pub(super) fn look(
        &mut self,
        name: &str,
        judge: &EventContext<'_>,
        since: Instant,
    ) -> ReadOutcome {
        let patient = since.elapsed() < HALF_WRITTEN_GRACE;
        let seen = self.files.get(name);
        let said = match read(&self.dir.join(name)) {
            _ if self.is_hidden(name) => return ReadOutcome::Told(Vec::new()),
            Ok(snapshot) => self.parse(name, &snapshot.bytes, judge, Depth::Full),
            Err(ReadError::NotFound { .. }) if seen.is_none() => {
                return ReadOutcome::Told(Vec::new());
            }
            Err(ReadError::NotFound { .. }) => {
                // A file whose directory is gone as well was not deleted by itself.
                let is_early = self.may_be_unfinished(since)
                    || !self.dir.is_dir()
                    || judge.roots.missing().is_some();
                return match is_early {
                    true => ReadOutcome::Unsettled,
                    false => ReadOutcome::Told(self.forget(name, judge.now)),
                };
            }
            Err(error) => self.unreadable(name, &error.reason()),
        };
        if patient && !said.row.usable && seen.is_none_or(ThreadState::is_usable) {
            return ReadOutcome::Unsettled;
        }
        let mut now = said.seen();
        if now.passes && self.needs_more(judge) {
            now.passes = !judge.passing(vec![said.row.clone()]).is_empty();
            // The branch of a thread is written a moment after its file.
            if patient && seen.is_none() && !now.passes && judge.filter.branch.is_some() {
                return ReadOutcome::Unsettled;
            }
        }
        now.trace = seen.and_then(|seen| seen.trace);
        let events = match seen {
            Some(seen) => said.since(seen, judge.now),
            None => vec![said.news(judge.now)],
        };
        let is_wanted = now.passes;
        if !events.is_empty() {
            // What was read may be newer than the look that the trace is from.
            now.trace = None;
        }
        self.files.insert(name.to_owned(), now);
        ReadOutcome::Told(if is_wanted { events } else { Vec::new() })
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
        matches!(self.what, What::Checkpoints(_, CheckpointFileKind::Thread))
    }

    /// Tells who has taken a checkpoint, or that it is free again.
    ///
    /// The end of the work, which frees it as well, is an event of its own.
    pub(super) fn holder_event(
        &self,
        id: &str,
        holder: Option<&ResumeLockHolder>,
        states: &States,
        judge: &EventContext<'_>,
    ) -> Option<ThreadEvent> {
        let path = self.dir.join(format!("{id}.json"));
        let bytes = read(&path).ok()?.bytes;
        let mut row =
            checkpoint::row(&bytes, id, path.display().to_string(), CheckpointFileKind::Thread);
        states.mark(&mut row);
        let has_ended = matches!(&row.detail, RowDetail::Checkpoint(detail) if detail.is_over);
        if has_ended
            || !checkpoint::is_wanted(&row, &bytes, CheckpointFileKind::Thread, judge.filter)
        {
            return None;
        }
        let name = if holder.is_some() { "taken" } else { "released" };
        let by = holder.and_then(|holder| holder.by.clone().or_else(|| holder.session_id.clone()));
        Some(ThreadEvent { by, ..ThreadEvent::new(name, &row, judge.now) })
    }

    fn forget(&mut self, name: &str, now: Time) -> Vec<ThreadEvent> {
        let Some(seen) = self.files.remove(name).filter(|seen| seen.passes) else {
            return Vec::new();
        };
        let id = stem(Path::new(name));
        // The event of the full checkpoint tells of it.
        if matches!(&self.what, What::Checkpoints(all, CheckpointFileKind::Thread) if became_full(all, &id, now))
        {
            return Vec::new();
        }
        let archived = self.archived(name);
        let what = if archived.is_some() { "archived" } else { "deleted" };
        let path = archived.unwrap_or_else(|| self.dir.join(name));
        let file = path.display().to_string();
        vec![seen.gone(what, self.kind(), &id, file, now)]
    }

    /// Returns where a checkpoint is that was put away.
    fn archived(&self, name: &str) -> Option<PathBuf> {
        let What::Checkpoints(checkpoints, _) = &self.what else { return None };
        let months = checkpoints.archive().read_dir().ok()?.filter_map(Result::ok);
        months.map(|month| month.path().join(name)).find(|path| path.is_file())
    }

    /// Returns whether a thread stands in the place of a file.
    fn is_hidden(&self, name: &str) -> bool {
        match &self.what {
            What::Checkpoints(checkpoints, CheckpointFileKind::Legacy) => {
                checkpoints.replaces_legacy(&stem(Path::new(name)))
            }
            _ => false,
        }
    }

    /// Returns whether the files of the threads do not decide all that is asked.
    fn needs_more(&self, judge: &EventContext<'_>) -> bool {
        self.kind() == Kind::Review && judge.filter.asks_beyond_review_file()
    }

    fn options(&self) -> ScanOptions<'static> {
        match &self.what {
            What::Checkpoints(checkpoints, form) => checkpoint::scanning(checkpoints, *form).1,
            What::Reviews(_) => ScanOptions {
                suffix: ".md",
                keep: |name| !name.starts_with('.'),
                first: FIRST_READ_BYTES,
                threads: None,
            },
        }
    }

    /// Reads a thread; what its comments say only where all is asked for.
    fn parse(
        &self,
        name: &str,
        bytes: &[u8],
        judge: &EventContext<'_>,
        depth: Depth,
    ) -> ThreadContent {
        let path = self.dir.join(name);
        let (stem, file) = (stem(&path), path.display().to_string());
        let hash = hash(bytes);
        match &self.what {
            What::Reviews(reviews) => {
                let of = (reviews, judge.settings);
                let row = review::gist(bytes, &stem, file, of);
                let passes =
                    !judge.filter.asks() || review::passes(bytes, name, &judge.of_review_file, of);
                let comments = match depth {
                    Depth::Full => comments(bytes, &stem, reviews),
                    Depth::Summary => Vec::new(),
                };
                ThreadContent { row, hash, comments, steps: Vec::new(), passes }
            }
            What::Checkpoints(_, form) => {
                let row = checkpoint::row(bytes, &stem, file, *form);
                let passes = checkpoint::is_wanted(&row, bytes, *form, judge.filter);
                let (doc, _) = CheckpointDoc::parse(bytes.to_vec(), &stem, *form);
                let steps = doc.steps().into_iter().map(|step| Step {
                    id: redacted(step.id),
                    text: redacted(step.step),
                    status: redacted(step.status.as_str().to_owned()),
                    by: step.closed_by.map(redacted),
                });
                ThreadContent { row, hash, comments: Vec::new(), steps: steps.collect(), passes }
            }
        }
    }

    fn unreadable(&self, name: &str, why: &dyn std::fmt::Display) -> ThreadContent {
        let row: ThreadRow = unreadable(self.kind(), &self.dir.join(name), why);
        let hash = hash(row.diagnostics.first().map(|diag| &diag.message));
        ThreadContent { row, hash, comments: Vec::new(), steps: Vec::new(), passes: true }
    }
}

fn comments(bytes: &[u8], stem: &str, reviews: &ReviewStore) -> Vec<Comment> {
    let (doc, _) = ReviewDoc::parse(bytes.to_vec(), stem, &reviews.store_path);
    let comments = doc.comments().into_iter();
    comments.map(|one| Comment { author: one.author, body: one.body }).collect()
}
