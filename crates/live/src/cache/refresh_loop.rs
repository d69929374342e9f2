//! The thread that keeps a live workspace up to date.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use skein_store::{DirWatcher, WaitOutcome};
use skein_workspace::Workspace;

use super::change_set::ChangeSet;
use super::folders::Folders;
use super::shared_state::SharedState;
use super::targets::{self, WatchedFile};

/// Delay before an unusable file is read again.
const RETRY_DELAY: Duration = Duration::from_millis(20);
/// Idle time before lost code is searched for.
const SETTLE_DELAY: Duration = Duration::from_millis(150);
/// Duration of one step of the search for lost code, which delays other changes.
const SEARCH_STEP: Duration = Duration::from_millis(25);

/// The state of the watching thread.
pub(super) struct RefreshLoop {
    shared: Arc<SharedState>,
    watcher: DirWatcher<WatchedFile>,
    folders: Folders,
    workspace: Arc<Workspace>,
    last_check: Instant,
    last_change: Instant,
}

impl RefreshLoop {
    pub(super) fn new(shared: Arc<SharedState>) -> Self {
        let workspace = shared.workspace();
        let (last_check, last_change) = (Instant::now(), Instant::now());
        let watcher = DirWatcher::with_counter(shared.changes.clone());
        let folders = Folders::default();
        Self { shared, watcher, folders, workspace, last_check, last_change }
    }

    /// Applies changes until the live workspace is closed.
    pub(super) fn run(mut self) {
        self.watch_targets();
        drop(self.shared.threads());
        self.shared.must_retarget.store(true, Ordering::Relaxed);
        // Changes before the watch began were not reported.
        self.check_all(true);
        while !self.shared.closed.load(Ordering::Relaxed) {
            self.retarget();
            let nap = self.nap();
            match self.watcher.wait(nap) {
                WaitOutcome::Changes(changes) if changes.is_empty() => {}
                WaitOutcome::Changes(changes) => {
                    self.apply(ChangeSet::from_changes(&changes, &self.workspace));
                }
                WaitOutcome::Nothing => self.idle(),
                WaitOutcome::Lost => {
                    self.watch_targets();
                    self.check_all(true);
                }
            }
        }
        self.shared.save();
    }

    /// Watches what is requested now.
    fn retarget(&mut self) {
        let workspace = self.shared.workspace();
        if !Arc::ptr_eq(&workspace, &self.workspace) {
            self.workspace = workspace;
            self.folders = Folders::default();
            self.shared.must_retarget.store(true, Ordering::Relaxed);
        }
        if !self.shared.must_retarget.swap(false, Ordering::Relaxed) {
            return;
        }
        let mut is_more = false;
        loop {
            if self.shared.wants_folders() {
                self.folders.list(&self.workspace);
            }
            if !self.watch_targets() {
                break;
            }
            is_more = true;
            // Folders or the rules of git may have changed before the watch began.
            self.folders = Folders::default();
        }
        if is_more {
            self.check_all(true);
        }
    }

    /// Watches what matters; returns whether that is more than before.
    fn watch_targets(&mut self) -> bool {
        let (workspace, shared) = (self.workspace.clone(), self.shared.clone());
        let mut all = targets::core(&workspace);
        let mut folders = shared.folders();
        let listed = self.folders.listed().cloned().unwrap_or_default();
        folders.retain(|folder| !listed.contains(folder));
        let folders = self.folders.wanted(&workspace, &folders);
        let root = &workspace.reviews.root;
        all.extend(targets::sources(root, listed.iter().chain(&folders)));
        let is_more = self.watcher.set_targets(all);
        shared.set_waker(self.watcher.waker());
        shared.is_watched.store(!self.watcher.is_polling(), Ordering::SeqCst);
        is_more
    }

    fn nap(&self) -> Duration {
        let mut nap = self.watcher.rescan_interval().saturating_sub(self.last_check.elapsed());
        let (unsettled, lost) = self.shared.is_waiting();
        if unsettled {
            nap = nap.min(RETRY_DELAY);
        }
        if lost {
            nap = nap.min(SETTLE_DELAY.saturating_sub(self.last_change.elapsed()));
        }
        self.shared.until_claim_ends().map_or(nap, |left| nap.min(left))
    }

    /// Does what is due when nothing happens.
    fn idle(&mut self) {
        let (unsettled, lost) = self.shared.is_waiting();
        if self.last_check.elapsed() >= self.watcher.rescan_interval() {
            self.check_all(self.watcher.is_polling());
        } else if unsettled || self.shared.until_claim_ends().is_some_and(|left| left.is_zero()) {
            self.apply(ChangeSet::default());
        } else if lost && self.last_change.elapsed() >= SETTLE_DELAY {
            self.shared.search_lost_code(SEARCH_STEP);
        } else {
            self.shared.save();
        }
    }

    /// Checks for unreported changes; with `any_source`, in every file of the diffs too.
    fn check_all(&mut self, any_source: bool) {
        self.last_check = Instant::now();
        if !self.shared.is_read_only {
            // What an agent in a sandbox wrote is reported when it gets to the store.
            drop(skein_checkpoints::catch_up(&self.shared.workspace()));
        }
        let mut change_set = self.shared.poll();
        (change_set.any_source, change_set.others) = (any_source, any_source);
        (change_set.any_checkpoint, change_set.sessions) = (true, true);
        self.apply(change_set);
    }

    fn apply(&mut self, mut change_set: ChangeSet) {
        self.last_change = Instant::now();
        if change_set.rules || change_set.any_folder {
            self.folders = Folders::default();
        }
        let found = std::mem::take(&mut change_set.folders);
        self.watch_new_folders(found, &mut change_set.sources);
        if change_set.refs || change_set.rules || change_set.any_folder {
            self.shared.must_retarget.store(true, Ordering::Relaxed);
        }
        let (folders, workspace) = (&mut self.folders, &self.workspace);
        self.shared.apply_changes(change_set, &mut |paths| folders.wanted(workspace, paths));
    }

    /// Watches folders that came into being, and those in them; finds the files that are there already.
    fn watch_new_folders(&mut self, mut next: BTreeSet<String>, files: &mut BTreeSet<String>) {
        let workspace = self.workspace.clone();
        let root = &workspace.reviews.root;
        while !next.is_empty() {
            let mut wanted = self.folders.wanted(&workspace, &next);
            // A nested repository is not part of this one.
            wanted.retain(|folder| root.join(folder).join(".git").symlink_metadata().is_err());
            let fresh = self.folders.add(wanted);
            // The watch begins before the folder is listed, so that no change is missed.
            self.watcher.add_targets(targets::sources(root, &fresh));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::{self, File};
    use std::io::Write as _;
    use std::path::Path;

    use skein_format::time::Time;
    use skein_store::{ChangeKind, Dirs};

    use super::targets::WatchChange;

    use super::*;
    use skein_review::{AddOptions, ChangesQuery, CodeLocation, NewThread, add};
    use skein_workspace::Actor;
    use skein_workspace::discover;
    use skein_workspace::{Clock, Env, IdGenerator};

    fn env(dir: &Path) -> Env {
        Env {
            dir: dir.join("w"),
            home: None,
            config_home: None,
            dirs: Dirs::new(dir.join("state"), dir.join("cache")),
            variables: BTreeMap::new(),
            users: vec![skein_store::current_user()],
            fs: Arc::new(skein_store::RealFs),
            clock: Clock::new(|| Time::from_millis(1_000_000)),
            ids: IdGenerator::seeded("test"),
        }
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::options().write(true).create(true).truncate(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Returns the refresh loop of a repository with a review thread on the second line of a file.
    ///
    /// No background thread runs the loop.
    fn refresh_loop(dir: &Path) -> RefreshLoop {
        write(&dir.join("w/a.rs"), "fn one() {}\nfn two() {}\nfn three() {}\n");
        skein_git::init(&dir.join("w"), "main").unwrap();
        let (name, email, date) = ("A", "a@b.c", "2026-01-01T09:00:00Z");
        let commit = skein_git::CommitAs { name, email, date, message: "begin" };
        skein_git::commit_all(&dir.join("w"), &commit).unwrap();
        let env = env(dir);
        let workspace = discover(&env);
        let thread = NewThread {
            place: CodeLocation::parse(&workspace, "a.rs:2").unwrap(),
            body: "why".to_owned(),
            suggestion: None,
            expect: None,
        };
        let actor = Actor { name: "Mira".to_owned(), agent: false };
        let options = AddOptions { draft: false, changed_only: false };
        add(&workspace, &actor, &[thread], options).unwrap();
        let watching = RefreshLoop::new(Arc::new(SharedState::new(&env, false)));
        assert_eq!(shown(&watching), "why a.rs:2 | ");
        watching
    }

    fn shown(watching: &RefreshLoop) -> String {
        let threads = watching.shared.threads();
        let views = threads.views.iter().map(|view| match &view.row.detail {
            skein_model::view::RowDetail::Review(detail) => {
                format!("{} {}", view.row.title, detail.at.as_deref().unwrap_or("nowhere"))
            }
            _ => String::new(),
        });
        let views: Vec<String> = views.collect();
        let diff = watching.shared.changes(&ChangesQuery::default()).unwrap();
        let files: Vec<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
        format!("{} | {}", views.join(", "), files.join(", "))
    }

    /// Changes a file under review, adds another one, and edits the thread.
    fn change(dir: &Path) {
        write(&dir.join("w/a.rs"), "// more\nfn one() {}\nfn two() {}\nfn three() {}\n");
        write(&dir.join("w/new/b.rs"), "b\n");
        let threads = dir.join("w/.code-review/threads");
        let path = threads.read_dir().unwrap().next().unwrap().unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        write(&path, &text.replace("why", "because"));
    }

    const AFTER: &str = "because a.rs:3 | a.rs, new/b.rs";

    #[test]
    fn files_are_polled_where_nothing_is_watched() {
        let dir = tempfile::tempdir().unwrap();
        let mut watching = refresh_loop(dir.path());
        let before = watching.shared.log.last();
        change(dir.path());
        assert_eq!(shown(&watching), "why a.rs:2 | ");
        assert!(watching.watcher.is_polling());
        watching.last_check =
            Instant::now().checked_sub(watching.watcher.rescan_interval()).unwrap();
        watching.idle();
        assert_eq!(shown(&watching), AFTER);
        let events = watching.shared.log.after(before, Duration::ZERO);
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].files, ["a.rs", "new/b.rs"]);
        assert_eq!(events[0].threads.len(), 1);
        watching.check_all(true);
        assert_eq!(watching.shared.log.after(before, Duration::ZERO).len(), 1);
    }

    #[test]
    fn a_change_after_a_reader_starts_to_listen_has_an_event() {
        let dir = tempfile::tempdir().unwrap();
        drop(refresh_loop(dir.path()));
        let [old, new] = ["old", "new"].map(|slug| format!("T-20260101-090000-{slug}"));
        let file = |id: &str| dir.path().join(format!("w/workspace/threads/{id}.json"));
        write(&file(&old), "{}");
        let map = dir.path().join("home/.config/opencode/mattermost-threads.json");
        write(&map, "{}");
        let env = Env { home: Some(dir.path().join("home")), ..env(dir.path()) };
        let mut watching = RefreshLoop::new(Arc::new(SharedState::new(&env, false)));
        let before = watching.shared.listen();
        change(dir.path());
        write(&file(&new), "{}");
        write(&map, "{\"version\": 1}");
        watching.check_all(true);
        let events = watching.shared.log.after(before, Duration::ZERO);
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].threads.len(), 1);
        assert_eq!(events[0].checkpoints, [new]);
        assert!(events[0].sessions);
    }

    #[test]
    fn everything_is_read_again_after_lost_watch_events() {
        let dir = tempfile::tempdir().unwrap();
        let mut watching = refresh_loop(dir.path());
        change(dir.path());
        let tags = [
            WatchedFile::Review,
            WatchedFile::Source,
            WatchedFile::Repository,
            WatchedFile::Settings,
        ];
        let path = dir.path().join("w");
        let kind = ChangeKind::Rescan;
        let lost = tags.map(|tag| WatchChange { tag, path: path.clone(), kind });
        watching.apply(ChangeSet::from_changes(&lost, &watching.workspace));
        assert_eq!(shown(&watching), AFTER);
    }
}
