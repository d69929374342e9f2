//! A corpus, and the program that searches it with directories of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::Outcome;
use crate::corpus::{Corpora, Corpus, Kind, put};
use crate::measure::process::program;
use crate::programs::command;
use crate::timing::timed;

/// A search must not begin to index on its own while another one is timed.
const SETTINGS: &[u8] = b"[search]\nbackground = false\n";

/// A corpus, and where the program keeps what it knows of it.
pub(super) struct Scene {
    pub(super) kind: Kind,
    pub(super) corpus: Corpus,
    /// How large all files are together.
    pub(super) bytes: u64,
    program: PathBuf,
    home: TempDir,
}

/// Which cache directory a command uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cache {
    /// One in which an index was built.
    Indexed,
    /// One that stays empty.
    Empty,
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
        let lengths = corpus.paths.iter().map(|path| Ok(fs::metadata(path)?.len()));
        let bytes = lengths.sum::<Outcome<u64>>()?;
        let home = corpora.scratch()?;
        let settings = home.path().join(".config/skein");
        fs::create_dir_all(&settings)?;
        put(&settings.join("config.toml"), SETTINGS)?;
        Ok(Some(Self { kind, corpus, bytes, program, home }))
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the directory that the cache variable names.
    pub(super) fn cache(&self, cache: Cache) -> PathBuf {
        self.home.path().join(match cache {
            Cache::Indexed => "cache",
            Cache::Empty => "nothing",
        })
    }

    /// Times `skein search WORD --json` in a process of its own, and returns how many threads it found.
    pub(super) fn search(&self, word: &str, cache: Cache) -> Outcome<(Duration, usize)> {
        let mut command = self.command(&["search", word, "--json"], cache);
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
    pub(super) fn command(&self, args: &[&str], cache: Cache) -> Command {
        let mut command = command(&self.program);
        command
            .args(args)
            .current_dir(&self.corpus.root)
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("XDG_STATE_HOME", self.home().join("state"))
            .env("XDG_CACHE_HOME", self.cache(cache));
        command
    }
}

fn can_search(program: &Path) -> bool {
    command(program).args(["search", "--help"]).status().is_ok_and(|status| status.success())
}
