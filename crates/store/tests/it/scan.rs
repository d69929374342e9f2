//! Directories of many files, some of them broken.

use std::ffi::OsStr;
use std::fs;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::UNIX_EPOCH;

use skein_store::{Chunk, Scan, ScanOptions, Visit, scan};

const OPTIONS: ScanOptions<'static> =
    ScanOptions { suffix: ".md", keep: &|name| !name.starts_with('.'), first: 16, threads: None };

/// Treats a file that ends in a full stop as complete, and returns its name and text.
fn text(name: &str, chunk: Chunk<'_>) -> Visit<String> {
    let text = format!("{name}: {}", String::from_utf8_lossy(chunk.bytes));
    match chunk.bytes.last() {
        Some(b'.') => Visit::Done(text),
        _ if !chunk.whole => Visit::More,
        _ => Visit::Broken(text),
    }
}

/// Returns the texts that were read and the names of unreadable files, sorted.
fn lines(scan: Scan<String>) -> Vec<String> {
    let unreadable = scan.unreadable.iter().map(|one| format!("{}!", one.name.to_string_lossy()));
    let mut lines: Vec<String> = scan.values.into_iter().chain(unreadable).collect();
    lines.sort();
    lines
}

fn check(dir: &Path, expected: &[&str]) {
    assert_eq!(lines(scan(dir, &OPTIONS, &text).unwrap()), expected);
}

fn age(path: &Path) {
    fs::File::options().write(true).open(path).unwrap().set_modified(UNIX_EPOCH).unwrap();
}

#[test]
fn files_are_read_to_the_end_if_the_visitor_asks_for_more() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!("{}.", "long ".repeat(20_000));
    for (name, text) in [
        ("b.md", "bee."),
        ("B.md", "Bee."),
        ("a-long-name-that-goes-on-2.md", "two."),
        ("a-long-name-that-goes-on-1.md", &long),
        ("exactly.md", "sixteen letters."),
        (".hidden.md", "hidden."),
        ("other.json", "{}"),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    check(
        dir.path(),
        &[
            "B.md: Bee.",
            &format!("a-long-name-that-goes-on-1.md: {long}"),
            "a-long-name-that-goes-on-2.md: two.",
            "b.md: bee.",
            "exactly.md: sixteen letters.",
        ],
    );
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("broken.md"), "half a sen").unwrap();
    age(&at("broken.md"));
    fs::create_dir(at("dir.md")).unwrap();
    fs::write(at("good.md"), "good.").unwrap();
    symlink("good.md", at("link.md")).unwrap();
    symlink("loop.md", at("loop.md")).unwrap();
    symlink("dir.md", at("to-dir.md")).unwrap();
    symlink("/dev/zero", at("to-zero.md")).unwrap();
    symlink("nowhere", at("dangling.md")).unwrap();
    fs::write(dir.path().join(OsStr::from_bytes(b"\xff.md")), "name.").unwrap();
    check(
        dir.path(),
        &[
            "broken.md: half a sen",
            "dangling.md!",
            "dir.md!",
            "good.md: good.",
            "link.md: good.",
            "loop.md!",
            "to-dir.md!",
            "to-zero.md!",
            "\u{fffd}.md!",
        ],
    );
}

#[test]
fn a_missing_directory_is_empty_and_a_file_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let missing = scan(&dir.path().join("x"), &OPTIONS, &text).unwrap();
    assert!(missing.missing && missing.values.is_empty());
    assert!(!scan(dir.path(), &OPTIONS, &text).unwrap().missing);
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(scan(&file, &OPTIONS, &text).unwrap_err().dir, file);
}

#[test]
fn a_scan_waits_for_a_rewrite_in_progress() {
    let dir = tempfile::tempdir().unwrap();
    let (slow, dead) = (dir.path().join("slow.md"), dir.path().join("dead.md"));
    fs::write(&slow, "half").unwrap();
    fs::write(&dead, "half").unwrap();
    // The other program goes on when the scan has seen the first half.
    let visit = |name: &str, chunk: Chunk<'_>| {
        if name == "slow.md" && chunk.bytes == b"half" {
            fs::write(&slow, "half and half.").unwrap();
        }
        text(name, chunk)
    };
    let scanned = scan(dir.path(), &OPTIONS, &visit).unwrap();
    assert_eq!(lines(scanned), ["dead.md: half", "slow.md: half and half."]);
}

#[test]
fn a_visitor_that_asks_for_more_after_the_end_gets_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.md"), "a").unwrap();
    let greedy = scan::<()>(dir.path(), &OPTIONS, &|_, _| Visit::More).unwrap();
    assert_eq!((greedy.values.len(), greedy.unreadable.len()), (0, 1));
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..2300 {
        fs::write(dir.path().join(format!("{n}.md")), format!("{}.", "x".repeat(n % 40))).unwrap();
    }
    let with = |threads| {
        let options = ScanOptions { threads: NonZero::new(threads), ..OPTIONS };
        lines(scan(dir.path(), &options, &text).unwrap())
    };
    let one = with(1);
    assert_eq!(one.len(), 2300);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}
