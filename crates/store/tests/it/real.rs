//! The real file system: modes, links, and entries that block a path.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use skein_store::{
    CreateError, DirLock, Dirs, LockError, ReadError, RealFs, RenameError, ReplaceError, Revision,
    copy_to_trash, create_new, ensure_dir, lock, move_to_trash, read, read_stable, remove,
    rename_new, replace, write_unsynced,
};
use tempfile::TempDir;

use crate::LOCK_TIMEOUT;

fn store() -> (TempDir, DirLock) {
    let dir = tempfile::tempdir().unwrap();
    let guard = lock(&RealFs, dir.path(), LOCK_TIMEOUT).unwrap();
    (dir, guard)
}

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn replace_keeps_mode_and_owner() {
    let (dir, guard) = store();
    for mode in [0o600, 0o644, 0o664, 0o400] {
        let path = dir.path().join(format!("{mode:o}.md"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let before = fs::metadata(&path).unwrap();
        replace(&RealFs, &guard, &path, &Revision::from_bytes(b"old"), b"new").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(after.mode() & 0o7777, mode);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(read(&path).unwrap().revision, Revision::from_bytes(b"new"));
    }
    assert_eq!(names(dir.path()), ["400.md", "600.md", "644.md", "664.md"]);
}

#[test]
fn replace_keeps_a_symlink_and_writes_its_target() {
    let (dir, guard) = store();
    let (link, target) = (dir.path().join("link.json"), dir.path().join("real/map.json"));
    fs::create_dir(dir.path().join("real")).unwrap();
    fs::write(&target, "old").unwrap();
    symlink("real/map.json", &link).unwrap();
    replace(&RealFs, &guard, &link, &Revision::from_bytes(b"old"), b"new").unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("real/map.json"));
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(names(&dir.path().join("real")), ["map.json"]);
}

#[test]
fn a_rename_moves_a_symlink_itself_and_overwrites_nothing() {
    let (dir, guard) = store();
    let (link, moved) = (dir.path().join("a"), dir.path().join("b"));
    symlink("nowhere", &link).unwrap();
    rename_new(&RealFs, &guard, &link, &moved).unwrap();
    assert_eq!(fs::read_link(&moved).unwrap(), Path::new("nowhere"));
    fs::write(&link, "mine").unwrap();
    let error = rename_new(&RealFs, &guard, &link, &moved).unwrap_err();
    assert!(matches!(error, RenameError::Exists { .. }), "{error}");
    let error = rename_new(&RealFs, &guard, &dir.path().join("c"), &dir.path().join("d"));
    assert!(matches!(error, Err(RenameError::Failed { .. })));
    assert_eq!(names(dir.path()), ["a", "b"]);
}

#[test]
fn a_derived_file_replaces_a_symlink() {
    let (dir, guard) = store();
    let elsewhere = tempfile::tempdir().unwrap();
    let (target, link) = (elsewhere.path().join("precious"), dir.path().join("index.json"));
    fs::write(&target, "mine").unwrap();
    symlink(&target, &link).unwrap();
    write_unsynced(&RealFs, &guard, &link, b"{}").unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    assert!(!link.is_symlink());
    assert_eq!(fs::read_to_string(&link).unwrap(), "{}");
}

#[test]
fn a_dangling_symlink_is_a_missing_file_and_an_existing_name() {
    let (dir, guard) = store();
    let link = dir.path().join("a.md");
    symlink("nowhere", &link).unwrap();
    let replaced = replace(&RealFs, &guard, &link, &Revision::from_bytes(b""), b"new");
    assert!(matches!(replaced, Err(ReplaceError::Conflict { found: None, .. })));
    let created = create_new(&RealFs, &guard, &link, b"new", 0o644);
    assert!(matches!(created, Err(CreateError::Exists { .. })));
    assert!(ensure_dir(&RealFs, &link, 0o700).is_err());
    assert_eq!(names(dir.path()), ["a.md"]);
}

#[test]
fn a_path_that_is_not_a_file_is_refused() {
    let (dir, guard) = store();
    let sub = dir.path().join("sub.md");
    fs::create_dir(&sub).unwrap();
    let replaced = replace(&RealFs, &guard, &sub, &Revision::from_bytes(b""), b"new");
    assert!(matches!(replaced, Err(ReplaceError::NotAFile { .. })));
    assert!(matches!(read(&sub), Err(ReadError::NotAFile { .. })));
    assert!(matches!(read(&dir.path().join("x")), Err(ReadError::NotFound { .. })));
}

#[test]
fn a_file_that_blocks_a_directory_is_named_in_the_error() {
    let (dir, guard) = store();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("a.md");
    let error = create_new(&RealFs, &guard, &below, b"new", 0o644).unwrap_err();
    assert!(matches!(&error, CreateError::Failed { path, .. } if *path == below), "{error}");
    assert_eq!(ensure_dir(&RealFs, &file.join("sub"), 0o700).unwrap_err().path, file.join("sub"));
    assert!(matches!(lock(&RealFs, &below, Duration::ZERO), Err(LockError::Io { .. })));
}

#[test]
fn a_copy_to_the_trash_keeps_the_document() {
    let dir = tempfile::tempdir().unwrap();
    let (path, trash) = (dir.path().join("a.md"), dir.path().join("state/trash"));
    fs::write(&path, "one").unwrap();
    for name in ["20260123-a.md", "20260123.2-a.md"] {
        let copy = copy_to_trash(&RealFs, &trash, &path, b"one", "20260123").unwrap();
        assert_eq!(copy, trash.join(name));
        assert_eq!(fs::read(copy).unwrap(), b"one");
    }
    assert_eq!(fs::read(&path).unwrap(), b"one");
}

#[test]
fn create_remove_and_trash_leave_nothing_else_behind() {
    let (dir, guard) = store();
    let (path, trash) = (dir.path().join("a.md"), dir.path().join("state/trash"));
    for _ in 0..2 {
        create_new(&RealFs, &guard, &path, b"x", 0o600).unwrap();
        move_to_trash(&RealFs, &guard, &trash, &path, "20260123").unwrap();
    }
    create_new(&RealFs, &guard, &path, b"y", 0o600).unwrap();
    remove(&RealFs, &guard, &path, &Revision::from_bytes(b"y")).unwrap();
    assert_eq!(names(dir.path()), ["state"]);
    assert_eq!(names(&trash), ["20260123-a.md", "20260123.2-a.md"]);
}

#[test]
fn removing_a_symlink_leaves_its_target() {
    let (dir, guard) = store();
    let link = dir.path().join("a.md");
    fs::write(dir.path().join("target"), "x").unwrap();
    symlink("target", &link).unwrap();
    remove(&RealFs, &guard, &link, &Revision::from_bytes(b"x")).unwrap();
    assert_eq!(names(dir.path()), ["target"]);
}

#[test]
fn a_lock_has_one_holder_and_no_file() {
    let (dir, guard) = store();
    let again = lock(&RealFs, dir.path(), Duration::from_millis(3));
    assert!(matches!(again, Err(LockError::Held { .. })));
    drop(guard);
    let _held = lock(&RealFs, dir.path(), LOCK_TIMEOUT).unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn state_and_cache_are_private() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = Dirs::new(dir.path().join("state/skein"), dir.path().join("cache/skein"));
    let root = dirs.for_root(Path::new("/home/me/project"));
    assert!(!root.state.exists());
    for path in [root.ensure_state(&RealFs).unwrap(), root.ensure_cache(&RealFs).unwrap()] {
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, 0o700);
    }
}

#[test]
fn a_read_waits_for_a_rewrite_in_progress() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    fs::write(&path, "half").unwrap();
    // The other program goes on when the first half was read.
    let is_usable = |bytes: &[u8]| {
        if bytes == b"half" {
            fs::write(&path, "whole").unwrap();
        }
        bytes == b"whole"
    };
    let snapshot = read_stable(&path, &is_usable).unwrap();
    assert_eq!(snapshot.bytes, b"whole");
}

#[test]
fn a_file_that_stays_incomplete_is_returned() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    fs::write(&path, "torn").unwrap();
    assert_eq!(read_stable(&path, &|_| false).unwrap().bytes, b"torn");
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(read_stable(&path, &|_| false).unwrap().bytes, b"torn");
}
