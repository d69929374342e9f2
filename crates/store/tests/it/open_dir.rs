//! Directories that another program replaces by a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use skein_store::{
    Fs, MAX_DOCUMENT_BYTES, OpenDir, ReadError, RealFs, ReplaceError, Revision, lock, replace_from,
};
use skein_testkit::{HookedFs, SetOnDrop};
use tempfile::TempDir;

use crate::LOCK_TIMEOUT;

/// A root with the directory `src`, a link to a directory outside, and a directory for temp files.
struct Place {
    _folder: TempDir,
    root: PathBuf,
    outside: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        for dir in [&root.join("src"), &root.join("stage"), &outside] {
            fs::create_dir_all(dir).unwrap();
        }
        for dir in [&root.join("src"), &outside] {
            fs::write(dir.join("a.txt"), "old").unwrap();
        }
        symlink(&outside, root.join("link")).unwrap();
        Self { _folder: folder, root, outside }
    }

    /// Holds the directory `src`; none if it is a link.
    fn open(&self) -> Option<Box<dyn Fs>> {
        RealFs.holding(&self.root, Path::new("src")).ok().map(Option::unwrap)
    }

    fn replace(&self, fs: &dyn Fs, old: &str, new: &str) -> Result<(), ReplaceError> {
        let stage = self.root.join("stage");
        let guard = lock(fs, &stage, LOCK_TIMEOUT).unwrap();
        let (file, old) = (self.root.join("src/a.txt"), Revision::from_bytes(old.as_bytes()));
        replace_from(fs, &guard, &stage, &file, &old, new.as_bytes())
    }
}

fn read(dir: &Path) -> String {
    fs::read_to_string(dir.join("a.txt")).unwrap()
}

#[test]
fn a_replacement_stays_in_the_directory_that_was_opened() {
    let place = Place::new();
    let dir = place.open().unwrap();
    let moved = place.root.join("moved");
    fs::rename(place.root.join("src"), &moved).unwrap();
    fs::rename(place.root.join("link"), place.root.join("src")).unwrap();
    place.replace(&*dir, "old", "new").unwrap();
    assert_eq!((read(&moved), read(&place.outside)), ("new".to_owned(), "old".to_owned()));
    assert!(place.open().is_none());
    assert_eq!(fs::read_dir(place.root.join("stage")).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_a_link_is_not_replaced() {
    let place = Place::new();
    let file = place.root.join("src/a.txt");
    fs::remove_file(&file).unwrap();
    symlink(place.outside.join("a.txt"), &file).unwrap();
    assert!(place.replace(&*place.open().unwrap(), "old", "new").is_err());
    assert_eq!(read(&place.outside), "old");
}

#[test]
fn nothing_outside_is_written_while_a_directory_and_a_link_are_exchanged() {
    let place = Place::new();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                RealFs.exchange(&place.root.join("src"), &place.root.join("link")).unwrap();
            }
        });
        let _stop = SetOnDrop(&stop);
        for number in 0..300 {
            let (old, new) = if number % 2 == 0 { ("old", "new") } else { ("new", "old") };
            if let Some(dir) = place.open() {
                // The directory may have another content after an earlier attempt was refused.
                drop(place.replace(&*dir, old, new));
            }
        }
    });
    assert_eq!(read(&place.outside), "old");
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
}

#[test]
fn entries_below_are_reached_without_links() {
    let place = Place::new();
    let root = OpenDir::open(&place.root).unwrap();
    assert_eq!(root.read("src/a.txt").unwrap(), b"old");
    symlink("a.txt", place.root.join("src/b.txt")).unwrap();
    for path in ["link/a.txt", "src/b.txt", "src/../src/a.txt", "/etc/passwd", "", "src"] {
        assert!(root.read(path).is_err(), "{path}");
        assert!(root.remove(path, b"old").is_err(), "{path}");
        assert!(!root.has_file(path), "{path}");
    }
    assert!(root.dir("link").is_err());
    assert!(OpenDir::open(&place.root.join("link")).is_err());
    assert!(root.remove("src/a.txt", b"other").is_err());
    root.remove("src/a.txt", b"old").unwrap();
    assert!(!place.root.join("src/a.txt").exists());
    assert_eq!(read(&place.outside), "old");
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Calls `check` for each operation of a replacement, before which another program acts.
fn before_each_operation(act: fn(&Place), check: fn(&Place, Result<(), ReplaceError>, usize)) {
    for number in 0.. {
        let place = Arc::new(Place::new());
        let acting = Arc::clone(&place);
        // Opening the directory is the first operation.
        let fs = HookedFs::acting_before(number + 1, move || act(&acting));
        let dir = fs.holding(&place.root, Path::new("src")).unwrap().unwrap();
        let replaced = place.replace(&*dir, "old", "new");
        if fs.operations() <= number + 1 {
            assert!(number > 6, "a replacement has several operations");
            return;
        }
        check(&place, replaced, number);
    }
}

#[test]
fn a_directory_that_becomes_a_link_before_any_step_changes_nothing() {
    before_each_operation(
        |place| RealFs.exchange(&place.root.join("src"), &place.root.join("link")).unwrap(),
        |place, replaced, number| {
            replaced.unwrap();
            let moved = place.root.join("link");
            let both = (read(&moved), read(&place.outside));
            assert_eq!(both, ("new".to_owned(), "old".to_owned()), "{number}");
            assert_eq!(fs::read_dir(&moved).unwrap().count(), 1, "{number}");
            assert_eq!(fs::read_dir(place.root.join("stage")).unwrap().count(), 0, "{number}");
        },
    );
}

#[test]
fn a_file_that_becomes_a_pipe_before_any_step_is_neither_waited_for_nor_lost() {
    before_each_operation(
        |place| {
            let file = place.root.join("src/a.txt");
            fs::rename(&file, place.root.join("src/moved.txt")).unwrap();
            make_pipe(&file);
        },
        |place, replaced, number| {
            let moved = fs::read_to_string(place.root.join("src/moved.txt")).unwrap();
            // After the exchange, the other program moves the new file.
            assert!(moved == "old" || moved == "new", "{number}: {moved}");
            assert_eq!(replaced.is_ok(), moved == "new", "{number}: {replaced:?}");
            let file = fs::symlink_metadata(place.root.join("src/a.txt")).unwrap();
            assert!(!file.is_file(), "{number}");
        },
    );
}

#[test]
fn a_file_that_becomes_a_link_before_any_step_is_not_followed() {
    before_each_operation(
        |place| {
            let file = place.root.join("src/a.txt");
            fs::rename(&file, place.root.join("src/moved.txt")).unwrap();
            symlink(place.outside.join("a.txt"), &file).unwrap();
        },
        |place, replaced, number| {
            let moved = fs::read_to_string(place.root.join("src/moved.txt")).unwrap();
            assert_eq!(replaced.is_ok(), moved == "new", "{number}: {replaced:?}");
            assert_eq!(read(&place.outside), "old", "{number}");
            let file = fs::symlink_metadata(place.root.join("src/a.txt")).unwrap();
            assert!(file.is_symlink(), "{number}");
        },
    );
}

#[test]
fn entries_that_are_no_files_are_refused_without_waiting() {
    let place = Place::new();
    make_pipe(&place.root.join("src/pipe"));
    let _socket = UnixListener::bind(place.root.join("src/socket")).unwrap();
    let held = place.open().unwrap();
    let root = OpenDir::open(&place.root).unwrap();
    for name in ["pipe", "socket"] {
        let below = Path::new("src").join(name);
        assert!(matches!(root.read(&below), Err(ReadError::NotAFile { .. })), "{name}");
        assert!(root.remove(&below, b"").is_err(), "{name}");
        assert!(!root.has_file(&below), "{name}");
        assert!(root.dir(&below).is_err(), "{name}");
        let path = place.root.join(&below);
        for fs in [&*held, &RealFs] {
            assert!(fs.read(&path).is_err(), "{name}");
            assert!(fs.holds(&path, b"").is_err(), "{name}");
        }
    }
    assert!(OpenDir::open(&place.root.join("src/pipe")).is_err());
    make_pipe(&place.root.join("stage/pipe"));
    assert!(held.read(&place.root.join("stage/pipe")).is_err());
}

#[test]
fn a_link_is_refused_also_with_a_slash_or_a_dot_behind_it() {
    let place = Place::new();
    for name in ["link", "link/", "link//", "link/.", "link/./"] {
        let path = place.root.as_os_str().to_str().unwrap().to_owned() + "/" + name;
        assert!(OpenDir::open(Path::new(&path)).is_err(), "{name}");
        assert!(RealFs.holding(Path::new(&path), Path::new("")).is_err(), "{name}");
    }
    for name in ["src", "src/", "src/."] {
        let path = place.root.as_os_str().to_str().unwrap().to_owned() + "/" + name;
        assert_eq!(OpenDir::open(Path::new(&path)).unwrap().read("a.txt").unwrap(), b"old");
    }
}

#[test]
fn names_that_are_too_long_and_files_that_are_too_large_are_errors() {
    let place = Place::new();
    let root = OpenDir::open(&place.root).unwrap();
    let name = "n".repeat(256);
    // Longer than a path of the system may be; each of its names is not.
    let deep: PathBuf = std::iter::repeat_n("d".repeat(200), 30).collect();
    for below in [Path::new(&name), &Path::new("src").join(&name), &deep] {
        assert!(root.read(below).is_err());
        assert!(root.dir(below).is_err());
        assert!(root.remove(below, b"").is_err());
        assert!(root.remove_dir(below).is_err());
        assert!(!root.has_file(below));
        assert!(RealFs.holding(&place.root, below).is_err());
    }
    let longest = "n".repeat(255);
    fs::write(place.root.join("src").join(&longest), "long").unwrap();
    assert_eq!(root.read(Path::new("src").join(&longest)).unwrap(), b"long");
    let large = fs::File::create(place.root.join("src/large")).unwrap();
    large.set_len(MAX_DOCUMENT_BYTES + 1).unwrap();
    assert!(matches!(root.read("src/large"), Err(ReadError::Io { .. })));
    assert!(place.open().unwrap().read(&place.root.join("src/large")).is_err());
}

#[test]
fn every_operation_on_an_entry_stays_in_the_directory_that_is_held() {
    let place = Place::new();
    let held = place.open().unwrap();
    RealFs.exchange(&place.root.join("src"), &place.root.join("link")).unwrap();
    let path = |name: &str| place.root.join("src").join(name);
    held.create(&path("b.txt"), 0o600).unwrap().write(b"b").unwrap();
    held.make_dir(&path("dir"), 0o700).unwrap();
    held.rename(&path("b.txt"), &path("c.txt")).unwrap();
    held.rename_new(&path("c.txt"), &path("d.txt")).unwrap();
    assert_eq!(held.read(&path("d.txt")).unwrap(), b"b");
    let mut names = held.list(&place.root.join("src")).unwrap();
    names.sort();
    assert_eq!(names, ["a.txt", "d.txt", "dir"]);
    held.unlink(&path("d.txt")).unwrap();
    held.sync_dir(&place.root.join("src")).unwrap();
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
}
