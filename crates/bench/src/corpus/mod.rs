//! Corpora of thread files, the same ones for the same size on every machine.

mod checkpoint;
mod grown;
mod prose;
pub(crate) mod random;
mod review;
pub(crate) mod session;
mod vocabulary;
mod workspace;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Outcome;
pub(crate) use grown::{Axis, CHECKPOINT, Grown, LARGE, WORD};
use random::Random;
pub(crate) use workspace::Workspace;

/// Names the form of the corpora, so that those of another one are never taken for them.
const FORM: &str = "skein-bench-2";

/// Where corpora are, or are made when they are asked for.
pub(crate) struct Corpora {
    dir: PathBuf,
    /// Removes the directory when the run ends.
    _temp: Option<TempDir>,
}

/// A kind of thread with one file for each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Review,
    Checkpoint,
}

impl Kind {
    /// Returns the word for threads of this kind.
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

    /// Makes the name and the content of the file of a number.
    fn file(self, number: usize) -> (String, Vec<u8>) {
        match self {
            Self::Review => review::file(&mut Random::seeded(1, number)),
            Self::Checkpoint => checkpoint::file(&mut Random::seeded(2, number)),
        }
    }
}

/// The files of one kind below a root.
pub(crate) struct Corpus {
    /// The directory to list.
    pub(crate) root: PathBuf,
    /// The directory that holds the files and nothing else.
    pub(crate) folder: PathBuf,
    /// The files, in the byte order of their names.
    pub(crate) paths: Vec<PathBuf>,
}

impl Corpora {
    /// Takes the directory to keep corpora in; without one they are kept for this run.
    pub(crate) fn new(dir: Option<PathBuf>) -> Outcome<Self> {
        let (dir, temp) = match dir {
            Some(dir) => {
                fs::create_dir_all(&dir)?;
                (dir.canonicalize()?, None)
            }
            None => {
                let temp = tempfile::tempdir()?;
                (temp.path().canonicalize()?, Some(temp))
            }
        };
        Ok(Self { dir, _temp: temp })
    }

    /// Returns a directory for files that are written while measuring, removed when dropped.
    pub(crate) fn scratch(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(&self.dir)
    }

    /// Returns the corpus of so many files, which is made if it is not there.
    pub(crate) fn get(&self, kind: Kind, size: usize) -> Outcome<Corpus> {
        // Each has a root of its own: a command that is about one kind looks at the others as well.
        let root = self.dir.join(FORM).join(format!("{}-{size}", kind.name()));
        let folder = root.join(kind.folder());
        let stamp = folder.with_extension("complete");
        if !stamp.exists() {
            eprintln!("writing {size} files to {}", folder.display());
            fs::create_dir_all(&folder)?;
            for number in 0..size {
                let (name, bytes) = kind.file(number);
                put(&folder.join(name), &bytes)?;
            }
            put(&stamp, b"")?;
        }
        let mut paths = fs::read_dir(&folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<_>>>()?;
        paths.sort_unstable();
        if paths.len() != size {
            return Err(format!("{} does not hold {size} files", folder.display()).into());
        }
        Ok(Corpus { root, folder, paths })
    }
}

/// Returns the name and the content of a review thread of the usual size.
pub(crate) fn usual_review() -> (String, Vec<u8>) {
    let usual = |bytes: &[u8]| (5_900..6_300).contains(&bytes.len());
    let mut files = (0..).map(|number| Kind::Review.file(number));
    files.find(|(_, bytes)| usual(bytes)).unwrap_or_default()
}

/// Writes a file that only this program reads: nothing is lost with it.
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
        let all: usize = (0..2_000).map(|number| kind.file(number).1.len()).sum();
        let average = all / 2_000;
        let (low, high) = (expected * 97 / 100, expected * 103 / 100);
        assert!((low..=high).contains(&average), "{average}");
    }

    #[test]
    fn files_have_the_sizes_that_were_met() {
        check_average(Kind::Review, 6_060);
        check_average(Kind::Checkpoint, 2_690);
    }

    #[test]
    fn files_are_sound() {
        for number in 0..300 {
            let (name, bytes) = Kind::Review.file(number);
            let stem = name.strip_suffix(".md").unwrap();
            let (doc, found) = ReviewDoc::parse(bytes, stem, ".code-review");
            assert!(doc.head().usable && found.is_empty(), "{found:?}");
            assert!(doc.context().is_some() && doc.comment_count() > 0);
            let (name, bytes) = Kind::Checkpoint.file(number);
            let stem = name.strip_suffix(".json").unwrap();
            let (_, found) = CheckpointDoc::parse(bytes, stem, CheckpointFileKind::Thread);
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn the_same_number_gives_the_same_file() {
        assert_eq!(Kind::Review.file(7), Kind::Review.file(7));
        assert_ne!(Kind::Review.file(7), Kind::Review.file(8));
    }
}
