//! Listing the files of a directory without reading them.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::Duration;

use skein_store::{ScanOptions, list_files};

const OPTIONS: ScanOptions<'_> =
    ScanOptions { suffix: ".md", keep: &|name| !name.starts_with('.'), first: 1, threads: None };

#[test]
fn files_are_listed_with_metadata_and_other_entries_without() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..3000 {
        fs::write(dir.path().join(format!("{number}.md")), "x".repeat(number % 7)).unwrap();
    }
    fs::write(dir.path().join(".hidden.md"), "").unwrap();
    fs::write(dir.path().join("other.txt"), "").unwrap();
    fs::create_dir(dir.path().join("folder.md")).unwrap();
    symlink("nowhere", dir.path().join("dangling.md")).unwrap();
    let walked = list_files(dir.path(), &OPTIONS).unwrap();
    assert_eq!(walked.len(), 3002);
    let without: Vec<_> =
        walked.iter().filter(|(_, meta)| meta.is_none()).map(|(name, _)| name).collect();
    assert_eq!(without.len(), 2);
    for (name, meta) in walked.iter().filter(|(_, meta)| meta.is_some()) {
        let number: u64 = name.trim_end_matches(".md").parse().unwrap();
        assert_eq!(meta.unwrap().size, number % 7);
    }
    let again = list_files(dir.path(), &OPTIONS).unwrap();
    assert!(walked.iter().eq(again.iter()));
}

#[test]
fn a_missing_directory_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    assert!(list_files(&dir.path().join("none"), &OPTIONS).unwrap().is_empty());
}

#[test]
fn a_rewritten_file_with_the_same_size_and_time_is_detected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    fs::write(&path, "one").unwrap();
    let at = path.metadata().unwrap().modified().unwrap();
    let before = list_files(dir.path(), &OPTIONS).unwrap();
    thread::sleep(Duration::from_millis(30));
    fs::write(&path, "two").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(at).unwrap();
    let after = list_files(dir.path(), &OPTIONS).unwrap();
    let (one, two) = (before.iter().next().unwrap(), after.iter().next().unwrap());
    assert_eq!(one.1.unwrap().modified, two.1.unwrap().modified);
    assert_ne!(one, two);
}
