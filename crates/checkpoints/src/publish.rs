//! The writes of a checkpoint, in order.
//!
//! The thread is written before the pointer to it: a crash leaves a thread without a pointer, never a dangling pointer. Files that are
//! generated from the threads come last.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{CheckpointDoc, HandoffDoc, Pointer};
use skein_format::id::CheckpointId;
use skein_store::{Busy, CreateError, DirLock, Edit, Fs, Update, create_new};

use super::error::CheckpointError;

/// Maximum number of checkpoints with one name in one second.
const MAX_SAME_NAME: u32 = 10_000;

/// Stores a copy of a file with these bytes, and returns its path.
pub(super) type Keep<'a> = &'a dyn Fn(&Path, &[u8]) -> Result<PathBuf, CheckpointError>;

/// A checkpoint that was created: its id, file and document.
pub(super) type Created = (CheckpointId, PathBuf, CheckpointDoc);

/// Creates a checkpoint under the first free id: `wanted`, else `wanted` with a number.
pub(super) fn create(
    fs: &dyn Fs,
    guard: &DirLock,
    wanted: &CheckpointId,
    make: &dyn Fn(&CheckpointId) -> Result<CheckpointDoc, CheckpointError>,
) -> Result<Created, CheckpointError> {
    let mut id = wanted.clone();
    for count in 1..MAX_SAME_NAME {
        let path = file(guard.dir(), &id);
        let doc = make(&id)?;
        match create_new(fs, guard, &path, doc.to_bytes(), 0o666) {
            Ok(_) => return Ok((id, path, doc)),
            Err(CreateError::Exists { .. }) => id = wanted.numbered(count),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Busy { path: file(guard.dir(), wanted) }.into())
}

/// Sets the pointer to a checkpoint; its other members stay.
///
/// A file without a JSON object is replaced; `keep` stores a copy first.
pub(super) fn point(
    fs: &dyn Fs,
    guard: &DirLock,
    pointer: &Pointer,
    keep: Keep<'_>,
) -> Result<PathBuf, CheckpointError> {
    let path = guard.dir().join(HandoffDoc::FILE_NAME);
    let update = Update {
        fs,
        guard,
        path: &path,
        mode: 0o666,
        is_complete: &|bytes| pointer.set_in(bytes).is_some(),
        merge: &|_, _| None,
        keep: &|bytes| keep(&path, bytes),
    };
    update.run(|old| {
        let Some(old) = old else { return Ok(Edit::Write(pointer.to_bytes(), ())) };
        let bytes = pointer.set_in(old);
        if bytes.is_none() {
            keep(&path, old)?;
        }
        Ok::<_, CheckpointError>(Edit::Write(bytes.unwrap_or_else(|| pointer.to_bytes()), ()))
    })?;
    Ok(path)
}

fn file(dir: &Path, id: &CheckpointId) -> PathBuf {
    dir.join(format!("{id}.json"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use skein_format::checkpoint::{CheckpointFileKind, CheckpointType, NewCheckpoint};
    use skein_format::time::Time;
    use skein_store::{lock, write_unsynced};
    use skein_testkit::{Files, SimFs};

    use super::*;

    const DIR: &str = "/w/workspace/threads";
    const OLD: &str = "{\"last_thread\": \"T-1\", \"mine\": [ 1 ]}";

    fn new() -> NewCheckpoint {
        NewCheckpoint {
            id: CheckpointId::parse("T-20260123-143052-x").unwrap(),
            kind: CheckpointType::Handoff,
            created_at: Time::from_millis(0),
            workspace_root: None,
            cwd: None,
            git: None,
            worker: None,
            summary: "Done".to_owned(),
            files: Vec::new(),
            steps: Vec::new(),
            session_id: None,
            agent: None,
            title: None,
            tags: Vec::new(),
            trigger: None,
            transcript_path: None,
            previous_handoff: None,
        }
    }

    /// Returns a simulated file system with the previous files, and the lock.
    fn start(pointer: Option<&str>) -> (SimFs, DirLock) {
        let mut sim = SimFs::new();
        for dir in ["/w", "/w/workspace", DIR] {
            sim = sim.with_dir(Path::new(dir));
        }
        if let Some(bytes) = pointer {
            sim = sim
                .with_file(&Path::new(DIR).join("T-1.json"), b"{}")
                .with_file(&Path::new(DIR).join("handoff.json"), bytes.as_bytes());
        }
        let guard = lock(&sim, Path::new(DIR), Duration::ZERO).unwrap();
        (sim, guard)
    }

    fn hand_over(sim: &SimFs, guard: &DirLock) -> Result<(), CheckpointError> {
        let new = new();
        let make = |id: &CheckpointId| Ok(NewCheckpoint { id: id.clone(), ..new.clone() }.to_doc());
        let (id, _, _) = create(sim, guard, &new.id, &make)?;
        let (created_at, message) = (new.created_at, "Go on".to_owned());
        let pointer =
            Pointer { created_at, message, thread: id, context_notes: String::new(), git: None };
        point(sim, guard, &pointer, &|path, _| Ok(path.to_owned()))?;
        for name in ["INDEX.md", "recent.md"] {
            // A table can be written again, so an error is ignored.
            drop(write_unsynced(sim, guard, &Path::new(DIR).join(name), b"table"));
        }
        Ok(())
    }

    /// Checks that each document is complete, old or new, and that the pointer has an existing target.
    fn assert_sound(files: &Files, before: Option<&str>) {
        let read = |name: &str| files.get(&Path::new(DIR).join(name)).map(Vec::as_slice);
        let pointer = read("handoff.json");
        if let Some(bytes) = pointer {
            let (doc, _) = HandoffDoc::parse(bytes.to_vec());
            let id = doc.last_thread.unwrap_or_default();
            assert!(read(&format!("{id}.json")).is_some(), "the pointer is dangling: {id}");
            if before.is_some() {
                assert!(bytes.ends_with(b"}") && String::from_utf8_lossy(bytes).contains("[ 1 ]"));
            }
        } else {
            assert_eq!(before, None);
        }
        if let Some(bytes) = read("T-20260123-143052-x.json") {
            let stem = "T-20260123-143052-x";
            let (_, found) = CheckpointDoc::parse(bytes.to_vec(), stem, CheckpointFileKind::Thread);
            assert_eq!(found, []);
        }
    }

    #[test]
    fn a_power_cut_anywhere_leaves_no_dangling_pointer() {
        for before in [None, Some(OLD)] {
            let (sim, guard) = start(before);
            let begin = sim.operations();
            hand_over(&sim, &guard).unwrap();
            let all = sim.operations();
            assert!(all > begin + 10);
            for cut in begin..all {
                let (sim, guard) = start(before);
                sim.cut_after(cut);
                let done = hand_over(&sim, &guard).is_ok();
                let survivors = sim.survivors();
                survivors.iter().for_each(|files| assert_sound(files, before));
                let leads = |files: &Files| {
                    let bytes = files.get(&Path::new(DIR).join("handoff.json"));
                    bytes.is_some_and(|bytes| String::from_utf8_lossy(bytes).contains("T-2026"))
                };
                assert!(!done || survivors.iter().all(leads), "reported success too early: {cut}");
            }
        }
    }

    #[test]
    fn a_failed_operation_leaves_a_valid_pointer() {
        let (sim, guard) = start(Some(OLD));
        let begin = sim.operations();
        hand_over(&sim, &guard).unwrap();
        for number in begin + 1..=sim.operations() {
            let (sim, guard) = start(Some(OLD));
            sim.fail_at(number, 28);
            drop(hand_over(&sim, &guard));
            assert_sound(&sim.files(), Some(OLD));
        }
    }

    #[test]
    fn a_taken_id_gets_a_numeric_suffix() {
        let (sim, guard) = start(None);
        for expected in ["", "-2", "-3"] {
            let new = new();
            let make =
                |id: &CheckpointId| Ok(NewCheckpoint { id: id.clone(), ..new.clone() }.to_doc());
            let (id, _, doc) = create(&sim, &guard, &new.id, &make).unwrap();
            assert_eq!(id.as_str(), format!("T-20260123-143052-x{expected}"));
            assert_eq!(doc.head().id.as_deref(), Some(id.as_str()));
        }
    }
}
