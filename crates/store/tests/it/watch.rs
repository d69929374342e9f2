//! Changes are seen however they are made.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_store::{
    Change, Kind, RealFs, Revision, Target, Watch, What, create_new, lock, replace, watch,
};

const BOUND: Duration = Duration::from_secs(5);

fn start(dir: &Path) -> Watch {
    let accepts = |name: &str| name.ends_with(".md");
    let target = Target { dir: dir.to_owned(), kind: Kind::Review, accepts };
    watch(vec![target], Duration::from_millis(30)).unwrap()
}

/// Collects reports until one of them holds this change, and returns all changes until then.
#[track_caller]
fn until(watch: &mut Watch, path: &Path, what: What) -> Vec<Change> {
    let deadline = Instant::now() + BOUND;
    let wanted = Change { kind: Kind::Review, path: path.to_owned(), what };
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        seen.extend(watch.recv(Duration::from_millis(200)).unwrap().unwrap_or_default());
        if seen.contains(&wanted) {
            return seen;
        }
    }
    panic!("{wanted:?} was not reported, only {seen:?}");
}

fn only(changes: &[Change], paths: &[PathBuf]) {
    assert!(changes.iter().all(|change| paths.contains(&change.path)), "{changes:?}");
}

#[test]
fn saves_appends_and_removals_are_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    let mut watch = start(dir.path());

    fs::write(dir.path().join("a.md~"), "saved").unwrap();
    fs::rename(dir.path().join("a.md~"), &path).unwrap();
    let mut seen = until(&mut watch, &path, What::Written);

    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(b"more").unwrap();
    // Seen although the program keeps the file open.
    seen.extend(until(&mut watch, &path, What::Written));
    drop(file);

    fs::remove_file(&path).unwrap();
    seen.extend(until(&mut watch, &path, What::Removed));
    only(&seen, &[path]);
}

#[test]
fn our_own_writes_are_seen_without_their_temp_files() {
    let dir = tempfile::tempdir().unwrap();
    let (path, last) = (dir.path().join("a.md"), dir.path().join("z.md"));
    let mut watch = start(dir.path());
    let guard = lock(&RealFs, dir.path(), BOUND).unwrap();
    create_new(&RealFs, &guard, &path, b"one", 0o644).unwrap();
    let mut seen = until(&mut watch, &path, What::Written);
    replace(&RealFs, &guard, &path, &Revision::of(b"one"), b"two").unwrap();
    seen.extend(until(&mut watch, &path, What::Written));
    create_new(&RealFs, &guard, &last, b"end", 0o644).unwrap();
    seen.extend(until(&mut watch, &last, What::Written));
    only(&seen, &[path, last]);
}

#[test]
fn reading_is_not_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let (path, last) = (dir.path().join("a.md"), dir.path().join("z.md"));
    fs::write(&path, "a").unwrap();
    let mut watch = start(dir.path());
    fs::read(&path).unwrap();
    fs::write(&last, "z").unwrap();
    let seen = until(&mut watch, &last, What::Written);
    only(&seen, &[last]);
}

#[test]
fn a_directory_is_waited_for_and_missed_when_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join(".code-review/threads");
    let path = store.join("a.md");
    let mut watch = start(&store);
    for _ in 0..2 {
        fs::create_dir_all(&store).unwrap();
        until(&mut watch, &store, What::Rescan);
        fs::write(&path, "a").unwrap();
        until(&mut watch, &path, What::Written);
        fs::remove_dir_all(dir.path().join(".code-review")).unwrap();
        until(&mut watch, &store, What::Rescan);
    }
}

#[test]
fn silence_is_none() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(start(dir.path()).recv(Duration::from_millis(20)).unwrap(), None);
}

#[test]
fn targets_come_and_go_while_it_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    fs::create_dir_all(&a).unwrap();
    let accepts = |name: &str| name.ends_with(".md");
    let target = |dir: &Path| Target { dir: dir.to_owned(), kind: Kind::Review, accepts };
    let mut watch = start(&a);
    // One that exists and one that does not.
    watch.add(vec![target(&b)]).unwrap();
    fs::create_dir_all(&b).unwrap();
    until(&mut watch, &b, What::Rescan);
    fs::write(b.join("x.md"), "x").unwrap();
    until(&mut watch, &b.join("x.md"), What::Written);
    watch.set(vec![target(&b)]).unwrap();
    fs::write(a.join("x.md"), "x").unwrap();
    fs::write(b.join("y.md"), "y").unwrap();
    let seen = until(&mut watch, &b.join("y.md"), What::Written);
    only(&seen, &[b.join("x.md"), b.join("y.md")]);
}

#[test]
fn a_file_may_be_of_two_kinds() {
    let dir = tempfile::tempdir().unwrap();
    let target = |kind, accepts| Target { dir: dir.path().to_owned(), kind, accepts };
    let targets =
        vec![target(Kind::Source, |_| true), target(Kind::Settings, |name| name == "set.toml")];
    let mut watch = watch(targets, Duration::from_millis(30)).unwrap();
    fs::write(dir.path().join("set.toml"), "x").unwrap();
    let seen = watch.recv(BOUND).unwrap().unwrap();
    let kinds: Vec<Kind> = seen.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [Kind::Source, Kind::Settings]);
}

#[test]
fn whoever_waits_can_be_woken() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = start(dir.path());
    let waker = watch.waker();
    let begun = Instant::now();
    let woken = std::thread::spawn(move || waker.wake());
    assert_eq!(watch.recv(Duration::from_secs(600)).unwrap(), Some(Vec::new()));
    woken.join().unwrap();
    assert!(begun.elapsed() < BOUND);
}

#[test]
fn thousands_of_directories_are_watched() {
    let dir = tempfile::tempdir().unwrap();
    let accepts = |_: &str| true;
    let dirs: Vec<PathBuf> =
        (0..2000).map(|n| dir.path().join(format!("{}/{n}", n % 50))).collect();
    for dir in &dirs {
        fs::create_dir_all(dir).unwrap();
    }
    let targets = dirs.iter().map(|dir| Target { dir: dir.clone(), kind: Kind::Review, accepts });
    let mut watch = watch(targets.collect(), Duration::from_millis(30)).unwrap();
    for dir in dirs.iter().step_by(400) {
        fs::write(dir.join("x"), "x").unwrap();
        until(&mut watch, &dir.join("x"), What::Written);
    }
}
