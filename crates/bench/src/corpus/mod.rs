//! Generates corpora of thread files: the same ones for the same size on every machine.

mod checkpoint;
mod prose;
pub(crate) mod random;
mod review;
pub(crate) mod session;
mod source;
mod vocabulary;
mod workspace;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Outcome;
use random::Random;
pub(crate) use workspace::{CHECKPOINT, LARGE, SampleWorkspace, Sizes, WORD};

/// The version of the corpora: those of other versions are not used.
const VERSION: &str = "skein-bench-3";

/// The directory in which corpora are generated on demand.
pub(crate) struct Corpora {
    dir: PathBuf,
    /// Removes the directory at the end of the run.
    _temp: Option<TempDir>,
}

/// A kind of thread with one file for each thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadKind {
    Review,
    Checkpoint,
}

impl ThreadKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Review => "reviews",
            Self::Checkpoint => "checkpoints",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Review => ".code-review/threads",
            Self::Checkpoint => "workspace/threads",
        }
    }

    /// Generates the name and the content of a file.
    pub(crate) fn file(self, number: usize) -> (String, Vec<u8>) {
        match self {
            Self::Review => review::file(&mut Random::seeded(1, number)),
            Self::Checkpoint => checkpoint::file(&mut Random::seeded(2, number)),
        }
    }

    /// Writes files with the numbers from 0 on into a directory.
    fn write(self, folder: &Path, count: usize) -> Outcome<()> {
        fs::create_dir_all(folder)?;
        for number in 0..count {
            let (name, bytes) = self.file(number);
            put(&folder.join(name), &bytes)?;
        }
        Ok(())
    }
}

/// The files of one kind.
pub(crate) struct Corpus {
    pub(crate) kind: ThreadKind,
    /// The workspace.
    pub(crate) root: PathBuf,
    /// The directory of the files.
    pub(crate) folder: PathBuf,
    /// The files, sorted by name.
    pub(crate) paths: Vec<PathBuf>,
}

impl Corpora {
    /// Takes the directory in which corpora are kept; without one, they are removed after the run.
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

    /// Returns the corpus of a size, which is generated if it does not exist.
    pub(crate) fn threads(&self, kind: ThreadKind, size: usize) -> Outcome<Corpus> {
        // Each has its own root, because a command reads the other kinds, too.
        let root = self.dir.join(format!("{}-{size}", kind.name()));
        let folder = root.join(kind.folder());
        let complete = folder.with_extension("complete");
        if !complete.exists() {
            eprintln!("writing {size} files to {}", folder.display());
            kind.write(&folder, size)?;
            put(&complete, b"")?;
        }
        let paths = files(&folder)?;
        match paths.len() == size {
            true => Ok(Corpus { kind, root, folder, paths }),
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

/// Returns whether a review thread has the usual size.
pub(crate) fn has_usual_size(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| (5_900..6_300).contains(&file.len()))
}

/// Returns the id of a thread.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// Writes a file of a corpus, which no user's data depends on.
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
    fn check_average(kind: ThreadKind, expected: usize) {
        let all: usize = (0..2_000).map(|number| kind.file(number).1.len()).sum();
        let average = all / 2_000;
        let (low, high) = (expected * 97 / 100, expected * 103 / 100);
        assert!((low..=high).contains(&average), "{average}");
    }

    #[test]
    fn files_have_the_usual_sizes() {
        check_average(ThreadKind::Review, 6_060);
        check_average(ThreadKind::Checkpoint, 2_690);
    }

    #[test]
    fn files_are_valid() {
        for number in 0..300 {
            let (name, bytes) = ThreadKind::Review.file(number);
            let (doc, found) = ReviewDoc::parse(bytes, stem(name.as_ref()), ".code-review");
            assert!(doc.head().usable && found.is_empty(), "{found:?}");
            assert!(doc.context().is_some() && doc.comment_count() > 0);
            let (name, bytes) = ThreadKind::Checkpoint.file(number);
            let kind = CheckpointFileKind::Thread;
            let (_, found) = CheckpointDoc::parse(bytes, stem(name.as_ref()), kind);
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn the_same_number_gives_the_same_file() {
        assert_eq!(ThreadKind::Review.file(7), ThreadKind::Review.file(7));
        assert_ne!(ThreadKind::Review.file(7), ThreadKind::Review.file(8));
    }
}
