//! The files of one directory as they were last read.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::rows::unlisted;
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, ScanOptions, Stamp, Trace, Visit, list_files, read, scan};

/// How long another program may take to rewrite a file that is missing or unusable.
pub(crate) const HALF_WRITTEN_GRACE: Duration = Duration::from_millis(250);

/// Parses files into values.
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
                    let (name, reason) =
                        (file.name.to_string_lossy().into_owned(), file.source.to_string());
                    let value = parser.unreadable(&self.dir.join(&name), &reason);
                    let file = TrackedFile { value, hash: hash(&reason), trace: None };
                    self.files.insert(name, file);
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

    /// Returns the paths of files that may have changed since they were last read.
    pub(crate) fn suspects(&mut self) -> Vec<PathBuf> {
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
            suspects.push(self.dir.join(name));
        }
        let missing = self.files.keys().filter(|name| !names.contains(name.as_str()));
        suspects.extend(missing.map(|name| self.dir.join(name)));
        suspects
    }

    /// Reads those of the files that are in this directory, and those that were missing or unusable. Returns the names of files
    /// that were created or deleted or have other content, each with its earlier value.
    ///
    /// An unusable file gets some time to become usable. `is_deleted` decides about a missing file: it gets the time when the file
    /// was first missed, and the time when the last one of the directory was.
    pub(crate) fn refresh(
        &mut self,
        paths: &BTreeSet<PathBuf>,
        parser: &dyn FileParser<T>,
        is_deleted: &dyn Fn(Instant, Instant) -> bool,
    ) -> Vec<(String, Option<T>)> {
        let own = paths.iter().filter(|path| path.parent() == Some(&self.dir));
        let own = own.filter_map(|path| path.file_name()?.to_str());
        let options = &self.options;
        let own = own.filter(|name| name.ends_with(options.suffix) && (options.keep)(name));
        let mut names: BTreeSet<String> = own.map(str::to_owned).collect();
        names.extend(self.unsettled.keys().cloned());
        let mut changed = Vec::new();
        for name in names {
            if let Some(earlier) = self.read(&name, parser, is_deleted) {
                changed.push((name, earlier));
            }
        }
        changed
    }

    /// Returns the earlier value if the file was created or deleted or has other content.
    fn read(
        &mut self,
        name: &str,
        parser: &dyn FileParser<T>,
        is_deleted: &dyn Fn(Instant, Instant) -> bool,
    ) -> Option<Option<T>> {
        let path = self.dir.join(name);
        let content = match read(&path) {
            Ok(snapshot) => Ok(snapshot.bytes),
            // A file that exists and cannot be read is shown with the reason.
            Err(error) if path.symlink_metadata().is_ok() => Err(error.reason()),
            Err(_) => {
                let since = self.unsettled_since(name);
                let last = self.unsettled.values().copied().max().unwrap_or(since);
                if self.files.contains_key(name) && !is_deleted(since, last) {
                    return None;
                }
                return self.remove(name).map(Some);
            }
        };
        let hash = content.as_ref().map_or_else(hash, hash);
        if self.files.get(name).is_some_and(|file| file.hash == hash) {
            self.unsettled.remove(name);
            return None;
        }
        let (value, is_usable) = match content {
            Ok(bytes) => parser.parse(&path, &bytes),
            Err(reason) => (parser.unreadable(&path, &reason), false),
        };
        if !is_usable && self.unsettled_since(name).elapsed() < HALF_WRITTEN_GRACE {
            return None;
        }
        self.unsettled.remove(name);
        // The content may be newer than the last listing.
        let file = TrackedFile { value, hash, trace: None };
        Some(self.files.insert(name.to_owned(), file).map(|file| file.value))
    }

    /// Gives missing and unusable files the full time again.
    pub(crate) fn restart_grace(&mut self) {
        self.unsettled.values_mut().for_each(|since| *since = Instant::now());
    }

    /// Returns whether no file should be read again soon.
    pub(crate) fn is_settled(&self) -> bool {
        self.unsettled.is_empty()
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

    pub(crate) fn remove(&mut self, name: &str) -> Option<T> {
        self.unsettled.remove(name);
        self.files.remove(name).map(|file| file.value)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|name, _| keep(name));
    }

    fn unsettled_since(&mut self, name: &str) -> Instant {
        *self.unsettled.entry(name.to_owned()).or_insert_with(Instant::now)
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
