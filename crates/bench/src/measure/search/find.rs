//! The baseline of a search: ripgrep over the same files, or what comes nearest where it is not there.

use std::path::Path;
use std::time::Duration;

use memchr::memmem::Finder;

use crate::Outcome;
use crate::corpus::Corpus;
use crate::measure::read::{each, to_end};
use crate::programs::{Program, Programs, command};
use crate::timing::timed;

/// Finds the files that have a word.
pub(super) struct Finding<'a> {
    corpus: &'a Corpus,
    has_rg: bool,
}

impl<'a> Finding<'a> {
    pub(super) fn new(corpus: &'a Corpus, programs: &Programs) -> Self {
        Self { corpus, has_rg: programs.version(Program::Rg).is_some() }
    }

    /// Says what stands in for ripgrep, where something does.
    pub(super) fn note(&self) -> Option<String> {
        let note = "rg is not there: the baseline reads all files on all processors and looks for the word in them";
        (!self.has_rg).then(|| note.to_owned())
    }

    /// Returns a time for the column of ripgrep.
    pub(super) fn column(&self, time: Duration) -> Option<Duration> {
        self.has_rg.then_some(time)
    }

    /// Times `rg -l WORD`.
    pub(super) fn timed(&self, word: &str) -> Outcome<Duration> {
        if self.has_rg { ripgrep(&self.corpus.folder, word) } else { self.scan(word) }
    }

    fn scan(&self, word: &str) -> Outcome<Duration> {
        let finder = Finder::new(word);
        let (time, files) = timed(|| {
            each(&self.corpus.paths, to_end, |bytes| usize::from(finder.find(bytes).is_some()))
        });
        match files? {
            0 => Err(format!("no file has the word {word}").into()),
            _ => Ok(time),
        }
    }
}

fn ripgrep(dir: &Path, word: &str) -> Outcome<Duration> {
    let mut command = command(Program::Rg.name());
    command.args(["--no-config", "-l", "--", word, "."]).current_dir(dir);
    let (time, status) = timed(|| command.status());
    match status?.success() {
        true => Ok(time),
        false => Err(format!("rg does not find {word}").into()),
    }
}
