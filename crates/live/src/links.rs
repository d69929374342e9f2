//! Links files to the threads on them and the checkpoints that touched them; commits and
//! sessions to their checkpoints.
//!
//! [`Links`] is computed from the threads and the checkpoints of a live workspace, once for each change: [`LinkCache`] returns the same
//! value as long as neither has changed.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use skein_model::normalize_path::lexical;
use skein_model::view::ThreadView;
use skein_workspace::Workspace;

use crate::cache::{CheckpointRefs, ThreadSnapshot, Timeline, TimelineEntry};

/// The fewest digits by which a commit is known.
const MIN_COMMIT_DIGITS: usize = 7;

/// Links by path; paths are relative to the root of the reviews.
#[derive(Debug, Default)]
pub struct Links {
    snapshot: Arc<ThreadSnapshot>,
    /// The open threads on each file.
    threads: HashMap<String, Vec<Arc<ThreadView>>>,
    work: Arc<Work>,
}

/// What belongs to checkpoints, which come in the order of the timeline.
#[derive(Debug, Default)]
struct Work {
    timeline: Arc<Timeline>,
    /// What the paths mean that they name.
    paths: HashMap<String, Vec<String>>,
    files: HashMap<String, Vec<Arc<TimelineEntry>>>,
    commits: HashMap<String, Vec<Arc<TimelineEntry>>>,
    sessions: HashMap<String, Vec<Arc<TimelineEntry>>>,
}

impl Work {
    fn new(timeline: Arc<Timeline>, workspace: &Workspace) -> Self {
        let mut work = Self::default();
        let roots = PathRoots::new(workspace);
        for entry in &timeline.entries {
            let CheckpointRefs { files, commits, session } = &entry.refs;
            for file in files {
                // Most files are touched many times.
                if !work.paths.contains_key(file) {
                    work.paths.insert(file.clone(), roots.below(file));
                }
                for path in work.paths.get(file).into_iter().flatten() {
                    put(&mut work.files, path, entry);
                }
            }
            for commit in commits.iter().filter_map(|commit| short(commit)) {
                put(&mut work.commits, &commit, entry);
            }
            if let Some(session) = session {
                put(&mut work.sessions, session, entry);
            }
        }
        Self { timeline, ..work }
    }
}

impl Links {
    fn new(snapshot: Arc<ThreadSnapshot>, work: Arc<Work>) -> Self {
        let mut threads: HashMap<_, Vec<_>> = HashMap::new();
        for view in snapshot.views.iter().filter(|view| is_open(view)) {
            if let Some(path) = view.path() {
                threads.entry(path.to_owned()).or_default().push(view.clone());
            }
        }
        Self { snapshot, threads, work }
    }

    /// Returns the paths that a path may mean as a checkpoint writes it.
    pub fn means(&self, written: &str) -> &[String] {
        self.work.paths.get(written).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the open threads on a file.
    pub fn threads_on(&self, path: &str) -> &[Arc<ThreadView>] {
        self.threads.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the checkpoints that touched a file.
    pub fn touched(&self, path: &str) -> &[Arc<TimelineEntry>] {
        self.work.files.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the checkpoints that made a commit, of which at least seven digits are given.
    pub fn made(&self, commit: &str) -> Vec<Arc<TimelineEntry>> {
        let all = short(commit).and_then(|key| self.work.commits.get(&key));
        let is_same = |made: &String| {
            digits(made).zip(digits(commit)).all(|(one, other)| one.eq_ignore_ascii_case(&other))
        };
        let made_it = |entry: &&Arc<TimelineEntry>| entry.refs.commits.iter().any(is_same);
        all.into_iter().flatten().filter(made_it).cloned().collect()
    }

    /// Returns the checkpoints of an agent's session.
    pub fn of_session(&self, id: &str) -> &[Arc<TimelineEntry>] {
        self.work.sessions.get(id).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The last links; the same ones are given as long as nothing changed.
#[derive(Default)]
pub struct LinkCache(Mutex<Option<Arc<Links>>>);

impl LinkCache {
    /// Returns the links of some threads and checkpoints.
    pub fn connect(
        &self,
        threads: Arc<ThreadSnapshot>,
        timeline: Arc<Timeline>,
        workspace: &Workspace,
    ) -> Arc<Links> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = last.as_ref().filter(|links| Arc::ptr_eq(&links.work.timeline, &timeline));
        if let Some(links) = same.filter(|links| Arc::ptr_eq(&links.snapshot, &threads)) {
            return links.clone();
        }
        // Threads change often, and the checkpoints are many.
        let work = same.map(|links| links.work.clone());
        let work = work.unwrap_or_else(|| Arc::new(Work::new(timeline, workspace)));
        last.insert(Arc::new(Links::new(threads, work))).clone()
    }
}

fn is_open(view: &ThreadView) -> bool {
    view.row.usable && view.row.status.as_deref() == Some("open")
}

/// Adds a checkpoint to a list, where it is not there already.
fn put(map: &mut HashMap<String, Vec<Arc<TimelineEntry>>>, key: &str, entry: &Arc<TimelineEntry>) {
    match map.get_mut(key) {
        Some(all) if all.last().is_some_and(|last| Arc::ptr_eq(last, entry)) => {}
        Some(all) => all.push(entry.clone()),
        None => drop(map.insert(key.to_owned(), vec![entry.clone()])),
    }
}

/// Returns the first digits of a commit as written.
fn short(commit: &str) -> Option<String> {
    let is_commit = digits(commit).count() >= MIN_COMMIT_DIGITS;
    commit.get(..MIN_COMMIT_DIGITS).filter(|_| is_commit).map(str::to_ascii_lowercase)
}

/// Returns the digits of a commit as written; a subject may follow.
fn digits(commit: &str) -> impl Iterator<Item = u8> {
    commit.bytes().take_while(u8::is_ascii_hexdigit)
}

/// What paths of checkpoints count from.
struct PathRoots {
    reviews: PathBuf,
    all: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl PathRoots {
    fn new(workspace: &Workspace) -> Self {
        let reviews = workspace.reviews.root.clone();
        let top = workspace.git.as_ref().and_then(|git| git.top.clone());
        let checkpoints = workspace.checkpoints.root.clone();
        let mut all: Vec<PathBuf> = top.into_iter().chain([checkpoints, reviews.clone()]).collect();
        all.dedup();
        Self { reviews, all, home: workspace.env.home.clone() }
    }

    /// Returns the paths from the root of the reviews that a path of a checkpoint may mean; none for one with `..`.
    fn below(&self, path: &str) -> Vec<String> {
        let expanded = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        };
        if expanded.components().any(|part| part == Component::ParentDir) {
            return Vec::new();
        }
        let below = |root: &PathBuf| {
            let whole = lexical(&root.join(&expanded));
            whole.strip_prefix(&self.reviews).ok().and_then(Path::to_str).map(str::to_owned)
        };
        let mut all: Vec<String> = self.all.iter().filter_map(below).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
