//! What belongs together: files with the threads on them, and with the checkpoints that touched them; commits and
//! sessions with their checkpoints.
//!
//! [`Ties`] keeps the checkpoints in memory, and [`Links`] is computed from them and from the threads of a desk, once for each
//! change: [`LastLinks`] gives the same ones as long as neither is another.

mod tie;
mod ties;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::desk::Threads;
use crate::discover::Workspace;
use crate::env::Env;
use crate::view::View;
use tie::Roots;

pub use tie::Tie;
pub use ties::Ties;

/// The fewest digits by which a commit is known.
const DIGITS: usize = 7;

/// What belongs together; paths count from the root of the reviews.
#[derive(Debug, Default)]
pub struct Links {
    threads: HashMap<String, Vec<Arc<View>>>,
    files: HashMap<String, Vec<Arc<Tie>>>,
    commits: HashMap<String, Vec<Arc<Tie>>>,
    sessions: HashMap<String, Vec<Arc<Tie>>>,
}

impl Links {
    /// Connects threads and checkpoints; the latter come in the order in which they are given.
    pub fn new(threads: &Threads, ties: &[Arc<Tie>], workspace: &Workspace, env: &Env) -> Self {
        let mut links = Self::default();
        for view in threads.views.iter().filter(|view| is_open(view)) {
            if let Some(path) = view.path() {
                links.threads.entry(path.to_owned()).or_default().push(view.clone());
            }
        }
        let roots = Roots::new(workspace, env);
        for tie in ties {
            for path in tie.files.iter().flat_map(|file| roots.below(file)) {
                put(&mut links.files, path, tie);
            }
            for commit in tie.commits.iter().filter_map(|commit| short(commit)) {
                put(&mut links.commits, commit, tie);
            }
            if let Some(session) = &tie.session {
                put(&mut links.sessions, session.clone(), tie);
            }
        }
        links
    }

    /// Returns the open threads on a file.
    pub fn threads_on(&self, path: &str) -> &[Arc<View>] {
        self.threads.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the checkpoints that touched a file.
    pub fn touched(&self, path: &str) -> &[Arc<Tie>] {
        self.files.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the checkpoints that made a commit, of which at least seven digits are given.
    pub fn made(&self, commit: &str) -> &[Arc<Tie>] {
        let key = short(commit);
        key.and_then(|key| self.commits.get(&key)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the checkpoints of an agent's session.
    pub fn of_session(&self, id: &str) -> &[Arc<Tie>] {
        self.sessions.get(id).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The last links; the same ones are given as long as nothing changed.
#[derive(Default)]
pub struct LastLinks(Mutex<Option<Made>>);

/// Links, and what they were made from.
struct Made {
    threads: Arc<Threads>,
    ties: Arc<Vec<Arc<Tie>>>,
    links: Arc<Links>,
}

impl LastLinks {
    /// Returns the links of some threads and checkpoints.
    pub fn of(
        &self,
        threads: Arc<Threads>,
        ties: Arc<Vec<Arc<Tie>>>,
        workspace: &Workspace,
        env: &Env,
    ) -> Arc<Links> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |made: &&Made| Arc::ptr_eq(&made.threads, &threads) && Arc::ptr_eq(&made.ties, &ties);
        if let Some(made) = last.as_ref().filter(is_same) {
            return made.links.clone();
        }
        let links = Arc::new(Links::new(&threads, &ties, workspace, env));
        *last = Some(Made { threads, ties, links: links.clone() });
        links
    }
}

fn is_open(view: &View) -> bool {
    view.row.usable && view.row.status.as_deref() == Some("open")
}

/// Adds a checkpoint to a list, where it is not there already.
fn put(map: &mut HashMap<String, Vec<Arc<Tie>>>, key: String, tie: &Arc<Tie>) {
    let all = map.entry(key).or_default();
    if !all.last().is_some_and(|last| Arc::ptr_eq(last, tie)) {
        all.push(tie.clone());
    }
}

/// Returns the first digits of a commit as written, which may go on with what it says.
fn short(commit: &str) -> Option<String> {
    let digits = commit.bytes().take_while(u8::is_ascii_hexdigit).count();
    commit.get(..DIGITS).filter(|_| digits >= DIGITS).map(str::to_ascii_lowercase)
}
