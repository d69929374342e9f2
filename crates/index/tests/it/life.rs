use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;

use skein_index::{Field, Index, IndexError, Record, Writer};

use crate::shelf::{Shelf, ask};

fn shelf(bodies: &[&str]) -> Shelf {
    let mut shelf = Shelf::default();
    for (number, body) in bodies.iter().enumerate() {
        shelf.put_body(&number.to_string(), body);
    }
    shelf
}

fn files(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

#[test]
fn where_nothing_was_written_there_is_no_index() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Index::open(dir.path()).unwrap().is_none());
    assert!(Index::open(&dir.path().join("missing")).unwrap().is_none());
    assert!(Writer::open(&dir.path().join("made/here"), 0).unwrap().base().is_none());
}

#[test]
fn an_index_of_nothing_is_an_index() {
    let dir = tempfile::tempdir().unwrap();
    Shelf::default().write(dir.path()).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    assert!(index.snapshot().is_empty());
    assert!(ask(&index, "a").unwrap().is_empty());
    assert!(ask(&index, "-a").unwrap().is_empty());
    assert_eq!(index.snapshot().name(0), "");
    assert_eq!(index.snapshot().facts(7).unwrap().count(), 0);
}

#[test]
fn only_the_owner_can_read_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let cache = dir.path().join("cache/skein/root");
    shelf(&["private words"]).write(&cache).unwrap();
    for made in ["cache", "cache/skein", "cache/skein/root"] {
        assert_eq!(mode(&dir.path().join(made)), 0o700, "{made}");
    }
    for file in fs::read_dir(&cache).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    // An older version created the directory with another mode.
    fs::set_permissions(&cache, Permissions::from_mode(0o755)).unwrap();
    shelf(&["private words", "more"]).write(&cache).unwrap();
    assert_eq!(mode(&cache), 0o700);
}

#[test]
fn only_one_writes_and_the_other_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::open(dir.path(), 0).unwrap();
    assert!(matches!(Writer::open(dir.path(), 0), Err(IndexError::Locked { .. })));
    drop(writer);
    assert!(Writer::open(dir.path(), 0).is_ok());
}

#[test]
fn a_writer_that_is_dropped_changes_nothing_and_its_files_go_with_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = shelf(&["a", "b"]);
    shelf.write(dir.path()).unwrap();
    let before = files(dir.path());
    let writer = Writer::open(dir.path(), 0).unwrap();
    writer.add([(Field::Body, "a")]).unwrap();
    drop(writer);
    assert!(files(dir.path()) > before);
    let index = Index::open(dir.path()).unwrap().unwrap();
    assert_eq!(ask(&index, "a").unwrap(), shelf.scan("a"));
    shelf.write(dir.path()).unwrap();
    assert_eq!(files(dir.path()), before);
}

#[test]
fn an_open_index_stays_what_it_was_while_it_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let before = shelf(&["a b", "b"]);
    before.write(dir.path()).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    let after = shelf(&["c", "b c"]);
    after.write_with(Writer::open_anew(dir.path(), 0).unwrap()).unwrap();
    for query in ["a", "b", "c", "\"a b\""] {
        assert_eq!(ask(&index, query).unwrap(), before.scan(query), "{query}");
        let replaced = Index::open(dir.path()).unwrap().unwrap();
        assert_eq!(ask(&replaced, query).unwrap(), after.scan(query), "{query}");
    }
    assert_eq!(index.snapshot().facts(1).unwrap().next().as_deref(), Some("1"));
}

#[test]
fn many_small_writes_leave_few_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    for number in 0..100 {
        shelf.put_body(&format!("{:02}", number % 40), &format!("a word{number}"));
        shelf.write(dir.path()).unwrap();
    }
    assert!(files(dir.path()) < 80, "{}", files(dir.path()));
    let index = Index::open(dir.path()).unwrap().unwrap();
    for query in ["a", "word99", "word1", "word*"] {
        assert_eq!(ask(&index, query).unwrap(), shelf.scan(query), "{query}");
    }
}

#[test]
fn a_segment_that_is_mostly_gone_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let size = || -> u64 {
        fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let words = |from: usize| (from..from + 400).map(|n| format!("word{n} ")).collect::<String>();
    let mut shelf = Shelf::default();
    for number in 0..200 {
        shelf.put_body(&format!("{number:03}"), &words(number * 400));
    }
    shelf.write(dir.path()).unwrap();
    let full = size();
    shelf.docs.retain(|name, _| name.ends_with('7'));
    shelf.write(dir.path()).unwrap();
    assert!(size() * 4 < full, "{} of {full}", size());
    let index = Index::open(dir.path()).unwrap().unwrap();
    assert_eq!(ask(&index, "word28*").unwrap(), shelf.scan("word28*"));
}

#[test]
fn several_threads_add() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::open(dir.path(), 0).unwrap();
    let docs: Vec<_> = thread::scope(|scope| {
        let writer = &writer;
        let threads: Vec<_> = (0..6)
            .map(|thread| {
                scope.spawn(move || -> Vec<_> {
                    let numbers = (0..200).map(|number| thread * 200 + number);
                    let add = |number| {
                        let text = format!("all number{number}");
                        (number, writer.add([(Field::Body, text.as_str())]).unwrap())
                    };
                    numbers.map(add).collect()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let names: Vec<_> = docs.iter().map(|(number, _)| number.to_string()).collect();
    let records = docs.iter().zip(&names).map(|((_, doc), name)| Record {
        name,
        stamp: None,
        time: 0,
        facts: vec![],
        doc: *doc,
    });
    writer.commit(records).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    assert_eq!(ask(&index, "all").unwrap().len(), 1200);
    for number in [0, 1, 599, 1199] {
        let found = ask(&index, &format!("number{number}")).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), [&number.to_string()]);
    }
    assert_eq!(index.snapshot().stamp(3), None);
}

#[test]
fn a_document_that_was_never_added_and_one_that_is_named_twice_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let record = |doc| Record { name: "a", stamp: None, time: 0, facts: vec![], doc };
    let writer = Writer::open(dir.path(), 0).unwrap();
    let doc = writer.add([(Field::Body, "a")]).unwrap();
    assert!(matches!(writer.commit([record(doc), record(doc)]), Err(IndexError::Document)));
    let writer = Writer::open(dir.path(), 0).unwrap();
    assert!(matches!(writer.commit([record(doc)]), Err(IndexError::Document)));
    assert!(Index::open(dir.path()).unwrap().is_none());
}
