//! The files of one directory as they were last read.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::rows::unlisted;
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, ScanOptions, Stamp, Trace, Visit, list_files, read, scan};

/// How long another program may take to rewrite a file that is missing or unusable.
pub(crate) const HALF_WRITTEN_GRACE: Duration = Duration::from_millis(250);

/// Makes values of files.
pub(crate) trait FileParser<T>: Sync {
    /// Returns the value of a file, and whether the file can be used.
    fn parse(&self, path: &Path, bytes: &[u8]) -> (T, bool);

    /// Returns the value of a file that cannot be read.
    fn unreadable(&self, path: &Path, reason: &str) -> T;
}

/// The files of one directory, by name.
pub(crate) struct TrackedDir<T> {
    pub(crate) dir: PathBuf,
    options: ScanOptions<'static>,
    files: BTreeMap<String, TrackedFile<T>>,
    /// Files that were missing or unusable when they were read, and since when.
    unsettled: BTreeMap<String, Instant>,
    pub(crate) diagnostic: Option<FileDiagnostic>,
}

struct TrackedFile<T> {
    value: T,
    hash: u64,
    /// Proves that the file has not changed since; none if it may have.
    trace: Option<Trace>,
}

impl<T: Send> TrackedDir<T> {
    pub(crate) fn new(dir: PathBuf, options: ScanOptions<'static>) -> Self {
        let (files, unsettled) = (BTreeMap::new(), BTreeMap::new());
        Self { dir, options, files, unsettled, diagnostic: None }
    }

    /// Reads all files.
    pub(crate) fn load(&mut self, parser: &dyn FileParser<T>) {
        // A file that is written after this listing is found by the next one.
        let before = list_files(&self.dir, &self.options).unwrap_or_default();
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            let (value, is_usable) = parser.parse(&self.dir.join(name), chunk.bytes);
            let file = TrackedFile { value, hash: hash(chunk.bytes), trace: None };
            let found = (name.to_owned(), file);
            if is_usable { Visit::Done(found) } else { Visit::Broken(found) }
        };
        match scan(&self.dir, &self.options, &visit) {
            Ok(found) => {
                self.files = found.values.into_iter().collect();
                for file in found.unreadable {
                    let reason = file.source.to_string();
                    self.insert_unreadable(&file.name.to_string_lossy(), &reason, parser);
                }
            }
            Err(error) => self.diagnostic = Some(unlisted(&error)),
        }
        for (name, trace) in before.iter() {
            if let Some(file) = self.files.get_mut(name) {
                file.trace = trace.filter(Trace::is_settled);
            }
        }
    }

    /// Returns the names of files that may have changed since they were last read.
    pub(crate) fn suspects(&mut self) -> Vec<String> {
        // A directory that cannot be listed now may be the next time.
        let Ok(listing) = list_files(&self.dir, &self.options) else { return Vec::new() };
        let mut suspects = Vec::new();
        let mut names = HashSet::new();
        for (name, trace) in listing.iter() {
            names.insert(name);
            let file = self.files.get_mut(name);
            if file.as_ref().is_some_and(|file| file.trace.is_some() && file.trace == trace) {
                continue;
            }
            if let Some(file) = file {
                file.trace = trace.filter(Trace::is_settled);
            }
            suspects.push(name.to_owned());
        }
        suspects.extend(self.files.keys().filter(|name| !names.contains(name.as_str())).cloned());
        suspects
    }

    /// Reads a file again; returns whether it has other content, was created or deleted.
    ///
    /// A file that is missing or unusable gets some time to come back, unless it is certain that it was deleted.
    pub(crate) fn read(
        &mut self,
        name: &str,
        is_certain: bool,
        parser: &dyn FileParser<T>,
    ) -> bool {
        if !name.ends_with(self.options.suffix) || !(self.options.keep)(name) {
            return false;
        }
        let path = self.dir.join(name);
        let before = self.files.get(name).map(|file| file.hash);
        let error = match read(&path) {
            Ok(snapshot) => {
                let hash = hash(&snapshot.bytes);
                if before == Some(hash) {
                    self.unsettled.remove(name);
                    return false;
                }
                let (value, is_usable) = parser.parse(&path, &snapshot.bytes);
                if !is_usable && !self.is_grace_over(name) {
                    return false;
                }
                self.insert(name, value, hash);
                return true;
            }
            Err(error) => error,
        };
        // A file that exists and cannot be read is shown with the reason.
        if path.symlink_metadata().is_ok() {
            self.insert_unreadable(name, &error.reason(), parser);
            return before != self.files.get(name).map(|file| file.hash);
        }
        if before.is_some() && !is_certain && !self.is_grace_over(name) {
            return false;
        }
        self.remove(name).is_some()
    }

    /// Returns the files that should be read again soon.
    pub(crate) fn unsettled(&self) -> Vec<String> {
        self.unsettled.keys().cloned().collect()
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.unsettled.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &T)> {
        self.files.iter().map(|(name, file)| (name, &file.value))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.files.values().map(|file| &file.value)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.files.values_mut().map(|file| &mut file.value)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.files.get(name).map(|file| &file.value)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.files.get_mut(name).map(|file| &mut file.value)
    }

    /// Keeps what was read of a file, which may be newer than the last listing.
    pub(crate) fn insert(&mut self, name: &str, value: T, hash: u64) {
        self.unsettled.remove(name);
        self.files.insert(name.to_owned(), TrackedFile { value, hash, trace: None });
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<T> {
        self.unsettled.remove(name);
        self.files.remove(name).map(|file| file.value)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|name, _| keep(name));
    }

    fn insert_unreadable(&mut self, name: &str, reason: &str, parser: &dyn FileParser<T>) {
        let value = parser.unreadable(&self.dir.join(name), reason);
        self.insert(name, value, hash(reason));
    }

    fn is_grace_over(&mut self, name: &str) -> bool {
        let since = self.unsettled.entry(name.to_owned()).or_insert_with(Instant::now);
        since.elapsed() >= HALF_WRITTEN_GRACE
    }
}

/// Returns whether a file is certainly as it was when an earlier stamp was taken; none means that it was missing.
pub(crate) fn is_unchanged(earlier: Option<Stamp>, now: Option<Stamp>) -> bool {
    match (earlier, now) {
        (Some(earlier), Some(now)) => now.proves(&earlier),
        (None, None) => true,
        _ => false,
    }
}

/// Returns a number that distinguishes contents within one run of the program.
pub(crate) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
