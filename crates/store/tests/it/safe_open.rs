//! Only files inside the workspace are opened.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    io::Errno,
};
#[cfg(target_os = "linux")]
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use skein_store::{SafeOpenError, read_inside};
use tempfile::TempDir;

const LIMIT: u64 = 100;

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "fn main() {}").unwrap();
    fs::write(root.join("large"), [b'x'; 101]).unwrap();
    fs::write(dir.path().join("secret"), "secret").unwrap();
    symlink("src/a.rs", root.join("inside")).unwrap();
    symlink(root.join("src"), root.join("absolute")).unwrap();
    symlink("../secret", root.join("outside")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    dir
}

fn read(dir: &TempDir, relative: &str) -> Result<Vec<u8>, SafeOpenError> {
    read_inside(&dir.path().join("root"), relative, LIMIT)
}

#[test]
fn files_inside_are_read_even_through_links_that_stay_inside() {
    check_inside();
}

fn check_inside() {
    let dir = workspace();
    for relative in ["src/a.rs", "./src/a.rs", "inside", "absolute/a.rs"] {
        assert_eq!(read(&dir, relative).unwrap(), b"fn main() {}", "{relative}");
    }
}

#[test]
fn nothing_outside_is_opened() {
    check_outside();
}

fn check_outside() {
    let dir = workspace();
    for relative in
        ["../secret", "/etc/passwd", "src/../../secret", "", "outside", "etc/passwd", "up/secret"]
    {
        let refused = read(&dir, relative);
        assert!(matches!(refused, Err(SafeOpenError::Outside { .. })), "{relative}: {refused:?}");
    }
}

#[test]
fn missing_files_non_files_and_large_files_have_their_own_errors() {
    check_errors();
}

fn check_errors() {
    let dir = workspace();
    for relative in ["src/b.rs", "src/a.rs/b", "dangling", "nowhere/a.rs"] {
        let refused = read(&dir, relative);
        assert!(matches!(refused, Err(SafeOpenError::NotFound { .. })), "{relative}: {refused:?}");
    }
    let root = dir.path().join("root");
    let _listener = UnixListener::bind(root.join("socket")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(root.join("fifo")).status().unwrap();
    assert!(status.success());
    for relative in ["src", "socket", "fifo", "."] {
        let refused = read(&dir, relative);
        assert!(matches!(refused, Err(SafeOpenError::NotAFile { .. })), "{relative}: {refused:?}");
    }
    assert!(matches!(read(&dir, "large"), Err(SafeOpenError::TooLarge { limit: LIMIT, .. })));
    let gone = read_inside(Path::new("/nonexistent"), "a", LIMIT);
    assert!(matches!(gone, Err(SafeOpenError::NotFound { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_changes_where_the_kernel_or_a_sandbox_refuses_openat2() {
    for errno in [Errno::NOSYS, Errno::PERM] {
        without_openat2(errno, || {
            check_inside();
            check_outside();
            check_errors();
        });
    }
}

/// Runs `check` in a thread in which the system call `openat2` fails.
#[cfg(target_os = "linux")]
fn without_openat2(errno: Errno, check: fn()) {
    /// Its number on every processor.
    const OPENAT2: i64 = 437;
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let refused = SeccompAction::Errno(errno.raw_os_error().cast_unsigned());
    let rules = BTreeMap::from([(OPENAT2, Vec::new())]);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    let limited = move || {
        seccompiler::apply_filter(&program).unwrap();
        let opened = openat2(CWD, "/", OFlags::PATH, Mode::empty(), ResolveFlags::empty());
        assert_eq!(opened.unwrap_err(), errno, "the filter works");
        check();
    };
    std::thread::spawn(limited).join().unwrap();
}
