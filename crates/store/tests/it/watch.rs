//! Changes are reported however they are made.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_store::{
    Change, ChangeCounter, ChangeKind, DirWatcher, RealFs, Revision, Target, WaitOutcome,
    create_new, lock, replace,
};

const BOUND: Duration = Duration::from_secs(5);

type Watcher = DirWatcher<char>;

fn target(dir: &Path, tag: char, accepts: fn(&str) -> bool) -> Target<char> {
    Target { dir: dir.to_owned(), tag, accepts, is_optional: false }
}

fn markdown(dir: &Path) -> Target<char> {
    target(dir, 'm', |name| name.ends_with(".md"))
}

fn watch(targets: Vec<Target<char>>) -> Watcher {
    let mut watcher = Watcher::default();
    assert!(watcher.set_targets(targets));
    assert!(!watcher.is_polling());
    watcher
}

fn start(dir: &Path) -> Watcher {
    watch(vec![markdown(dir)])
}

/// Collects reports until one of them contains this change, and returns all changes so far.
#[track_caller]
fn until(watch: &mut Watcher, path: &Path, kind: ChangeKind) -> Vec<Change<char>> {
    let deadline = Instant::now() + BOUND;
    let wanted = Change { tag: 'm', path: path.to_owned(), kind };
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        match watch.wait(Duration::from_millis(200)) {
            WaitOutcome::Changes(changes) => seen.extend(changes),
            WaitOutcome::Nothing => {}
            WaitOutcome::Lost => panic!("the watch failed"),
        }
        if seen.contains(&wanted) {
            return seen;
        }
    }
    panic!("{wanted:?} was not reported, only {seen:?}");
}

fn only_paths(changes: &[Change<char>], paths: &[PathBuf]) {
    assert!(changes.iter().all(|change| paths.contains(&change.path)), "{changes:?}");
}

#[test]
fn events_are_counted_before_they_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let counter = ChangeCounter::default();
    let mut watcher = Watcher::with_counter(counter.clone());
    watcher.set_targets(vec![markdown(dir.path())]);
    let deadline = Instant::now() + BOUND;
    fs::write(dir.path().join("other.txt"), "").unwrap();
    fs::write(dir.path().join("a.md"), "").unwrap();
    while counter.get() == 0 {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    until(&mut watcher, &dir.path().join("a.md"), ChangeKind::Written);
}

#[test]
fn saves_appends_and_removals_are_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    let mut watch = start(dir.path());

    fs::write(dir.path().join("a.md~"), "saved").unwrap();
    fs::rename(dir.path().join("a.md~"), &path).unwrap();
    let mut seen = until(&mut watch, &path, ChangeKind::Written);

    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(b"more").unwrap();
    // Seen although the program keeps the file open.
    seen.extend(until(&mut watch, &path, ChangeKind::Written));
    drop(file);

    fs::remove_file(&path).unwrap();
    seen.extend(until(&mut watch, &path, ChangeKind::Removed));
    only_paths(&seen, &[path]);
}

#[test]
fn our_own_writes_are_seen_without_their_temp_files() {
    let dir = tempfile::tempdir().unwrap();
    let (path, last) = (dir.path().join("a.md"), dir.path().join("z.md"));
    let mut watch = start(dir.path());
    let guard = lock(&RealFs, dir.path(), BOUND).unwrap();
    create_new(&RealFs, &guard, &path, b"one", 0o644).unwrap();
    let mut seen = until(&mut watch, &path, ChangeKind::Written);
    replace(&RealFs, &guard, &path, &Revision::from_bytes(b"one"), b"two").unwrap();
    seen.extend(until(&mut watch, &path, ChangeKind::Written));
    create_new(&RealFs, &guard, &last, b"end", 0o644).unwrap();
    seen.extend(until(&mut watch, &last, ChangeKind::Written));
    only_paths(&seen, &[path, last]);
}

#[test]
fn reading_is_not_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let (path, last) = (dir.path().join("a.md"), dir.path().join("z.md"));
    fs::write(&path, "a").unwrap();
    let mut watch = start(dir.path());
    fs::read(&path).unwrap();
    fs::write(&last, "z").unwrap();
    let seen = until(&mut watch, &last, ChangeKind::Written);
    only_paths(&seen, &[last]);
}

#[test]
fn creating_and_removing_a_watched_directory_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join(".code-review/threads");
    let path = store.join("a.md");
    let mut watch = start(&store);
    for _ in 0..2 {
        fs::create_dir_all(&store).unwrap();
        until(&mut watch, &store, ChangeKind::Rescan);
        fs::write(&path, "a").unwrap();
        until(&mut watch, &path, ChangeKind::Written);
        fs::remove_dir_all(dir.path().join(".code-review")).unwrap();
        until(&mut watch, &store, ChangeKind::Rescan);
    }
}

#[test]
fn a_wait_without_changes_reports_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(start(dir.path()).wait(Duration::from_millis(20)), WaitOutcome::Nothing);
}

#[test]
fn targets_can_be_added_and_removed_while_watching() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    fs::create_dir_all(&a).unwrap();
    let mut watch = start(&a);
    // One that exists and one that does not.
    watch.add_targets(vec![markdown(&b)]);
    assert!(!watch.is_polling());
    fs::create_dir_all(&b).unwrap();
    until(&mut watch, &b, ChangeKind::Rescan);
    fs::write(b.join("x.md"), "x").unwrap();
    until(&mut watch, &b.join("x.md"), ChangeKind::Written);
    assert!(!watch.set_targets(vec![markdown(&b)]), "it is already watched");
    fs::write(a.join("x.md"), "x").unwrap();
    fs::write(b.join("y.md"), "y").unwrap();
    let seen = until(&mut watch, &b.join("y.md"), ChangeKind::Written);
    only_paths(&seen, &[b.join("x.md"), b.join("y.md")]);
}

#[test]
fn a_file_may_have_two_tags() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = watch(vec![
        target(dir.path(), 's', |_| true),
        target(dir.path(), 't', |name| name == "set.toml"),
    ]);
    fs::write(dir.path().join("set.toml"), "x").unwrap();
    let WaitOutcome::Changes(seen) = watch.wait(BOUND) else { panic!("nothing was reported") };
    let tags: Vec<char> = seen.iter().map(|change| change.tag).collect();
    assert_eq!(tags, ['s', 't']);
}

#[test]
fn changed_permissions_are_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    fs::write(&path, "a").unwrap();
    let mut watch = start(dir.path());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    until(&mut watch, &path, ChangeKind::Written);
}

#[test]
fn a_wait_can_be_ended() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = start(dir.path());
    let waker = watch.waker().unwrap();
    let begun = Instant::now();
    let woken = std::thread::spawn(move || waker.wake());
    assert_eq!(watch.wait(Duration::from_secs(600)), WaitOutcome::Changes(Vec::new()));
    woken.join().unwrap();
    assert!(begun.elapsed() < BOUND);
}

#[test]
fn thousands_of_directories_are_watched() {
    let dir = tempfile::tempdir().unwrap();
    let dirs: Vec<PathBuf> =
        (0..2000).map(|n| dir.path().join(format!("{}/{n}", n % 50))).collect();
    for dir in &dirs {
        fs::create_dir_all(dir).unwrap();
    }
    let mut watch = watch(dirs.iter().map(|dir| target(dir, 'm', |_| true)).collect());
    for dir in dirs.iter().step_by(400) {
        fs::write(dir.join("x"), "x").unwrap();
        until(&mut watch, &dir.join("x"), ChangeKind::Written);
    }
}
