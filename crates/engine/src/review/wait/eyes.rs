//! Notices that something was written.

use std::path::PathBuf;
use std::time::Duration;

use skein_store::{Kind, Target, Watch, watch};

use crate::discover::Workspace;
use crate::env::Env;
use crate::review::draft;
use crate::review::round::{MARK, mark_dir};

/// Writes that follow each other more closely are one.
const QUIET: Duration = Duration::from_millis(20);
/// Where the system grants no watch, one looks so often.
const BLIND: Duration = Duration::from_secs(1);

/// A watch on the threads, the drafts and the mark of the last submit.
pub(super) struct Eyes {
    places: Vec<PathBuf>,
    watch: Option<Watch>,
}

impl Eyes {
    pub(super) fn open(workspace: &Workspace, env: &Env) -> Self {
        let places = places(workspace, env);
        let watch = start(&places);
        Self { places, watch }
    }

    /// Turns to where the threads are, if that has become another place.
    pub(super) fn follow(&mut self, workspace: &Workspace, env: &Env) {
        if places(workspace, env) != self.places {
            *self = Self::open(workspace, env);
        }
    }

    /// Returns after some time, or when something was written.
    pub(super) fn rest(&mut self, time: Duration) {
        match self.watch.as_mut().map(|watch| watch.recv(time)) {
            Some(Ok(_)) => {}
            Some(Err(_)) => self.watch = None,
            None => std::thread::sleep(time.min(BLIND)),
        }
    }
}

fn places(workspace: &Workspace, env: &Env) -> Vec<PathBuf> {
    vec![workspace.reviews.threads(), draft::dir(workspace, env), mark_dir(workspace, env)]
}

/// Starts the watch; none where the system grants none.
fn start(places: &[PathBuf]) -> Option<Watch> {
    let accepts: [fn(&str) -> bool; 3] =
        [|name| name.ends_with(".md"), |name| name.ends_with(".md"), |name| name == MARK];
    let targets = places.iter().zip(accepts).map(|(dir, accepts)| Target {
        dir: dir.clone(),
        kind: Kind::Review,
        accepts,
    });
    watch(targets.collect(), QUIET).ok()
}
