//! A corpus, and the program that searches it with directories of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::Outcome;
use crate::corpus::{Corpora, Corpus, Kind};
use crate::measure::process::program;
use crate::programs::command;
use crate::timing::timed;

/// A corpus, and where the program keeps what it knows of it.
pub(super) struct Scene {
    pub(super) kind: Kind,
    pub(super) corpus: Corpus,
    program: PathBuf,
    home: TempDir,
}

/// What was found, as far as it is looked at here.
#[derive(Deserialize)]
struct Found {
    total: usize,
}

impl Scene {
    /// Makes a home for a corpus; none where there is no program that can search.
    pub(super) fn new(corpora: &Corpora, kind: Kind, size: usize) -> Outcome<Option<Self>> {
        let Some(program) = program()?.filter(|program| can_search(program)) else {
            return Ok(None);
        };
        let corpus = corpora.get(kind, size)?;
        let home = corpora.scratch()?;
        Ok(Some(Self { kind, corpus, program, home }))
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Times `skein search WORD --json` in a process of its own, and returns how many threads it found.
    pub(super) fn search(&self, word: &str) -> Outcome<(Duration, usize)> {
        let mut command = self.command(&["search", word, "--json"]);
        command.stdout(Stdio::piped());
        let (time, output) = timed(|| command.output());
        let output = output?;
        let found: Found = match output.status.code() {
            Some(0 | 1) => serde_json::from_slice(&output.stdout)?,
            _ => return Err(format!("`skein search {word}` failed").into()),
        };
        Ok((time, found.total))
    }

    /// Returns a command of the program, which stands in the corpus.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(&self.program);
        command
            .args(args)
            .current_dir(&self.corpus.root)
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("XDG_STATE_HOME", self.home().join("state"))
            .env("XDG_CACHE_HOME", self.home().join("cache"));
        command
    }
}

fn can_search(program: &Path) -> bool {
    command(program).args(["search", "--help"]).status().is_ok_and(|status| status.success())
}
