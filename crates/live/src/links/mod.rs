//! Links files to the threads on them and the checkpoints that touched them; commits and
//! sessions to their checkpoints.
//!
//! [`Links`] is computed from the threads and the checkpoints of a live workspace, once for each change: [`LinkCache`] gives the same ones
//! as long as neither is another.

mod roots;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use skein_model::view::ThreadView;
use skein_workspace::{Env, Workspace};

use crate::cache::{CheckpointRefs, ThreadSnapshot, Timeline, TimelineEntry};
use roots::PathRoots;

/// The fewest digits by which a commit is known.
const DIGITS: usize = 7;

/// Links by path; paths are relative to the root of the reviews.
#[derive(Debug, Default)]
pub struct Links {
    threads: HashMap<String, Vec<Arc<ThreadView>>>,
    work: Arc<Work>,
}

/// What belongs to checkpoints, which come in the order of the timeline.
#[derive(Debug, Default)]
struct Work {
    /// What the paths mean that they name.
    paths: HashMap<String, Vec<String>>,
    files: HashMap<String, Vec<Arc<TimelineEntry>>>,
    commits: HashMap<String, Vec<Arc<TimelineEntry>>>,
    sessions: HashMap<String, Vec<Arc<TimelineEntry>>>,
}

impl Work {
    fn new(timeline: &Timeline, workspace: &Workspace, env: &Env) -> Self {
        let mut work = Self::default();
        let roots = PathRoots::new(workspace, env);
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
        work
    }
}

impl Links {
    fn new(threads: &ThreadSnapshot, work: Arc<Work>) -> Self {
        let mut links = Self { work, ..Self::default() };
        for view in threads.views.iter().filter(|view| is_open(view)) {
            if let Some(path) = view.path() {
                links.threads.entry(path.to_owned()).or_default().push(view.clone());
            }
        }
        links
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
pub struct LinkCache(Mutex<Option<Made>>);

/// Links, and what they were made from.
struct Made {
    threads: Arc<ThreadSnapshot>,
    timeline: Arc<Timeline>,
    links: Arc<Links>,
}

impl LinkCache {
    /// Returns the links of some threads and checkpoints.
    pub fn connect(
        &self,
        threads: Arc<ThreadSnapshot>,
        timeline: Arc<Timeline>,
        workspace: &Workspace,
        env: &Env,
    ) -> Arc<Links> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = last.as_ref().filter(|made| Arc::ptr_eq(&made.timeline, &timeline));
        if let Some(made) = same.filter(|made| Arc::ptr_eq(&made.threads, &threads)) {
            return made.links.clone();
        }
        // Threads change often, and the checkpoints are many.
        let work = same.map(|made| made.links.work.clone());
        let work = work.unwrap_or_else(|| Arc::new(Work::new(&timeline, workspace, env)));
        let links = Arc::new(Links::new(&threads, work));
        *last = Some(Made { threads, timeline, links: links.clone() });
        links
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
    let is_commit = digits(commit).count() >= DIGITS;
    commit.get(..DIGITS).filter(|_| is_commit).map(str::to_ascii_lowercase)
}

/// Returns the digits of a commit as written; a subject may follow.
fn digits(commit: &str) -> impl Iterator<Item = u8> {
    commit.bytes().take_while(u8::is_ascii_hexdigit)
}
