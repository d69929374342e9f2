//! A reply, from the id of the thread to the last sync, among few threads and among many.

use std::path::PathBuf;
use std::time::Duration;

use skein_doctor::{Repair, repair};
use skein_review::{ReplyOptions, reply};
use skein_store::{RealFs, lock, read, replace, write_unsynced};
use skein_workspace::{Actor, Env, Workspace, discover};

use super::env;
use super::replace::replace_durably;
use crate::Outcome;
use crate::corpus::{Corpora, Kind};
use crate::figure::Figure;
use crate::options::shown;
use crate::timing::{median_of, timed};

/// How often the two take turns, and how many replies a turn has.
const TURNS: (usize, usize) = (100, 4);
const BOUND: f64 = 1.5;
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Measures a reply with and without its entry in the index, at every size, and the largest store against the smallest.
pub(crate) fn figures(corpora: &Corpora, sizes: &[usize]) -> Outcome<Vec<Figure>> {
    let stores =
        sizes.iter().map(|size| Store::new(corpora, *size)).collect::<Outcome<Vec<_>>>()?;
    let (Some(small), Some(large)) = (stores.first(), stores.last()) else {
        return Ok(Vec::new());
    };
    let indexed = median_of(TURNS, || small.bare(), || small.reply())?;
    let mut figures = Vec::new();
    for store in &stores {
        store.pad_index()?;
        let pair = median_of(TURNS, || store.bare(), || store.reply())?;
        let figure = Figure::ratio("reply / write+sync+rename", shown(store.size), pair);
        figures.push(figure.sized(store.size).at_most(BOUND));
    }
    let growth = median_of(TURNS, || small.reply(), || large.reply())?;
    for store in &stores {
        store.remove_index()?;
    }
    let corpus = format!("{} to {}", shown(small.size), shown(large.size));
    figures.extend([
        Figure::ratio("reply with its index entry / same", shown(small.size), indexed),
        Figure::ratio("reply, many / few", corpus, growth).at_most(BOUND),
    ]);
    Ok(figures)
}

/// A store with an index, and the thread that is replied to.
struct Store {
    size: usize,
    env: Env,
    workspace: Workspace,
    thread: PathBuf,
    text: Vec<u8>,
    index: PathBuf,
}

impl Store {
    fn new(corpora: &Corpora, size: usize) -> Outcome<Self> {
        let corpus = corpora.get(Kind::Review, size)?;
        let usual = |path: &&PathBuf| {
            path.metadata().is_ok_and(|file| (5_900..6_300).contains(&file.len()))
        };
        let thread = corpus.paths.iter().find(usual).ok_or("no thread of the usual size")?.clone();
        let env = env(&corpus.root);
        let workspace = discover(&env);
        let reviews = workspace.reviews.clone();
        let index = reviews.store().join("index.json");
        repair(&workspace, &env, &Repair::RebuildIndex { reviews })?;
        let text = read(&thread)?.bytes;
        Ok(Self { size, env, workspace, thread, text, index })
    }

    /// Times the same file in the same directory, which is what a reply replaces.
    fn bare(&self) -> Outcome<Duration> {
        replace_durably(&self.thread, &self.text)
    }

    /// Times a reply, which is taken back afterwards so that the file does not grow.
    fn reply(&self) -> Outcome<Duration> {
        let actor = Actor { name: "Claude".to_owned(), agent: true };
        let id = self.thread.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let body = "Done, with a test for the empty case.";
        let (time, replied) =
            timed(|| reply(&self.workspace, &self.env, &actor, id, body, ReplyOptions::default()));
        replied?;
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        let revision = read(&self.thread)?.revision;
        replace(&RealFs, &guard, &self.thread, &revision, &self.text)?;
        Ok(time)
    }

    /// Makes the index as large as that of a store in which a reply leaves it alone.
    fn pad_index(&self) -> Outcome<()> {
        let mut bytes = read(&self.index)?.bytes;
        bytes.resize(bytes.len().max(1024 * 1024 + 1), b' ');
        self.write_index(&bytes)
    }

    fn write_index(&self, bytes: &[u8]) -> Outcome<()> {
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        Ok(write_unsynced(&RealFs, &guard, &self.index, bytes)?)
    }

    /// Leaves the corpus as it was found.
    fn remove_index(&self) -> Outcome<()> {
        Ok(std::fs::remove_file(&self.index)?)
    }
}
