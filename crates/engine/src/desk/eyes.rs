//! Notices that something was written.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use skein_store::{Change, Kind, Target, Waker, Watch, watch};

/// Writes that follow each other more closely are one.
const QUIET: Duration = Duration::from_millis(10);

/// A watch on directories, as far as the system grants it.
#[derive(Default)]
pub(crate) struct Eyes {
    watch: Option<Watch>,
    aimed: BTreeSet<(Kind, PathBuf)>,
    /// Whether some directories are not watched.
    pub(crate) is_blind: bool,
}

/// What a rest ended with.
pub(crate) enum Rest {
    /// These files changed; none where somebody only wanted to be heard.
    Changes(Vec<Change>),
    /// Nothing changed that is watched.
    Nothing,
    /// The watch failed.
    Lost,
}

impl Eyes {
    /// Watches these directories; returns whether some of them were not watched before.
    pub(crate) fn aim(&mut self, targets: Vec<Target>) -> bool {
        let wanted: BTreeSet<_> =
            targets.iter().map(|target| (target.kind, target.dir.clone())).collect();
        if wanted == self.aimed && self.watch.is_some() {
            return false;
        }
        let is_more = !wanted.is_subset(&self.aimed);
        self.aimed = wanted;
        let done = match &mut self.watch {
            Some(watch) => watch.set(targets).map_err(|_| Vec::new()),
            None => {
                watch(targets.clone(), QUIET).map(|new| self.watch = Some(new)).map_err(|_| targets)
            }
        };
        self.is_blind = done.is_err();
        if let Err(mut targets) = done
            && self.watch.is_none()
        {
            // The few that matter most may still be granted.
            targets.retain(|target| target.kind != Kind::Source);
            self.watch = watch(targets, QUIET).ok();
        }
        is_more
    }

    /// Watches one more folder of files under review.
    pub(crate) fn add(&mut self, targets: Vec<Target>) {
        self.aimed.extend(targets.iter().map(|target| (target.kind, target.dir.clone())));
        let done = self.watch.as_mut().map(|watch| watch.add(targets));
        self.is_blind |= !matches!(done, Some(Ok(())));
    }

    /// Returns what ends a rest from another thread; none where nothing is watched.
    pub(crate) fn waker(&self) -> Option<Waker> {
        self.watch.as_ref().map(Watch::waker)
    }

    /// Returns after some time, or when something was written, or when somebody wakes us.
    pub(crate) fn rest(&mut self, time: Duration) -> Rest {
        match self.watch.as_mut().map(|watch| watch.recv(time)) {
            Some(Ok(Some(changes))) => Rest::Changes(changes),
            Some(Ok(None)) => Rest::Nothing,
            Some(Err(_)) => {
                self.watch = None;
                Rest::Lost
            }
            None => {
                std::thread::park_timeout(time);
                Rest::Nothing
            }
        }
    }
}
