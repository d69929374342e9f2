//! A cache of the texts of threads, for a program that searches often.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use super::thread::Thread;
use super::values::{TextField, values};

/// Maximum size of cached texts in bytes; other threads are parsed for each query.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The texts of threads without their secrets; redacting takes longer than matching.
///
/// A text is used only while the file has the same bytes.
#[derive(Debug, Default)]
pub struct TextCache(RwLock<Cached>);

#[derive(Debug, Default)]
struct Cached {
    threads: HashMap<PathBuf, Arc<CachedThread>>,
    bytes: usize,
}

/// The part of a thread that a search needs, except for filters.
#[derive(Debug)]
pub(super) struct CachedThread {
    /// A hash of the file.
    hash: u64,
    pub(super) texts: Vec<TextField<'static>>,
    pub(super) time: i64,
    pub(super) is_usable: bool,
}

impl CachedThread {
    fn new(hash: u64, thread: &Thread<'_>) -> Self {
        let texts = values(thread).iter().map(TextField::redacted).collect();
        Self { hash, texts, time: thread.time(), is_usable: thread.is_usable() }
    }

    fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.text().text.len()).sum()
    }
}

impl TextCache {
    /// Returns the thread of a file with these bytes.
    pub(super) fn get<'a>(
        &self,
        path: PathBuf,
        bytes: &'a [u8],
        parse: impl FnOnce(&'a [u8]) -> Thread<'a>,
    ) -> Arc<CachedThread> {
        let hash = hash(bytes);
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cached.threads.get(&path).filter(|known| known.hash == hash) {
            return known.clone();
        }
        drop(cached);
        let new = Arc::new(CachedThread::new(hash, &parse(bytes)));
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = cached.threads.remove(&path) {
            cached.bytes -= old.bytes();
        }
        if cached.bytes + new.bytes() <= MAX_BYTES {
            cached.bytes += new.bytes();
            cached.threads.insert(path, new.clone());
        }
        new
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
