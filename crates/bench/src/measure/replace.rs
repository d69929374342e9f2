//! A durable replacement against the least that makes one durable.

use std::fs::{File, OpenOptions, create_dir};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::review::{NewComment, ReviewDoc};
use skein_format::time::Time;
use skein_store::{DirLock, RealFs, Revision, create_new, lock, read, replace};

use super::NOW;
use crate::Outcome;
use crate::corpus::{Corpora, usual_review};
use crate::figure::Figure;
use crate::timing::{Pair, median_of, timed};

/// How often the two take turns, and how many writes a turn has.
const TURNS: (usize, usize) = (120, 4);
const BOUND: f64 = 1.3;
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Measures the replacement alone, and a reply from the lock to the last sync.
pub(crate) fn figures(corpora: &Corpora) -> Outcome<Vec<Figure>> {
    let scratch = corpora.scratch()?;
    let bench = Bench::new(scratch.path())?;
    let figure = |name, pair| Figure::ratio(name, "6 KB".to_owned(), pair);
    Ok(vec![
        figure("replace / write+sync+rename", bench.replaced()?).at_most(BOUND),
        figure("reply with lock and read / same", bench.replied()?),
    ])
}

/// A review thread in two stores, one for each side.
struct Bench {
    plain: PathBuf,
    store: PathBuf,
    name: String,
    /// The thread as it is, and with a reply.
    texts: [Vec<u8>; 2],
}

impl Bench {
    fn new(scratch: &Path) -> Outcome<Self> {
        let (name, text) = usual_review();
        let stem = name.strip_suffix(".md").unwrap_or(&name);
        let replied = reply(text.clone(), stem)?;
        let bench = Self {
            plain: scratch.join("plain"),
            store: scratch.join("store"),
            texts: [text, replied],
            name,
        };
        create_dir(&bench.plain)?;
        create_dir(&bench.store)?;
        let [text, _] = &bench.texts;
        let guard = bench.lock()?;
        create_new(&RealFs, &guard, &bench.store.join(&bench.name), text, 0o644)?;
        Ok(bench)
    }

    fn lock(&self) -> Outcome<DirLock> {
        Ok(lock(&RealFs, &self.store, LOCK_TIMEOUT)?)
    }

    fn replaced(&self) -> Outcome<Pair> {
        let guard = self.lock()?;
        let path = self.store.join(&self.name);
        let mut revision = read(&path)?.revision;
        let mut texts = self.texts.iter().rev().cycle();
        median_of(TURNS, self.baseline(), || {
            let text = texts.next().map(Vec::as_slice).unwrap_or_default();
            let (time, replaced) = timed(|| replace(&RealFs, &guard, &path, &revision, text));
            replaced?;
            revision = Revision::from_bytes(text);
            Ok(time)
        })
    }

    /// Times replies; each is taken back afterwards, so that the file does not grow.
    fn replied(&self) -> Outcome<Pair> {
        let path = self.store.join(&self.name);
        let stem = self.name.strip_suffix(".md").unwrap_or(&self.name);
        let [text, _] = &self.texts;
        median_of(TURNS, self.baseline(), || {
            let (time, replied) = timed(|| -> Outcome<_> {
                let guard = self.lock()?;
                let old = read(&path)?;
                let bytes = reply(old.bytes, stem)?;
                Ok(replace(&RealFs, &guard, &path, &old.revision, &bytes)?)
            });
            replied?;
            replace(&RealFs, &self.lock()?, &path, &read(&path)?.revision, text)?;
            Ok(time)
        })
    }

    fn baseline(&self) -> impl FnMut() -> Outcome<Duration> {
        let path = self.plain.join(&self.name);
        let mut texts = self.texts.iter().rev().cycle();
        move || {
            let text = texts.next().map(Vec::as_slice).unwrap_or_default();
            let (time, written) = timed(|| write_durably(&self.plain, &path, text));
            written?;
            Ok(time)
        }
    }
}

/// Replaces a file by its own content, with the least that makes that durable.
pub(super) fn replace_durably(path: &Path, text: &[u8]) -> Outcome<Duration> {
    let dir = path.parent().ok_or("a file without a directory")?;
    let (time, written) = timed(|| write_durably(dir, path, text));
    written?;
    Ok(time)
}

fn reply(text: Vec<u8>, stem: &str) -> Outcome<Vec<u8>> {
    let (mut doc, _) = ReviewDoc::parse(text, stem, ".code-review");
    doc.append_comment(&NewComment {
        id: "reply".to_owned(),
        author: "Claude".to_owned(),
        created_at: Time::from_millis(NOW),
        body: "Done, with a test for the empty case.".to_owned(),
    })?;
    Ok(doc.into_bytes())
}

/// One write, its sync, one rename, and the sync of the directory.
#[expect(
    clippy::disallowed_methods,
    reason = "the baseline is what a durable write costs without the store"
)]
fn write_durably(dir: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = dir.join("temp");
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temp)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temp, path)?;
    File::open(dir)?.sync_all()
}
