//! SQLite's full-text search over the same texts, asked by its own program.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::scene::Scene;
use crate::Outcome;
use crate::corpus::put;
use crate::load::Work;
use crate::programs::{Program, Programs, command};
use crate::timing::timed;

const ROUNDS: usize = 3;

/// A database that holds the texts of a corpus.
pub(super) struct Database {
    file: PathBuf,
    pub(super) cost: Cost,
}

/// What it cost to make, kept beside it because that is done once.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(super) struct Cost {
    /// Of processors.
    pub(super) seconds: f64,
    pub(super) bytes: u64,
}

impl Database {
    /// Makes the database of a corpus, if it is not there; none where SQLite is not, or cannot.
    pub(super) fn new(scene: &Scene, programs: &Programs) -> Outcome<Option<Self>> {
        if programs.version(Program::Sqlite3).is_none() {
            return Ok(None);
        }
        let file = scene.corpus.root.with_extension("sqlite");
        let stamp = file.with_extension("sqlite.complete");
        if let Ok(text) = fs::read(&stamp) {
            return Ok(Some(Self { file, cost: serde_json::from_slice(&text)? }));
        }
        drop(fs::remove_file(&file));
        eprintln!("writing a database to {}", file.display());
        let work = Work::now()?;
        let mut command = command(Program::Sqlite3.name());
        let build = "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; \
            CREATE VIRTUAL TABLE threads USING fts5(name UNINDEXED, text); \
            INSERT INTO threads SELECT name, CAST(data AS TEXT) FROM fsdir('.') WHERE data IS NOT NULL;";
        command.arg(&file).arg(build).current_dir(&scene.corpus.folder);
        if !command.status()?.success() {
            eprintln!("passing over sqlite3: it cannot build a full-text index");
            return Ok(None);
        }
        let cost = Cost { seconds: work.own_seconds()?, bytes: fs::metadata(&file)?.len() };
        put(&stamp, &serde_json::to_vec(&cost)?)?;
        Ok(Some(Self { file, cost }))
    }

    /// Times queries for the best twenty with a snippet each, a process for each, and returns the average.
    pub(super) fn average(&self, words: &[String]) -> Outcome<Duration> {
        let mut sum = Duration::ZERO;
        for word in words {
            let times = (0..=ROUNDS).map(|_| self.timed(word)).collect::<Outcome<Vec<_>>>()?;
            sum += times.into_iter().skip(1).min().unwrap_or_default();
        }
        Ok(sum / u32::try_from(words.len().max(1))?)
    }

    fn timed(&self, word: &str) -> Outcome<Duration> {
        let query = format!(
            "SELECT name, snippet(threads, 1, '[', ']', '…', 16) FROM threads \
             WHERE threads MATCH '\"{word}\"' ORDER BY rank LIMIT 20;"
        );
        let mut command = command(Program::Sqlite3.name());
        command.arg(&self.file).arg(query);
        let (time, status) = timed(|| command.status());
        if status?.success() { Ok(time) } else { Err("sqlite3 failed".into()) }
    }
}
