//! Durable writes, compared with the minimum that makes a write durable.

use std::fs::{File, OpenOptions, create_dir};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::ThreadRef;
use skein_doctor::{Repair, repair};
use skein_review::{ReplyOptions, reply};
use skein_store::{RealFs, Revision, create_new, lock, read, replace, write_unsynced};
use skein_workspace::{Actor, Env, Workspace, discover};

use super::{Bench, env};
use crate::Outcome;
use crate::corpus::{Corpus, ThreadKind, has_usual_size, stem};
use crate::table::{ResultRow, show_size};
use crate::timing::{Turns, timed};

/// How often the two take turns, and how many writes a turn has.
const TURNS: (usize, usize) = (100, 4);
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// A reply does not update an index that is larger than 1 MB.
const IGNORED_INDEX_LEN: usize = 1024 * 1024 + 1;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = vec![replace_row(bench)?];
    let stores = bench.sizes.iter().map(|size| IndexedStore::new(bench, *size));
    let stores = stores.collect::<Outcome<Vec<_>>>()?;
    let (Some(small), Some(large)) = (stores.first(), stores.last()) else { return Ok(rows) };
    let indexed = Turns::run(TURNS, || small.write(), || small.reply())?.median();
    for store in &stores {
        store.pad_index()?;
        let pair = Turns::run(TURNS, || store.write(), || store.reply())?.median();
        let row = ResultRow::pair("reply / write+sync+rename", show_size(store.size), pair);
        rows.push(row.at_most_ratio(1.5).sized(store.size, 0));
    }
    let growth = Turns::run(TURNS, || small.reply(), || large.reply())?.median();
    let sizes = format!("{} to {}", show_size(small.size), show_size(large.size));
    rows.push(ResultRow::pair("reply with its index entry / same", show_size(small.size), indexed));
    rows.push(ResultRow::pair("reply, many / few", sizes, growth).at_most_ratio(1.5));
    for store in &stores {
        std::fs::remove_file(&store.index)?;
    }
    Ok(rows)
}

/// Replaces a review thread of the usual size.
fn replace_row(bench: &Bench) -> Outcome<ResultRow> {
    let corpus = bench.corpora.threads(ThreadKind::Review, 1_000)?;
    let thread = usual_thread(&corpus)?;
    let (name, text) = (stem(thread), read(thread)?.bytes);
    let scratch = bench.corpora.scratch()?;
    let [plain, store] = ["plain", "store"].map(|name| scratch.path().join(name));
    create_dir(&plain)?;
    create_dir(&store)?;
    let guard = lock(&RealFs, &store, LOCK_TIMEOUT)?;
    let path = store.join(name);
    create_new(&RealFs, &guard, &path, &text, 0o644)?;
    let texts = [text.clone(), [text, b"Another paragraph.\n".to_vec()].concat()];
    let mut texts = texts.iter().rev().cycle();
    let mut revision = read(&path)?.revision;
    let first = texts.clone().next().map(Vec::as_slice).unwrap_or_default();
    let skein = || {
        let text = texts.next().map(Vec::as_slice).unwrap_or_default();
        let (time, replaced) = timed(|| replace(&RealFs, &guard, &path, &revision, text));
        replaced?;
        revision = Revision::from_bytes(text);
        Ok(time)
    };
    let pair = Turns::run(TURNS, || write_durably(&plain.join(name), first), skein)?.median();
    Ok(ResultRow::pair("replace / write+sync+rename", "6 KB", pair).at_most_ratio(1.3))
}

/// A store with an index, and the thread that gets the replies.
struct IndexedStore {
    size: usize,
    env: Env,
    workspace: Workspace,
    thread: PathBuf,
    text: Vec<u8>,
    index: PathBuf,
}

impl IndexedStore {
    fn new(bench: &Bench, size: usize) -> Outcome<Self> {
        let corpus = bench.corpora.threads(ThreadKind::Review, size)?;
        let thread = usual_thread(&corpus)?.clone();
        let text = read(&thread)?.bytes;
        let env = env(&corpus.root);
        let workspace = discover(&env);
        let reviews = workspace.reviews.clone();
        let index = reviews.store().join("index.json");
        repair(&workspace, &env, &Repair::RebuildIndex { reviews })?;
        Ok(Self { size, env, workspace, thread, text, index })
    }

    /// Writes the thread that a reply replaces.
    fn write(&self) -> Outcome<Duration> {
        write_durably(&self.thread, &self.text)
    }

    /// Times a reply, which is removed afterwards so that the file does not grow.
    fn reply(&self) -> Outcome<Duration> {
        let actor = Actor { name: "Claude".to_owned(), agent: true };
        let (reviews, path) = (self.workspace.reviews.clone(), self.thread.clone());
        let (thread, options) = (ThreadRef { reviews, path }, ReplyOptions::default());
        let body = "Done, with a test for the empty case.";
        let (time, replied) =
            timed(|| reply(&self.workspace, &self.env, &actor, &thread, body, options));
        replied?;
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        replace(&RealFs, &guard, &self.thread, &read(&self.thread)?.revision, &self.text)?;
        Ok(time)
    }

    /// Makes the index so large that replies ignore it.
    fn pad_index(&self) -> Outcome<()> {
        let mut bytes = read(&self.index)?.bytes;
        bytes.resize(bytes.len().max(IGNORED_INDEX_LEN), b' ');
        let guard = lock(&RealFs, &self.workspace.reviews.store(), LOCK_TIMEOUT)?;
        Ok(write_unsynced(&RealFs, &guard, &self.index, &bytes)?)
    }
}

fn usual_thread(corpus: &Corpus) -> Outcome<&PathBuf> {
    let thread = corpus.paths.iter().find(|path| has_usual_size(path));
    thread.ok_or("no thread has the usual size".into())
}

/// Times one write, its sync, one rename, and the sync of the directory.
#[expect(clippy::disallowed_methods, reason = "the baseline is a durable write without the store")]
fn write_durably(path: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let dir = path.parent().ok_or("a file without a directory")?;
    let temp = dir.join("temp");
    let (time, written) = timed(|| -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temp, path)?;
        File::open(dir)?.sync_all()
    });
    written?;
    Ok(time)
}
