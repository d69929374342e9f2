//! A repository in the middle of a large review: 20,000 changed lines and 2,000 threads.

mod change;
mod remark;
mod source;
mod speech;
mod thread;
mod words;
mod work;

use std::fs;
use std::path::{Path, PathBuf};

use skein_git::CommitAs;

use super::random::Random;
use super::{Corpora, FORM, put};
use crate::Outcome;
use source::language;

/// How many files are changed, and how many stay as they are.
const CHANGED: usize = 150;
const STILL: usize = 50;

/// How many lines are removed and added in all.
const LINES: std::ops::Range<usize> = 19_000..21_000;

/// A file of 10,000 lines, which is hardly changed.
const WHOLE: &str = "crates/core/src/whole.rs";
const WHOLE_LINES: usize = 10_000;

/// A repository, its threads, and the home of whoever reviews it.
pub(crate) struct Workspace {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    /// The files of the threads, in the byte order of their names.
    pub(crate) threads: Vec<PathBuf>,
    /// The files that are there and differ from the last commit, without the one of 10,000 lines.
    pub(crate) changed: Vec<String>,
    /// The file of 10,000 lines.
    pub(crate) whole: &'static str,
}

/// What becomes of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Modified,
    Added,
    Deleted,
    Renamed,
    Still,
}

/// A file before and after the work on it.
struct File {
    path: String,
    /// Its name afterwards.
    new_path: String,
    old: Option<Vec<String>>,
    new: Option<Vec<String>>,
}

impl Corpora {
    /// Returns the repository under review, which is made if it is not there.
    pub(crate) fn workspace(&self) -> Outcome<Workspace> {
        let base = self.dir.join(FORM).join("workspace");
        let (root, home, stamp) =
            (base.join("atlas"), base.join("home"), base.join("workspace.complete"));
        if !stamp.exists() {
            eprintln!("writing a repository with 2000 threads to {}", root.display());
            fs::create_dir_all(&root)?;
            fs::create_dir_all(&home)?;
            build(&root, &home)?;
            put(&stamp, b"")?;
        }
        let stamp = base.join("work.complete");
        if !stamp.exists() {
            eprintln!("writing {} checkpoints to {}", work::CHECKPOINTS, root.display());
            work::add(&root, &home)?;
            put(&stamp, b"")?;
        }
        let entries = fs::read_dir(root.join(".code-review/threads"))?;
        let mut threads = entries.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<_>>>()?;
        threads.retain(|path| path.extension().is_some_and(|end| end == "md"));
        threads.sort_unstable();
        if threads.len() != thread::COUNT {
            return Err(format!("{} does not hold the threads", root.display()).into());
        }
        let there = (0..CHANGED).filter(|number| fate(*number) != Fate::Deleted);
        let changed = there.map(|number| paths(number).1).collect();
        Ok(Workspace { root, home, threads, changed, whole: WHOLE })
    }
}

fn build(root: &Path, home: &Path) -> Outcome<()> {
    let files: Vec<File> = (0..CHANGED + STILL).map(file).chain([whole()]).collect();
    skein_git::init(root, "main")?;
    for file in &files {
        if let Some(old) = &file.old {
            write(&root.join(&file.path), old)?;
        }
    }
    let date = "2026-05-20T09:00:00Z";
    let (name, email, message) = ("Ana", "ana@example.org", "begin");
    skein_git::commit_all(root, &CommitAs { name, email, date, message })?;
    thread::add_before(root, home, &files)?;
    for file in &files {
        if file.new.is_none() || file.new_path != file.path {
            fs::remove_file(root.join(&file.path))?;
        }
        if let Some(new) = file.new.as_ref().filter(|_| file.new != file.old) {
            write(&root.join(&file.new_path), new)?;
        }
    }
    thread::add_after(root, home, &files)?;
    thread::discuss(root)?;
    check(root)
}

/// Makes sure that git sees as many changed lines as were meant.
fn check(root: &Path) -> Outcome<()> {
    skein_git::run(root, ["add", "--all", "--intent-to-add"])?;
    let counts = skein_git::run(root, ["diff", "--numstat", "HEAD"])?;
    skein_git::run(root, ["reset", "--quiet"])?;
    let counts = String::from_utf8(counts)?;
    let numbers = counts.lines().flat_map(|line| line.split('\t').take(2));
    let lines: usize = numbers.filter_map(|number| number.parse::<usize>().ok()).sum();
    if LINES.contains(&lines) {
        return Ok(());
    }
    Err(format!("{} has {lines} changed lines", root.display()).into())
}

fn fate(number: usize) -> Fate {
    match number {
        CHANGED.. => Fate::Still,
        _ if number % 40 == 7 => Fate::Deleted,
        _ if number % 75 == 20 => Fate::Renamed,
        _ if number % 15 == 3 => Fate::Added,
        _ => Fate::Modified,
    }
}

/// Returns the names of a file, before and after.
fn paths(number: usize) -> (String, String) {
    let path = words::path(number, language(number).end, &mut Random::seeded(4, number));
    let new_path = match fate(number) {
        Fate::Renamed => path.replacen("/src/", "/src/shared/", 1),
        _ => path.clone(),
    };
    (path, new_path)
}

fn file(number: usize) -> File {
    let mut random = Random::seeded(5, number);
    let (path, new_path) = paths(number);
    let (language, fate) = (language(number), fate(number));
    let length = match fate {
        Fate::Added | Fate::Deleted => random.between(60, 160),
        _ => random.between(150, 550),
    };
    let text = language.text(usize::try_from(length).unwrap_or_default(), &mut random);
    let mut changed = |low, high| {
        let lines = usize::try_from(random.between(low, high)).unwrap_or_default();
        change::change(&text, lines, language, &mut random)
    };
    let new = match fate {
        Fate::Modified => Some(changed(20, 254)),
        Fate::Renamed => Some(changed(8, 20)),
        Fate::Added | Fate::Still => Some(text.clone()),
        Fate::Deleted => None,
    };
    let old = (fate != Fate::Added).then_some(text);
    File { path, new_path, old, new }
}

fn whole() -> File {
    let mut random = Random::seeded(6, 0);
    let language = language(0);
    let mut old = language.text(WHOLE_LINES, &mut random);
    old.truncate(WHOLE_LINES);
    // What is added is taken away at the end, so that it has as many lines as before.
    let mut new = change::change(&old, 40, language, &mut random);
    new.truncate(WHOLE_LINES);
    File { path: WHOLE.to_owned(), new_path: WHOLE.to_owned(), old: Some(old), new: Some(new) }
}

fn write(path: &Path, lines: &[String]) -> Outcome<()> {
    fs::create_dir_all(path.parent().ok_or("a file without a directory")?)?;
    Ok(put(path, (lines.join("\n") + "\n").as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_gives_the_same_file() {
        let texts = |number: usize| (file(number).path, file(number).old, file(number).new);
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(8));
    }

    #[test]
    fn files_have_every_fate() {
        let count = |wanted| (0..CHANGED + STILL).filter(|number| fate(*number) == wanted).count();
        let fates = [Fate::Modified, Fate::Added, Fate::Deleted, Fate::Renamed, Fate::Still];
        assert_eq!(fates.map(count), [134, 10, 4, 2, 50]);
    }

    #[test]
    fn a_long_file_keeps_its_length() {
        let (old, new) = (whole().old.unwrap(), whole().new.unwrap());
        assert_eq!((old.len(), new.len()), (WHOLE_LINES, WHOLE_LINES));
        assert_ne!(old, new);
    }
}
