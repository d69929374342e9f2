//! Finds the checkpoints that are the same in a worktree and the main checkout.
//!
//! Comparing two stores reads every file of both. Equal files are recorded in the cache directory by the traces of both, so that a file
//! is read again only after one of them was written.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use crate::{CheckpointStore, Env};
use skein_store::{Fs, RootDirs, ScanOptions, Trace, list_files, lock, write_private};

use super::{LOCK_TIMEOUT, is_store_file, store_dirs};

/// The files of a store with their traces, relative to the directory of the threads.
pub(super) struct StoreFiles {
    threads: PathBuf,
    files: BTreeMap<String, Trace>,
}

impl StoreFiles {
    /// Lists every file without reading it.
    pub(super) fn list(store: &CheckpointStore) -> Self {
        let threads = store.threads();
        let options =
            ScanOptions { suffix: ".json", keep: &is_store_file, first: 0, threads: None };
        let mut files = BTreeMap::new();
        for dir in store_dirs(&threads) {
            let found = list_files(&threads.join(&dir), &options).unwrap_or_default();
            let dir = dir.to_str().filter(|dir| !dir.is_empty());
            let path = |name: &str| dir.map_or(name.to_owned(), |dir| format!("{dir}/{name}"));
            files.extend(found.iter().filter_map(|(name, trace)| Some((path(name), trace?))));
        }
        Self { threads, files }
    }

    /// Returns the paths of the files.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// Returns the files with their traces, by path.
    pub(super) fn traces(&self) -> impl Iterator<Item = (&String, &Trace)> {
        self.files.iter()
    }

    /// Returns the files that another store does not have in the same version.
    ///
    /// `dirs` are those of the root of this store.
    pub(super) fn differing(&self, other: &Self, env: &Env, dirs: &RootDirs) -> BTreeSet<&String> {
        let memory = dirs.cache.join("same-checkpoints");
        let known = read_memory(&memory);
        let mut remembered = Vec::new();
        let mut differing = BTreeSet::new();
        for (name, trace) in &self.files {
            let there = other.files.get(name).filter(|there| there.size == trace.size);
            let Some(there) = there else {
                differing.insert(name);
                continue;
            };
            let key = key(name, trace, there);
            if known.binary_search(&key).is_ok() {
                remembered.push(key);
                continue;
            }
            let (own, other) = (self.threads.join(name), other.threads.join(name));
            if !has_same_bytes(&*env.fs, &own, &other).unwrap_or(false) {
                differing.insert(name);
            } else if trace.is_settled() && there.is_settled() {
                // A file that was written just now may change again without a change of its trace.
                remembered.push(key);
            }
        }
        remembered.sort_unstable();
        if remembered != known {
            // Files that are not recorded are compared again.
            drop(write_memory(&*env.fs, dirs, &memory, &remembered));
        }
        differing
    }
}

fn has_same_bytes(fs: &dyn Fs, a: &Path, b: &Path) -> io::Result<bool> {
    fs.holds(b, &fs.read(a)?)
}

/// Returns a hash of two files by name and traces.
fn key(name: &str, trace: &Trace, other: &Trace) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, trace, other).hash(&mut hasher);
    hasher.finish()
}

/// Reads the sorted hashes of files that are the same.
fn read_memory(path: &Path) -> Vec<u64> {
    let bytes = skein_store::read(path).map(|snapshot| snapshot.bytes).unwrap_or_default();
    let (keys, _) = bytes.as_chunks();
    keys.iter().map(|key| u64::from_le_bytes(*key)).collect()
}

fn write_memory(fs: &dyn Fs, dirs: &RootDirs, path: &Path, keys: &[u64]) -> io::Result<()> {
    let dir = dirs.ensure_cache(fs).map_err(io::Error::other)?;
    let guard = lock(fs, dir, LOCK_TIMEOUT).map_err(io::Error::other)?;
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    write_private(fs, &guard, path, &bytes).map_err(io::Error::other)
}
