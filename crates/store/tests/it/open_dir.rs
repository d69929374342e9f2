//! Directories that another program replaces by a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use skein_store::{Fs, OpenDir, RealFs, ReplaceError, Revision, lock, replace_from};
use tempfile::TempDir;

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
        let guard = lock(fs, &stage, Duration::ZERO).unwrap();
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
        for number in 0..300 {
            let (old, new) = if number % 2 == 0 { ("old", "new") } else { ("new", "old") };
            if let Some(dir) = place.open() {
                // The directory may have another content after an earlier attempt was refused.
                drop(place.replace(&*dir, old, new));
            }
        }
        stop.store(true, Ordering::Relaxed);
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
