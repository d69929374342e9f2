//! A simulated error in every operation.

use std::path::Path;

use skein_store::{
    CreateError, LockError, Revision, create_new, ensure_dir, is_temp_name, leftovers, lock,
    replace, write_unsynced,
};
use skein_testkit::SimFs;

use crate::write_path::{DIR, DOC, NEW, OLD, WritePath, at, explain, temps};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

#[test]
fn an_error_anywhere_is_reported_and_changes_nothing() {
    for path in WritePath::ALL {
        for (number, name) in path.operations() {
            for errno in [EIO, ENOSPC, EROFS] {
                let (sim, guard) = path.start();
                sim.fail_at(number, errno);
                check(path, name, errno, &sim, path.run(&sim, &guard));
            }
        }
    }
}

fn check(
    path: WritePath,
    failing: &str,
    errno: i32,
    sim: &SimFs,
    outcome: Result<(), Box<dyn std::error::Error>>,
) {
    let files = sim.files();
    let is_replace = matches!(
        path,
        WritePath::Replace | WritePath::ReplaceExact | WritePath::ReplaceThroughLink
    );
    if is_replace && failing == "unlink" {
        // The document is replaced durably; a leftover file with the old bytes is not a failure.
        assert!(outcome.is_ok());
        path.assert_done(&files);
        let [temp] = temps(&files)[..] else { panic!("{files:?}") };
        assert_eq!(files[temp], OLD);
        return;
    }
    let error = explain(&*outcome.unwrap_err());
    let cause = std::io::Error::from_raw_os_error(errno).to_string();
    assert!(error.contains("/a.md") && error.contains(&cause), "{path:?}, {failing}: {error}");
    assert!(temps(&files).is_empty(), "{path:?}, {failing}: {files:?}");
    if path == WritePath::ReplaceWithoutExchange && failing == "sync_dir" {
        // A plain rename cannot be undone, and the error says that it is unconfirmed.
        assert!(error.contains("cannot confirm"), "{error}");
        path.assert_done(&files);
    } else {
        path.assert_untouched(&files);
    }
}

#[test]
fn same_bytes_are_not_written() {
    let (sim, guard) = WritePath::Replace.start();
    replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), OLD).unwrap();
    assert!(!sim.operation_names().contains(&"create"));
}

#[test]
fn create_new_never_overwrites() {
    let (sim, guard) = WritePath::Replace.start();
    let error = create_new(&sim, &guard, Path::new(DOC), NEW, 0o644).unwrap_err();
    assert!(matches!(error, CreateError::Exists { .. }));
    assert_eq!(at(&sim.files(), DOC), Some(OLD));
}

#[test]
fn a_held_lock_is_reported_with_its_directory() {
    let (sim, guard) = WritePath::Replace.start();
    assert_eq!(guard.dir(), Path::new(DIR));
    let second = lock(&sim, Path::new(DIR), std::time::Duration::from_millis(2));
    assert!(matches!(second, Err(LockError::Held { dir }) if dir == Path::new(DIR)));
    drop(guard);
    assert!(lock(&sim, Path::new(DIR), std::time::Duration::ZERO).is_ok());
}

#[test]
fn a_derived_file_is_renamed_into_place_unsynced() {
    let (sim, guard) = WritePath::Replace.start();
    let index = Path::new("/store/index.json");
    for bytes in [b"{}", b"[]"] {
        write_unsynced(&sim, &guard, index, bytes).unwrap();
        assert_eq!(sim.files()[index], bytes);
    }
    assert!(
        !sim.operation_names().contains(&"sync") && !sim.operation_names().contains(&"sync_dir")
    );
    sim.fail_at(sim.operations() + 5, EIO);
    assert!(write_unsynced(&sim, &guard, index, b"()").is_err());
    assert_eq!(sim.files()[index], b"[]");
    assert!(temps(&sim.files()).is_empty());
}

#[test]
fn directories_are_created_durably() {
    let sim = SimFs::new();
    ensure_dir(&sim, Path::new("/a/b/c"), 0o700).unwrap();
    let sim = sim.with_file(Path::new("/a/b/c/d"), b"x");
    assert!(sim.survivors().iter().all(|files| at(files, "/a/b/c/d") == Some(b"x")));
    let made = sim.operation_names().iter().filter(|name| **name == "make_dir").count();
    assert_eq!(made, 3);
    let error = ensure_dir(&sim, Path::new("/a/b/c/d/e"), 0o700).unwrap_err();
    assert_eq!(error.path, Path::new("/a/b/c/d"));
}

#[test]
fn old_temp_files_are_leftovers() {
    let (sim, guard) = WritePath::Replace.start();
    // In the simulation, the last write to every file was long ago.
    sim.cut_after(sim.operations() + 6);
    replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), NEW).unwrap_err();
    sim.cut_after(usize::MAX);
    let found = leftovers(&sim, Path::new(DIR)).unwrap();
    let [temp] = &found[..] else { panic!("{found:?}") };
    assert!(is_temp_name(temp.file_name().unwrap()));
}
