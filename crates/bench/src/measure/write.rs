//! Measures durable writes, compared with the minimal steps of a durable write.

use std::fs::{File, OpenOptions, create_dir};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use skein_catalog::ThreadRef;
use skein_doctor::{Repair, repair};
use skein_model::Kind;
use skein_review::{ReplyOptions, reply};
use skein_store::{RealFs, Revision, create_new, lock, read, replace, write_unsynced};
use skein_workspace::{Actor, Workspace, discover};

use super::{Bench, env};
use crate::Outcome;
use crate::corpus::Corpus;
use crate::table::{ResultRow, show_size};
use crate::timing::{Turns, timed};

/// The number of turns, and the number of writes in a turn.
const TURNS: Turns = Turns::median_of(100, 4);
/// How far the modification time of a written file is in the past.
const FILE_AGE: Duration = Duration::from_secs(5);
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// A reply does not update an index larger than 1 MB.
const IGNORED_INDEX_LEN: usize = 1024 * 1024 + 1;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = vec![replace_row(bench)?];
    let corpora = bench.all_threads(Kind::Review)?;
    let stores = corpora.iter().map(IndexedStore::new).collect::<Outcome<Vec<_>>>()?;
    let (Some(small), Some(large)) = (stores.first(), stores.last()) else { return Ok(rows) };
    let indexed = TURNS.run(|| small.write(), || small.reply())?;
    for store in &stores {
        store.pad_index()?;
        let pair = TURNS.run(|| store.write(), || store.reply())?;
        let row = ResultRow::pair("reply / write+sync+rename", show_size(store.size), pair);
        rows.push(row.at_most_ratio(1.5).sized(store.size, 0));
    }
    let growth = TURNS.run(|| small.reply(), || large.reply())?;
    let sizes = format!("{} to {}", show_size(small.size), show_size(large.size));
    rows.push(ResultRow::pair("reply with its index entry / same", show_size(small.size), indexed));
    rows.push(ResultRow::pair("reply, many / few", sizes, growth).at_most_ratio(1.5));
    for store in &stores {
        std::fs::remove_file(&store.index)?;
    }
    Ok(rows)
}

/// Measures the replacement of a review thread of the usual size.
fn replace_row(bench: &Bench) -> Outcome<ResultRow> {
    let corpus = bench.corpora.threads(Kind::Review, 1_000)?;
    let text = read(usual_thread(&corpus)?)?.bytes;
    let longer = [text.as_slice(), b"Another paragraph.\n"].concat();
    let scratch = bench.corpora.scratch()?;
    let [plain, store] = ["plain", "store"].map(|name| scratch.path().join(name));
    create_dir(&plain)?;
    create_dir(&store)?;
    let guard = lock(&RealFs, &store, LOCK_TIMEOUT)?;
    let path = store.join("thread");
    create_new(&RealFs, &guard, &path, &text, 0o644)?;
    let (mut old, mut new) = (&text, &longer);
    let skein = || {
        let revision = Revision::from_bytes(old);
        let (time, replaced) = timed(|| replace(&RealFs, &guard, &path, &revision, new));
        replaced?;
        std::mem::swap(&mut old, &mut new);
        Ok(time)
    };
    let pair = TURNS.run(|| write_durably(&plain.join("thread"), &longer), skein)?;
    Ok(ResultRow::pair("replace / write+sync+rename", "6 KB", pair).at_most_ratio(1.3))
}

/// A store with an index, and the thread that gets the replies.
struct IndexedStore {
    size: usize,
    workspace: Workspace,
    thread: PathBuf,
    text: Vec<u8>,
    index: PathBuf,
}

impl IndexedStore {
    fn new(corpus: &Corpus) -> Outcome<Self> {
        let (size, thread) = (corpus.paths.len(), usual_thread(corpus)?.clone());
        let text = read(&thread)?.bytes;
        let workspace = discover(&env(&corpus.root));
        let reviews = workspace.reviews.clone();
        let index = reviews.store().join("index.json");
        repair(&workspace, &Repair::RebuildIndex { reviews })?;
        Ok(Self { size, workspace, thread, text, index })
    }

    /// Measures a plain write of the same thread.
    fn write(&self) -> Outcome<Duration> {
        write_durably(&self.thread, &self.text)
    }

    /// Returns the time of a reply, which is removed afterwards so that the file does not grow.
    fn reply(&self) -> Outcome<Duration> {
        let actor = Actor { name: "Claude".to_owned(), agent: true };
        let (reviews, path) = (self.workspace.reviews.clone(), self.thread.clone());
        let (thread, options) = (ThreadRef { reviews, path }, ReplyOptions::default());
        let body = "Done, with a test for the empty case.";
        let (time, replied) = timed(|| reply(&self.workspace, &actor, &thread, body, options));
        replied?;
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        replace(&RealFs, &guard, &self.thread, &read(&self.thread)?.revision, &self.text)?;
        Ok(time)
    }

    /// Makes the index so large that replies do not update it.
    fn pad_index(&self) -> Outcome<()> {
        let mut bytes = read(&self.index)?.bytes;
        bytes.resize(bytes.len().max(IGNORED_INDEX_LEN), b' ');
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        Ok(write_unsynced(&RealFs, &guard, &self.index, &bytes)?)
    }
}

fn usual_thread(corpus: &Corpus) -> Outcome<&PathBuf> {
    let has_usual_size =
        |path: &&PathBuf| path.metadata().is_ok_and(|file| (5_900..6_300).contains(&file.len()));
    corpus.paths.iter().find(has_usual_size).ok_or("no thread has the usual size".into())
}

/// Returns the time of one write, its sync, one rename, and the sync of the directory.
#[expect(clippy::disallowed_methods, reason = "the baseline is a durable write without the store")]
fn write_durably(path: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let dir = path.parent().ok_or("a file without a directory")?;
    let (temp, modified) = (dir.join("temp"), SystemTime::now() - FILE_AGE);
    let (time, written) = timed(|| -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temp)?;
        file.write_all(bytes)?;
        // If the modification time were recent, a reply would wait, because the file could be written in place.
        file.set_modified(modified)?;
        file.sync_all()?;
        std::fs::rename(&temp, path)?;
        File::open(dir)?.sync_all()
    });
    written?;
    Ok(time)
}
