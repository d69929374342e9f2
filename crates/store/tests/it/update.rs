//! Read, change and write as one operation, while other programs write without a lock.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use skein_store::{
    Busy, CreateError, DirLock, Edit, Fs, MAX_DOCUMENT_BYTES, Merge, ReadError, RealFs,
    RemoveError, ReplaceError, TrashError, Update, Updated, copy_to_trash, create_new, lock,
    replace_exact,
};
use skein_testkit::{Foreign, SimFs};

use crate::LOCK_TIMEOUT;
use crate::write_path::{DIR, DOC, OLD, at, temps};

const LINE: &[u8] = b"our line\n";
const THEIRS: &[u8] = b"their line\n";
const LATER: &[u8] = b"their later line\n";

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error(transparent)]
    Remove(#[from] RemoveError),
    #[error(transparent)]
    Trash(#[from] TrashError),
}

/// Appends a line, and merges documents of whole lines.
fn append(
    fs: &dyn Fs,
    guard: &DirLock,
    path: &Path,
    merge: Merge<'_>,
) -> Result<Updated<()>, Failure> {
    let trash = path.parent().unwrap().join("trash");
    let update = Update {
        fs,
        guard,
        path,
        mode: 0o644,
        is_complete: &|bytes| bytes.ends_with(b"\n"),
        merge,
        keep: &|bytes| Ok(copy_to_trash(fs, &trash, path, bytes, "20260123")?),
    };
    update.run(|old| Ok(Edit::Write([old.unwrap_or_default(), LINE].concat(), ())))
}

fn union(ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let mut lines: Vec<&[u8]> = ours.split_inclusive(|byte| *byte == b'\n').collect();
    for line in theirs.split_inclusive(|byte| *byte == b'\n') {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Some(lines.concat())
}

fn has(bytes: &[u8], line: &[u8]) -> bool {
    bytes.split_inclusive(|byte| *byte == b'\n').any(|one| one == line)
}

fn start() -> (SimFs, DirLock) {
    let sim = SimFs::new().with_dir(Path::new(DIR)).with_file(Path::new(DOC), OLD);
    let guard = lock(&sim, Path::new(DIR), Duration::ZERO).unwrap();
    (sim, guard)
}

fn operations() -> std::ops::RangeInclusive<usize> {
    let (sim, guard) = start();
    let before = sim.operations();
    append(&sim, &guard, Path::new(DOC), &union).unwrap();
    before + 1..=sim.operations()
}

#[test]
fn an_update_is_applied_to_what_another_program_wrote_during_it() {
    for number in operations() {
        let theirs = [OLD, THEIRS].concat();
        for foreign in [
            Foreign::Overwrite(PathBuf::from(DOC), theirs.clone()),
            Foreign::RenameOver(PathBuf::from(DOC), theirs.clone()),
        ] {
            let (sim, guard) = start();
            sim.interfere_at(number, foreign.clone());
            append(&sim, &guard, Path::new(DOC), &union).unwrap();
            let files = sim.files();
            let doc = at(&files, DOC).unwrap();
            let context = format!("{foreign:?} before operation {number}: {files:?}");
            assert!(has(doc, THEIRS), "{context}");
            // A program that renames its file over ours after our write has overwritten it.
            let overwritten = doc == theirs;
            assert!(overwritten || has(doc, LINE), "{context}");
            assert_eq!(temps(&files), [""; 0].map(Path::new), "{context}");
        }
    }
}

#[test]
fn a_document_that_would_be_too_large_to_be_read_is_not_written() {
    let (sim, guard) = start();
    let before = sim.files();
    let large = vec![b'\n'; usize::try_from(MAX_DOCUMENT_BYTES).unwrap() + 1];
    let created = create_new(&sim, &guard, &Path::new(DIR).join("large"), &large, 0o644);
    assert!(matches!(created, Err(CreateError::Failed { .. })));
    let replaced = replace_exact(&sim, &guard, Path::new(DOC), OLD, &large);
    assert!(matches!(replaced, Err(ReplaceError::Failed { .. })));
    assert!(sim.files() == before);
}

/// Runs an update while another program writes before the exchange and again into the file that replaced its own.
fn displace(merge: Merge<'_>) -> (SimFs, Updated<()>) {
    let (sim, guard) = start();
    append(&sim, &guard, Path::new(DOC), &union).unwrap();
    let exchange = sim.operation_names().iter().position(|name| *name == "exchange").unwrap() + 1;
    let (sim, guard) = start();
    let overwrite = |bytes: &[u8]| Foreign::Overwrite(PathBuf::from(DOC), bytes.to_vec());
    sim.interfere_at(exchange, overwrite(THEIRS));
    sim.interfere_at(exchange + 1, overwrite(LATER));
    let updated = append(&sim, &guard, Path::new(DOC), merge).unwrap();
    (sim, updated)
}

#[test]
fn a_displaced_document_is_merged() {
    let (sim, updated) = displace(&union);
    assert_eq!(updated.displaced, [""; 0].map(PathBuf::from));
    assert_eq!(at(&sim.files(), DOC).unwrap(), [THEIRS, LATER, LINE].concat());
    assert_eq!(temps(&sim.files()), [""; 0].map(Path::new));
}

#[test]
fn a_displaced_document_that_cannot_be_merged_is_kept_and_reported() {
    let (sim, updated) = displace(&|_, _| None);
    assert_eq!(updated.displaced.len(), 1);
    assert_eq!(sim.files()[&updated.displaced[0]], LATER);
    assert_eq!(at(&sim.files(), DOC).unwrap(), [THEIRS, LINE].concat());
    assert_eq!(temps(&sim.files()), [""; 0].map(Path::new));
}

#[test]
fn a_power_cut_while_a_displaced_document_is_merged_loses_nothing() {
    let cuts = displace(&union).0.operations();
    let (sim, guard) = start();
    append(&sim, &guard, Path::new(DOC), &union).unwrap();
    let exchange = sim.operation_names().iter().position(|name| *name == "exchange").unwrap() + 1;
    for cut in exchange + 1..cuts {
        let (sim, guard) = start();
        let overwrite = |bytes: &[u8]| Foreign::Overwrite(PathBuf::from(DOC), bytes.to_vec());
        sim.interfere_at(exchange, overwrite(THEIRS));
        sim.interfere_at(exchange + 1, overwrite(LATER));
        sim.cut_after(cut);
        let done = append(&sim, &guard, Path::new(DOC), &union).is_ok();
        // The other program syncs nothing, so only the visible files show whether its bytes are lost.
        let files = sim.files();
        assert!(files.values().any(|bytes| has(bytes, LATER)), "cut {cut}: {files:?}");
        assert!(!done || has(at(&files, DOC).unwrap(), LINE), "cut {cut}: {files:?}");
    }
}

#[test]
fn an_update_creates_a_missing_document_and_can_remove_an_existing_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let guard = lock(&RealFs, dir.path(), LOCK_TIMEOUT).unwrap();
    append(&RealFs, &guard, &path, &union).unwrap();
    let updated = append(&RealFs, &guard, &path, &union).unwrap();
    assert_eq!(updated.before.as_deref(), Some(LINE));
    assert_eq!(fs::read(&path).unwrap(), [LINE, LINE].concat());

    let update = Update::<Failure> {
        fs: &RealFs,
        guard: &guard,
        path: &path,
        mode: 0o644,
        is_complete: &|_| true,
        merge: &|_, _| None,
        keep: &|_| panic!("nothing was displaced"),
    };
    assert_eq!(update.run(|_| Ok(Edit::Keep(7))).unwrap().value, 7);
    update.run(|_| Ok(Edit::Remove(()))).unwrap();
    assert!(!path.exists());
    assert!(!update.run(|old| Ok(Edit::Remove(old.is_some()))).unwrap().value);
}

/// Ten lines, so that a truncated document loses some of them.
fn ten_lines() -> Vec<u8> {
    (0..10).flat_map(|n| format!("comment {n}\n").into_bytes()).collect()
}

#[test]
fn an_update_waits_for_a_write_in_place() {
    let whole = ten_lines();
    thread::scope(|scope| {
        for percent in [0, 1, 35, 50, 70, 90, 99] {
            for stall in [1, 40, 400, 800] {
                let whole = &whole;
                scope.spawn(move || {
                    let dir = tempfile::tempdir().unwrap();
                    let path = dir.path().join("a");
                    fs::write(&path, whole).unwrap();
                    let (begun, is_begun) = mpsc::channel();
                    let foreign = path.clone();
                    let writer = scope.spawn(move || {
                        let mut file = fs::File::create(foreign).unwrap();
                        let (first, rest) = whole.split_at(whole.len() * percent / 100);
                        file.write_all(first).unwrap();
                        begun.send(()).unwrap();
                        thread::sleep(Duration::from_millis(stall));
                        file.write_all(rest).unwrap();
                    });
                    is_begun.recv().unwrap();
                    let guard = lock(&RealFs, dir.path(), LOCK_TIMEOUT).unwrap();
                    append(&RealFs, &guard, &path, &union).unwrap();
                    writer.join().unwrap();
                    let expected = [whole.as_slice(), LINE].concat();
                    assert_eq!(fs::read(&path).unwrap(), expected, "{percent} %, {stall} ms");
                });
            }
        }
    });
}

#[test]
fn a_document_that_keeps_changing_is_refused_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "0\n").unwrap();
    let (stop, stopped) = mpsc::channel::<()>();
    let foreign = path.clone();
    let writer = thread::spawn(move || {
        let mut last = 0;
        while stopped.recv_timeout(Duration::from_millis(100)).is_err() {
            last += 1;
            fs::write(&foreign, format!("{last}\n")).unwrap();
        }
        last
    });
    let guard = lock(&RealFs, dir.path(), LOCK_TIMEOUT).unwrap();
    let error = append(&RealFs, &guard, &path, &union).unwrap_err();
    assert!(matches!(error, Failure::Busy(_)), "{error}");
    stop.send(()).unwrap();
    let last = writer.join().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{last}\n"));
}
