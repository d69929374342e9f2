use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use skein_index::{Field, Index, Writer};

use crate::shelf::{Answer, Shelf, ask};

const QUERIES: [&str; 9] =
    ["a", "rare", "word1*", "\"a b\"", "\"b word1\"*", "-a", "1234567", "titled", "b -rare"];

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for number in 0..200 {
        let rare = if number % 60 == 0 { "rare 1234567abc" } else { "c" };
        shelf.put(
            &format!("{number:03}"),
            vec![
                (Field::Title, format!("titled {number}")),
                (Field::Label, format!("label/{number}")),
                (Field::Body, format!("a b word{number} a {rare}")),
            ],
        );
    }
    shelf
}

/// Two segments, of which the first has documents that are gone.
fn written(dir: &Path) -> Shelf {
    let mut shelf = shelf();
    shelf.write(dir).unwrap();
    for number in 0..30 {
        shelf.put_body(&format!("{number:03}"), "b a word1 word2");
    }
    shelf.docs.remove("199");
    shelf.write(dir).unwrap();
    shelf
}

fn files(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Whatever was done to the index: it answers rightly, or not at all, and can be mended.
fn check(dir: &Path, shelf: &Shelf, scanned: &[Answer], what: &str) {
    if let Ok(Some(index)) = Index::open(dir) {
        for (query, expected) in QUERIES.into_iter().zip(scanned) {
            if let Ok(answer) = ask(&index, query) {
                assert_eq!(answer, *expected, "{what}: {query}");
            }
        }
        for (slot, name) in (0..).zip(shelf.docs.keys()) {
            assert_eq!(index.snapshot().name(slot), *name, "{what}");
            if let Ok(facts) = index.snapshot().facts(slot) {
                assert_eq!(facts.collect::<Vec<_>>(), [name, "", "all"], "{what}");
            }
        }
    }
}

/// Copies the index, changes a file of it, and looks.
fn with_each_file(change: impl Fn(&Path, &[u8], &dyn Fn(&str))) {
    let good = tempfile::tempdir().unwrap();
    let shelf = written(good.path());
    let scanned = QUERIES.map(|query| shelf.scan(query));
    for file in files(good.path()) {
        let bytes = fs::read(&file).unwrap();
        let bad = tempfile::tempdir().unwrap();
        for file in files(good.path()) {
            fs::copy(&file, bad.path().join(file.file_name().unwrap())).unwrap();
        }
        let path = bad.path().join(file.file_name().unwrap());
        change(&path, &bytes, &|what| {
            check(bad.path(), &shelf, &scanned, &format!("{} {what}", file.display()));
        });
        shelf.write_with(Writer::open_anew(bad.path(), 0).unwrap()).unwrap();
        let index = Index::open(bad.path()).unwrap().unwrap();
        assert_eq!(ask(&index, "a").unwrap(), scanned[0]);
        assert_eq!(files(bad.path()).len(), 8);
    }
}

fn overwrite(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn an_index_with_a_file_cut_short_says_nothing_wrong() {
    with_each_file(|path, bytes, check| {
        for length in [0, 1, 7, 8, 100, bytes.len() / 2, bytes.len().saturating_sub(1)] {
            overwrite(path, &bytes[..length.min(bytes.len())]);
            check(&format!("cut to {length}"));
        }
    });
}

#[test]
fn an_index_with_a_file_missing_or_too_long_says_nothing_wrong() {
    with_each_file(|path, bytes, check| {
        overwrite(path, &[bytes, b"more"].concat());
        check("made longer");
        fs::remove_file(path).unwrap();
        check("removed");
        fs::create_dir(path).unwrap();
        check("a directory");
        fs::remove_dir(path).unwrap();
    });
}

#[test]
fn an_index_with_other_bytes_in_a_file_says_nothing_wrong() {
    with_each_file(|path, bytes, check| {
        for at in (0..bytes.len()).step_by((bytes.len() / 16).max(1)) {
            let mut other = bytes.to_vec();
            other[at] ^= 1 << (at % 8);
            overwrite(path, &other);
            check(&format!("bit at {at}"));
        }
        let garbage: Vec<u8> =
            (0..bytes.len()).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect();
        overwrite(path, &garbage);
        check("garbage");
        overwrite(path, &vec![0; bytes.len()]);
        check("zeros");
    });
}

#[test]
fn a_file_that_changes_under_an_open_index_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let mut shelf = written(dir.path());
    let words = (0..20_000).map(|number| format!("more{number} ")).collect::<String>();
    shelf.put_body("more", &words);
    shelf.write(dir.path()).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    for file in files(dir.path()) {
        let length = fs::metadata(&file).unwrap().len();
        overwrite(&file, &vec![0x55; usize::try_from(length).unwrap()]);
    }
    for query in QUERIES {
        if let Ok(answer) = ask(&index, query) {
            assert_eq!(answer, shelf.scan(query), "{query}");
        }
    }
    assert!(ask(&index, "more19*").is_err());
    assert!(index.snapshot().facts(0).is_err());
}

#[test]
fn a_writer_on_a_damaged_index_begins_anew_or_fails() {
    with_each_file(|path, bytes, _| {
        overwrite(path, &bytes[..bytes.len() / 2]);
        let dir = path.parent().unwrap();
        let shelf = shelf();
        if shelf.write(dir).is_ok() {
            let index = Index::open(dir).unwrap().unwrap();
            assert_eq!(ask(&index, "rare").unwrap(), shelf.scan("rare"));
        }
    });
}

#[test]
fn an_index_of_another_version_is_no_index() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path());
    let path = dir.path().join("snapshot");
    let mut bytes = fs::read(&path).unwrap();
    bytes[7] += 1;
    overwrite(&path, &bytes);
    assert!(Index::open(dir.path()).unwrap().is_none());
    assert!(Writer::open(dir.path(), 0).unwrap().base().is_none());
}
