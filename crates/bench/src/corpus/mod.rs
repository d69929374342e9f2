//! Generates corpora of thread files. The files depend only on the size, not on the machine.

mod checkpoint;
pub(crate) mod prose;
mod review;
pub(crate) mod session;
mod source;
mod vocabulary;
mod workspace;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use skein_model::Kind;
use tempfile::TempDir;

use crate::Outcome;
use prose::seeded;
pub(crate) use workspace::{CHECKPOINT, LARGE, SampleWorkspace, Sizes, WORD};

/// The version of the corpora; corpora of other versions are not reused.
const VERSION: &str = "skein-bench-5";

/// The directory of checkpoints in a workspace.
pub(crate) const CHECKPOINTS: &str = "workspace/threads";

/// The directory of the corpora, which are generated on demand.
pub(crate) struct Corpora {
    dir: PathBuf,
    /// Removes a temporary directory at the end of the run.
    _temp: Option<TempDir>,
}

/// Generates the name and the content of a review thread or a checkpoint.
fn thread_file(kind: Kind, number: usize) -> (String, Vec<u8>) {
    match kind {
        Kind::Review => review::file(&mut seeded(1, number)),
        _ => checkpoint::file(&mut seeded(2, number)),
    }
}

/// Writes `count` threads into a directory, numbered from 0.
fn write_threads(kind: Kind, folder: &Path, count: usize) -> Outcome<()> {
    fs::create_dir_all(folder)?;
    for number in 0..count {
        let (name, bytes) = thread_file(kind, number);
        put(&folder.join(name), &bytes)?;
    }
    Ok(())
}

/// The files of one kind.
pub(crate) struct Corpus {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// The directory of the files.
    pub(crate) folder: PathBuf,
    /// The files, sorted by name.
    pub(crate) paths: Vec<PathBuf>,
}

impl Corpora {
    /// Uses `dir`, where the corpora are kept; without it, they are removed after the run.
    pub(crate) fn new(dir: Option<PathBuf>) -> Outcome<Self> {
        let temp = if dir.is_none() { Some(tempfile::tempdir()?) } else { None };
        let dir = dir.or_else(|| temp.as_ref().map(|temp| temp.path().to_owned()));
        let dir = dir.unwrap_or_default().join(VERSION);
        fs::create_dir_all(&dir)?;
        Ok(Self { dir: dir.canonicalize()?, _temp: temp })
    }

    /// Returns a temporary directory for files that are written while measuring.
    pub(crate) fn scratch(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(&self.dir)
    }

    /// Returns the corpus of a size; generates it if it does not exist.
    pub(crate) fn threads(&self, kind: Kind, size: usize) -> Outcome<Corpus> {
        // Each corpus has its own root, because a command also reads threads of the other kinds.
        let root = self.dir.join(format!("{kind}s-{size}"));
        let folder = root.join(match kind {
            Kind::Review => ".code-review/threads",
            _ => CHECKPOINTS,
        });
        let complete = folder.with_extension("complete");
        if !complete.exists() {
            eprintln!("writing {size} files to {}", folder.display());
            write_threads(kind, &folder, size)?;
            put(&complete, b"")?;
        }
        let paths = files(&folder)?;
        match paths.len() == size {
            true => Ok(Corpus { root, folder, paths }),
            false => Err(format!("{} does not have {size} files", folder.display()).into()),
        }
    }
}

/// Returns the files of a directory, sorted by name.
pub(crate) fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.sort_unstable();
    Ok(paths)
}

/// Returns the id of a thread.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// Writes a file of a corpus, without the safeguards for user data.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true);
    options.open(path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
    use skein_format::review::ReviewDoc;

    #[track_caller]
    fn check_average(kind: Kind, expected: usize) {
        let all: usize = (0..2_000).map(|number| thread_file(kind, number).1.len()).sum();
        let average = all / 2_000;
        let (low, high) = (expected * 97 / 100, expected * 103 / 100);
        assert!((low..=high).contains(&average), "{average}");
    }

    #[test]
    fn files_have_the_usual_sizes() {
        check_average(Kind::Review, 6_060);
        check_average(Kind::Checkpoint, 2_690);
    }

    #[test]
    fn files_are_valid() {
        for number in 0..300 {
            let (name, bytes) = thread_file(Kind::Review, number);
            let (doc, found) = ReviewDoc::parse(bytes, stem(name.as_ref()), ".code-review");
            assert!(doc.head().usable && found.is_empty(), "{found:?}");
            assert!(doc.context().is_some() && doc.comment_count() > 0);
            let (name, bytes) = thread_file(Kind::Checkpoint, number);
            let kind = CheckpointFileKind::Thread;
            let (_, found) = CheckpointDoc::parse(bytes, stem(name.as_ref()), kind);
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn the_same_number_gives_the_same_file() {
        assert_eq!(thread_file(Kind::Review, 7), thread_file(Kind::Review, 7));
        assert_ne!(thread_file(Kind::Review, 7), thread_file(Kind::Review, 8));
    }
}
