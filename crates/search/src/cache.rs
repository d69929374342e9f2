//! The files of searched folders in memory, for a program that searches often.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use skein_format::time::Time;
use skein_model::Kind;
use skein_query::PreparedTexts;
use skein_store::{
    Chunk, DirListing, ScanError, ScanOptions, Trace, Unreadable, Visit, list_files, scan,
};

use super::folder::Folder;
use super::thread::{Thread, ThreadHead};
use super::values::{TextField, values};

/// Maximum size of all files in memory; the files of other folders are read for each query.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum size of all texts in memory; other threads are parsed for each query.
const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;
/// The number of files that a processor takes at a time; fewer are not shared among processors.
const BATCH: usize = 256;

/// Returns the number of the last change of a directory; `None` if its changes are not counted.
pub type DirVersions<'a> = dyn Fn(&Path) -> Option<u64> + 'a;

/// The files of folders as they were last read, and the texts of their threads.
///
/// A folder is checked for changes before each query, unless the caller knows that it has not changed.
#[derive(Debug)]
pub struct SearchCache {
    folders: Mutex<HashMap<PathBuf, Arc<CachedFolder>>>,
    text_bytes: Arc<AtomicUsize>,
    max_file_bytes: u64,
}

impl Default for SearchCache {
    fn default() -> Self {
        Self::with_max_file_bytes(MAX_FILE_BYTES)
    }
}

impl SearchCache {
    /// Creates a cache with a maximum size of all files.
    pub fn with_max_file_bytes(max_file_bytes: u64) -> Self {
        Self { folders: Mutex::default(), text_bytes: Arc::default(), max_file_bytes }
    }

    /// Returns the current files of a folder; `None` if they are too large.
    pub(super) fn folder(
        &self,
        folder: &Folder,
        version: Option<u64>,
    ) -> Result<Option<Arc<CachedFolder>>, ScanError> {
        let mut folders = self.lock();
        let known = folders.remove(&folder.dir);
        let is_current = |known: &Arc<CachedFolder>| version.is_some() && known.version == version;
        let new = match known {
            Some(known) if is_current(&known) => known,
            known => {
                let listing = list_files(&folder.dir, &folder.options())?;
                let sizes = listing.iter().filter_map(|(_, trace)| Some(trace?.size));
                let others: u64 = folders.values().map(|other| other.bytes).sum();
                if others.saturating_add(sizes.sum()) > self.max_file_bytes {
                    return Ok(None);
                }
                Arc::new(self.read(folder, version, known.as_deref(), &listing)?)
            }
        };
        folders.insert(folder.dir.clone(), new.clone());
        Ok(Some(new))
    }

    /// Reads the files of a folder that may have changed since they were `known`.
    fn read(
        &self,
        folder: &Folder,
        version: Option<u64>,
        known: Option<&CachedFolder>,
        listing: &DirListing,
    ) -> Result<CachedFolder, ScanError> {
        let known = known.map(|known| known.files.as_slice()).unwrap_or_default();
        let known: HashMap<&str, &Arc<CachedFile>> =
            known.iter().map(|file| (&*file.name, file)).collect();
        let (mut files, mut unchanged) = (Vec::with_capacity(listing.len()), HashSet::new());
        let mut traces = HashMap::new();
        for (name, trace) in listing.iter() {
            match known.get(name).filter(|file| file.trace.is_some() && file.trace == trace) {
                Some(file) => {
                    unchanged.insert(name);
                    files.push(Arc::clone(file));
                }
                // A file that is written after this listing is found by the next one.
                None => drop(traces.insert(name, trace.filter(Trace::is_settled))),
            }
        }
        let mut unreadable = Vec::new();
        if !traces.is_empty() || !listing.not_utf8.is_empty() {
            let options = folder.options();
            let keep = |name: &str| (options.keep)(name) && !unchanged.contains(name);
            let visit = |name: &str, chunk: Chunk<'_>| {
                if !chunk.whole {
                    return Visit::More;
                }
                let trace = traces.get(name).copied().flatten();
                let file = Arc::new(self.file(name, chunk.bytes, trace));
                match folder.looks_whole(chunk.bytes) {
                    true => Visit::Done(file),
                    false => Visit::Broken(file),
                }
            };
            let scan = scan(&folder.dir, &ScanOptions { keep: &keep, ..options }, &visit)?;
            files.extend(scan.values);
            unreadable = reasons(scan.unreadable);
        }
        let bytes = files.iter().map(|file| file.bytes.len() as u64).sum();
        Ok(CachedFolder { version, files, unreadable, bytes })
    }

    fn file(&self, name: &str, bytes: &[u8], trace: Option<Trace>) -> CachedFile {
        let (texts, text_bytes) = (OnceLock::new(), self.text_bytes.clone());
        CachedFile { name: name.into(), bytes: bytes.into(), trace, texts, text_bytes }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<CachedFolder>>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files of a folder.
#[derive(Debug)]
pub(super) struct CachedFolder {
    /// The version of the directory before the files were read.
    version: Option<u64>,
    pub(super) files: Vec<Arc<CachedFile>>,
    /// The names of files that cannot be read, and why.
    pub(super) unreadable: Vec<(String, String)>,
    /// The size of all files.
    bytes: u64,
}

impl CachedFolder {
    /// Calls a function with each file, on all processors, and returns its results in no
    /// particular order.
    pub(super) fn filter_map<T: Send>(
        &self,
        visit: impl Fn(&CachedFile) -> Option<T> + Sync,
    ) -> Vec<T> {
        let batches = Mutex::new(self.files.chunks(BATCH));
        let work = || {
            let mut all = Vec::new();
            let next = || batches.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(batch) = next() {
                all.extend(batch.iter().filter_map(|file| visit(file)));
            }
            all
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = threads.min(self.files.len().div_ceil(BATCH));
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut all = work();
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
            all
        })
    }
}

/// Returns the names of files that cannot be read, and why.
pub(super) fn reasons(unreadable: Vec<Unreadable>) -> Vec<(String, String)> {
    let reason =
        |file: Unreadable| (file.name.to_string_lossy().into_owned(), file.source.to_string());
    unreadable.into_iter().map(reason).collect()
}

/// A file, and the texts of its thread after they were first needed.
#[derive(Debug)]
pub(super) struct CachedFile {
    pub(super) name: Box<str>,
    pub(super) bytes: Box<[u8]>,
    /// Proves that the file has not changed since it was read; none if it may have.
    trace: Option<Trace>,
    texts: OnceLock<Arc<ThreadTexts>>,
    /// The size of the texts of all files.
    text_bytes: Arc<AtomicUsize>,
}

impl CachedFile {
    /// Returns whether the texts are in memory, so that a check of the bytes saves nothing.
    pub(super) fn has_texts(&self) -> bool {
        self.texts.get().is_some()
    }

    /// Returns the texts of the thread in this file.
    pub(super) fn texts<'a>(
        &'a self,
        parse: impl FnOnce(&'a [u8]) -> Thread<'a>,
    ) -> Arc<ThreadTexts> {
        if let Some(known) = self.texts.get() {
            return known.clone();
        }
        let new = Arc::new(ThreadTexts::new(&parse(&self.bytes)));
        let size = new.texts.size();
        if self.text_bytes.load(Ordering::Relaxed).saturating_add(size) <= MAX_TEXT_BYTES
            && self.texts.set(new.clone()).is_ok()
        {
            self.text_bytes.fetch_add(size, Ordering::Relaxed);
        }
        new
    }
}

impl Drop for CachedFile {
    fn drop(&mut self) {
        if let Some(texts) = self.texts.get() {
            self.text_bytes.fetch_sub(texts.texts.size(), Ordering::Relaxed);
        }
    }
}

/// The part of a thread that most searches need.
#[derive(Debug)]
pub(super) struct ThreadTexts {
    pub(super) texts: PreparedTexts,
    kind: Kind,
    status: Option<Box<str>>,
    is_usable: bool,
    updated_at: Option<Time>,
}

impl ThreadTexts {
    fn new(thread: &Thread<'_>) -> Self {
        let texts = PreparedTexts::new(values(thread).iter().map(TextField::text));
        let ThreadHead { kind, status, is_usable, updated_at, .. } = thread.head();
        Self { texts, kind, status: status.map(Box::from), is_usable, updated_at }
    }

    pub(super) fn head<'a>(&'a self, id: &'a str) -> ThreadHead<'a> {
        let Self { kind, ref status, is_usable, updated_at, .. } = *self;
        ThreadHead { id, kind, status: status.as_deref(), is_usable, updated_at }
    }
}
