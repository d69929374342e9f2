//! Moves checkpoints to the trash or the archive.

use std::io::ErrorKind;
use std::path::Path;

use skein_store::{DirLock, Fs, move_to_trash, relocate};

use super::RemovedCheckpoint;
use crate::error::CheckpointError;

/// Moves a checkpoint; its changeset file is moved first.
///
/// A crash leaves each file at its old path, its new one, or both. The next cleanup finds the thread at its old path
/// and completes the move.
pub(super) fn out(
    fs: &dyn Fs,
    guard: &DirLock,
    (trash, archive): (&Path, &Path),
    one: &RemovedCheckpoint,
    stamp: &str,
) -> Result<(), CheckpointError> {
    let path = &one.file;
    let beside = path.with_extension("changeset.json");
    let alone = fs.metadata(&beside).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let beside = (!alone).then_some(beside);
    for file in beside.iter().chain([path]) {
        if one.to == "trash" {
            move_to_trash(fs, guard, trash, file, stamp)?;
        } else {
            let name = file.file_name().unwrap_or_default();
            relocate(fs, guard, file, &archive.join(&one.to).join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use skein_store::lock;
    use skein_testkit::SimFs;

    use super::*;

    const DIR: &str = "/threads";
    const FILES: [&str; 3] = ["T-1.json", "T-1.changeset.json", "T-2.json"];

    fn start() -> (SimFs, DirLock) {
        let sim = FILES.iter().fold(SimFs::new().with_dir(Path::new(DIR)), |sim, name| {
            sim.with_file(&Path::new(DIR).join(name), name.as_bytes())
        });
        let guard = lock(&sim, Path::new(DIR), Duration::ZERO).unwrap();
        (sim, guard)
    }

    fn run(sim: &SimFs, guard: &DirLock) -> Result<(), CheckpointError> {
        let going = [("T-1", "2026-01"), ("T-2", "trash")].map(|(id, to)| RemovedCheckpoint {
            id: id.to_owned(),
            title: String::new(),
            kind: String::new(),
            updated_at: None,
            file: Path::new(DIR).join(format!("{id}.json")),
            to: to.to_owned(),
            reason: String::new(),
        });
        let archive = Path::new(DIR).join("archive");
        let trash = Path::new("/state/trash");
        going.iter().try_for_each(|one| out(sim, guard, (trash, &archive), one, "now"))
    }

    /// Checks that every file is complete at its old or its new path.
    fn assert_sound(files: &skein_testkit::Files) {
        for name in FILES {
            let goal = match name {
                "T-2.json" => PathBuf::from("/state/trash/now-T-2.json"),
                name => Path::new(DIR).join("archive/2026-01").join(name),
            };
            let found = [Path::new(DIR).join(name), goal].map(|path| files.get(&path).cloned());
            let whole = |bytes: &Option<Vec<u8>>| bytes.as_deref() == Some(name.as_bytes());
            assert!(found.iter().any(whole), "{name} is lost: {files:?}");
        }
    }

    #[test]
    fn a_power_cut_anywhere_loses_nothing() {
        let (sim, guard) = start();
        let before = sim.operations();
        run(&sim, &guard).unwrap();
        let all = sim.operations();
        for cut in before..=all {
            let (sim, guard) = start();
            sim.cut_after(cut);
            let done = run(&sim, &guard);
            assert!(cut == all || done.is_err() || cut + 1 == all);
            sim.survivors().iter().for_each(assert_sound);
        }
    }

    #[test]
    fn an_interrupted_move_is_completed() {
        let (sim, guard) = start();
        let copy = Path::new(DIR).join("archive/2026-01/T-1.json");
        let (archive, month) = (Path::new(DIR).join("archive"), copy.parent().unwrap());
        let sim = sim.with_dir(&archive).with_dir(month).with_file(&copy, b"T-1.json");
        run(&sim, &guard).unwrap();
        for files in sim.survivors() {
            assert_sound(&files);
            assert!(!files.contains_key(&Path::new(DIR).join("T-1.json")));
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let (sim, guard) = start();
        let copy = Path::new(DIR).join("archive/2026-01/T-1.json");
        let (archive, month) = (Path::new(DIR).join("archive"), copy.parent().unwrap());
        let sim = sim.with_dir(&archive).with_dir(month).with_file(&copy, b"another");
        assert!(run(&sim, &guard).is_err());
        for files in sim.survivors() {
            assert_eq!(files.get(&copy).map(Vec::as_slice), Some(b"another".as_slice()));
            assert!(files.contains_key(&Path::new(DIR).join("T-1.json")));
        }
    }
}
