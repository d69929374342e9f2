//! The thread that keeps a desk current.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::eyes::{Eyes, Rest};
use super::folders::Folders;
use super::news::{News, Places};
use super::shared::Shared;
use super::targets;
use crate::discover::Workspace;
use crate::review::draft;

/// The system may lose a report of a change, so that one looks now and then.
const RECHECK: Duration = Duration::from_secs(5);
/// Where the system grants no watch, one looks so often.
const BLIND: Duration = Duration::from_secs(1);
/// A file that made no sense is read again after so long.
const UNSETTLED: Duration = Duration::from_millis(20);
/// Code that left its file is looked for when nothing has happened for so long.
const CALM: Duration = Duration::from_millis(150);
/// It is looked for in steps, so that whatever happens meanwhile has to wait no longer than this.
const STEP: Duration = Duration::from_millis(25);

/// What the thread knows besides what all know.
pub(super) struct Watching {
    shared: Arc<Shared>,
    eyes: Eyes,
    folders: Folders,
    workspace: Arc<Workspace>,
    places: Places,
    looked: Instant,
    calm: Instant,
}

impl Watching {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let workspace = shared.workspace();
        let places = Places::new(&workspace, draft::dir(&workspace, &shared.env));
        let (looked, calm) = (Instant::now(), Instant::now());
        let (eyes, folders) = (Eyes::default(), Folders::default());
        Self { shared, eyes, folders, workspace, places, looked, calm }
    }

    /// Takes in what changes until the desk is closed.
    pub(super) fn run(mut self) {
        self.aim();
        drop(self.shared.threads());
        self.shared.turned.store(true, Ordering::Relaxed);
        // What happened before the watch began was told by nobody.
        self.look(true);
        while !self.shared.closed.load(Ordering::Relaxed) {
            self.turn();
            let nap = self.nap();
            match self.eyes.rest(nap) {
                Rest::Changes(changes) if changes.is_empty() => {}
                Rest::Changes(changes) => {
                    let news = News::of(changes, &self.places);
                    self.take_in(news);
                }
                Rest::Nothing => self.idle(),
                Rest::Lost => {
                    self.aim();
                    self.look(true);
                }
            }
        }
        self.shared.save();
    }

    /// Turns to what is asked for by now.
    fn turn(&mut self) {
        let workspace = self.shared.workspace();
        if !Arc::ptr_eq(&workspace, &self.workspace) {
            self.places = Places::new(&workspace, draft::dir(&workspace, &self.shared.env));
            self.workspace = workspace;
            self.folders = Folders::default();
            self.shared.turned.store(true, Ordering::Relaxed);
        }
        if !self.shared.turned.swap(false, Ordering::Relaxed) {
            return;
        }
        let wants_folders = self.shared.wants_folders();
        if wants_folders {
            self.folders.list(&self.workspace);
        }
        let is_more = self.aim();
        // Which folders there are may have changed before the watch began, too.
        while is_more && wants_folders {
            let before = std::mem::take(&mut self.folders);
            self.folders.list(&self.workspace);
            if self.folders.listed() == before.listed() || !self.aim() {
                break;
            }
        }
        if is_more {
            self.look(true);
        }
    }

    /// Watches what matters; returns whether that is more than before.
    fn aim(&mut self) -> bool {
        let (workspace, shared) = (self.workspace.clone(), self.shared.clone());
        let mut all = targets::core(&workspace, &shared.env);
        let mut folders = shared.folders(self.folders.listed().is_none());
        let listed = self.folders.listed().cloned().unwrap_or_default();
        folders.retain(|folder| !listed.contains(folder));
        let folders = self.folders.wanted(&workspace, &folders);
        let root = &workspace.reviews.root;
        all.extend(targets::sources(root, listed.iter().chain(&folders)));
        let is_more = self.eyes.aim(all);
        shared.set_waker(self.eyes.waker());
        is_more
    }

    fn nap(&self) -> Duration {
        let recheck = if self.eyes.is_blind { BLIND } else { RECHECK };
        let mut nap = recheck.saturating_sub(self.looked.elapsed());
        let (unsettled, adrift) = self.shared.is_waiting();
        if unsettled {
            nap = nap.min(UNSETTLED);
        }
        if adrift {
            nap = nap.min(CALM.saturating_sub(self.calm.elapsed()));
        }
        nap
    }

    /// Does what is due when nothing happens.
    fn idle(&mut self) {
        let (unsettled, adrift) = self.shared.is_waiting();
        let recheck = if self.eyes.is_blind { BLIND } else { RECHECK };
        if self.looked.elapsed() >= recheck {
            self.look(self.eyes.is_blind);
        } else if unsettled {
            self.take_in(News::default());
        } else if adrift && self.calm.elapsed() >= CALM {
            self.shared.drift(STEP);
        } else {
            self.shared.save();
        }
    }

    /// Looks at what may have changed without being told; at every file of the diffs too, if that is asked for.
    fn look(&mut self, any_source: bool) {
        self.looked = Instant::now();
        let mut news = self.shared.glance();
        news.any_source = any_source;
        self.take_in(news);
    }

    fn take_in(&mut self, mut news: News) {
        self.calm = Instant::now();
        if news.rules || news.any_folder {
            self.folders = Folders::default();
        }
        let found = std::mem::take(&mut news.folders);
        self.grow(found, &mut news.sources);
        if news.refs || news.rules || news.any_folder {
            self.shared.turned.store(true, Ordering::Relaxed);
        }
        let (folders, workspace) = (&mut self.folders, &self.workspace);
        self.shared.take_in(news, &mut |paths| folders.wanted(workspace, paths));
    }

    /// Watches folders that came into being, and those in them; finds the files that are there already.
    fn grow(&mut self, mut next: BTreeSet<String>, files: &mut BTreeSet<String>) {
        let workspace = self.workspace.clone();
        let root = &workspace.reviews.root;
        while !next.is_empty() {
            let mut wanted = self.folders.wanted(&workspace, &next);
            // A repository of its own is none of this one's business.
            wanted.retain(|folder| root.join(folder).join(".git").symlink_metadata().is_err());
            let fresh = self.folders.add(wanted);
            // The watch comes before the look, so that nothing happens unseen between them.
            self.eyes.add(targets::sources(root, &fresh));
            next = BTreeSet::new();
            for folder in fresh {
                let entries = root.join(&folder).read_dir().into_iter().flatten();
                for entry in entries.filter_map(Result::ok) {
                    let Ok(name) = entry.file_name().into_string() else { continue };
                    let path = format!("{folder}/{name}");
                    match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        true => next.insert(path),
                        false => files.insert(path),
                    };
                }
            }
        }
    }
}
