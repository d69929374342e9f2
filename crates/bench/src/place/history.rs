//! Reads commits, patches and texts of a repository.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::rc::Rc;

use skein_anchor::{Next, Steps, Version};

use super::patch::{self, Step};
use crate::Outcome;

/// Patches without context, as a person would read them, whatever the user has configured.
const PATCH: [&str; 8] = [
    "-p",
    "-U0",
    "--find-renames",
    "--diff-algorithm=histogram",
    "--no-color",
    "--no-ext-diff",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Texts beyond this size are not looked at.
const MAX_TEXT_LEN: usize = 1 << 20;

/// A repository and what was read of it.
pub(crate) struct History {
    dir: PathBuf,
    /// The commits from the first to the last, each the first parent of the next.
    pub(crate) commits: Vec<String>,
    batch: Rc<RefCell<Batch>>,
}

/// The text of a file.
pub(crate) type Text = Rc<Vec<u8>>;

/// A patch that is in the history under one name and outside of it under another.
pub(crate) struct Twins {
    pub(crate) outside: String,
    /// The index of the commit in the history.
    pub(crate) inside: usize,
}

impl History {
    pub(crate) fn open(dir: &Path) -> Outcome<Self> {
        let list = skein_git::run(dir, ["rev-list", "--first-parent", "--reverse", "HEAD"])?;
        let commits = String::from_utf8(list)?.lines().map(str::to_owned).collect();
        Ok(Self { dir: dir.to_owned(), commits, batch: Rc::new(RefCell::new(Batch::start(dir)?)) })
    }

    /// Returns what the commits after `from` up to `to` did, one after the other.
    pub(crate) fn steps(&self, from: &str, to: &str) -> Outcome<Vec<(String, Step)>> {
        let span = format!("{from}..{to}");
        let order =
            ["--first-parent", "--diff-merges=first-parent", "--reverse", "--format=commit %H"];
        let args = ["-c", "core.quotePath=false", "log"].into_iter().chain(order).chain(PATCH);
        Ok(patch::steps(&skein_git::run(&self.dir, args.chain([span.as_str()]))?))
    }

    /// Returns how two trees differ.
    pub(crate) fn difference(&self, from: &str, to: &str) -> Outcome<Step> {
        let args = ["-c", "core.quotePath=false", "diff"].into_iter().chain(PATCH);
        Ok(patch::step(&skein_git::run(&self.dir, args.chain([from, to]))?))
    }

    /// Returns the text of a file in a commit, unless it is missing, binary or huge.
    pub(crate) fn text(&mut self, commit: &str, path: &str) -> Outcome<Option<Text>> {
        Ok(read(&self.batch, commit, path)?.map(Rc::new))
    }

    /// Returns the commits between two, to be followed one by one.
    pub(crate) fn chain(&self, from: &str, steps: &Rc<Vec<(String, Step)>>) -> Chain {
        Chain { batch: self.batch.clone(), from: from.to_owned(), steps: steps.clone() }
    }

    /// Returns the patches that other branches have in common with the history, but on another base.
    pub(crate) fn twins(&self) -> Outcome<Vec<Twins>> {
        let place: BTreeMap<&str, usize> = self
            .commits
            .iter()
            .enumerate()
            .map(|(index, commit)| (commit.as_str(), index))
            .collect();
        let inside = self.patch_ids(&["--first-parent", "HEAD"])?;
        let outside = self.patch_ids(&["--all", "--not", "HEAD"])?;
        let found = outside.into_iter().filter_map(|(patch, outside)| {
            let inside = inside.get(&patch).and_then(|commit| place.get(commit.as_str()))?;
            Some(Twins { outside, inside: *inside })
        });
        Ok(found.collect())
    }

    /// Returns the commits of some revisions by the identity of their patches.
    fn patch_ids(&self, revisions: &[&str]) -> Outcome<BTreeMap<String, String>> {
        let args = ["log", "-p", "--no-merges", "--no-color", "--no-ext-diff"];
        let mut log = skein_git::command(&self.dir)
            .args(args)
            .args(revisions)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = log.stdout.take().ok_or("git log has no output")?;
        let ids =
            skein_git::command(&self.dir).args(["patch-id", "--stable"]).stdin(output).output()?;
        log.wait()?;
        let ids = String::from_utf8(ids.stdout)?;
        let pairs = ids.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(patch, commit)| (patch.to_owned(), commit.to_owned())).collect())
    }
}

/// Reads a text, unless it is missing, binary or huge.
fn read(batch: &RefCell<Batch>, commit: &str, path: &str) -> Outcome<Option<Vec<u8>>> {
    let text = batch.borrow_mut().read(&format!("{commit}:{path}"))?;
    Ok(text.filter(|text| text.len() <= MAX_TEXT_LEN && !text.contains(&0)))
}

/// The commits between two ends, with access to the files of each.
pub(crate) struct Chain {
    batch: Rc<RefCell<Batch>>,
    from: String,
    steps: Rc<Vec<(String, Step)>>,
}

impl Chain {
    fn text(&self, commit: &str, path: &str) -> Option<Rc<[u8]>> {
        read(&self.batch, commit, path).ok()?.map(Into::into)
    }

    fn before(&self, step: usize) -> &str {
        let before = step.checked_sub(1).and_then(|step| self.steps.get(step));
        before.map_or(self.from.as_str(), |(commit, _)| commit)
    }
}

impl Steps for &Chain {
    fn count(&self) -> usize {
        self.steps.len()
    }

    fn file(&mut self, step: usize, path: &str) -> Next {
        let Some((commit, changes)) = self.steps.get(step) else { return Next::Unknown };
        let of_file = |change: &&patch::Change| change.old_path.as_deref() == Some(path);
        match changes.iter().find(of_file).map(|change| &change.new_path) {
            None => Next::Same,
            Some(None) => Next::Deleted,
            Some(Some(path)) => match self.text(commit, path) {
                Some(text) => Next::File { path: path.clone(), text },
                None => Next::Unknown,
            },
        }
    }

    fn changed(&mut self, step: usize) -> Vec<Version> {
        let Some((commit, changes)) = self.steps.get(step) else { return Vec::new() };
        let version = |change: &patch::Change| {
            let path = change.new_path.clone()?;
            let new = self.text(commit, &path)?;
            let old = change.old_path.as_ref().and_then(|path| self.text(self.before(step), path));
            Some(Version { path, old, new })
        };
        changes.iter().filter_map(version).collect()
    }
}

/// A `git cat-file` that answers until it is dropped.
struct Batch {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Batch {
    fn start(dir: &Path) -> Outcome<Self> {
        let mut command = skein_git::command(dir);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let questions = process.stdin.take().ok_or("git cat-file has no input")?;
        let answers = process.stdout.take().ok_or("git cat-file has no output")?;
        Ok(Self { process, questions, answers: BufReader::new(answers) })
    }

    fn read(&mut self, name: &str) -> Outcome<Option<Vec<u8>>> {
        writeln!(self.questions, "{name}")?;
        self.questions.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let mut words = head.split_whitespace().rev();
        let (size, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if size == "missing" || kind == "ambiguous" {
            return Ok(None);
        }
        let mut text = vec![0; size.parse::<usize>()? + 1];
        self.answers.read_exact(&mut text)?;
        text.pop();
        Ok((kind == "blob").then_some(text))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // The process only reads; nothing is lost with it.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
