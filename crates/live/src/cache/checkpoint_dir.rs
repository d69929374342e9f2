//! The checkpoint files of one directory, as they were last read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_catalog::rows::checkpoint::{row, scanning};
use skein_catalog::rows::{unlisted, unreadable};
use skein_checkpoints::CleanupFacts;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, Step};
use skein_store::{Chunk, ReadError, ScanOptions, Trace, Visit, list_files, read, scan};
use skein_workspace::CheckpointStore;

use super::checkpoint_refs::CheckpointRefs;
use super::timeline::TimelineEntry;

/// A file that is gone or makes no sense may be in the middle of being written, for so long.
const HALF_WRITTEN_GRACE: Duration = Duration::from_millis(250);

/// The checkpoints of one directory, by the names of their files.
pub(super) struct CheckpointDir {
    form: CheckpointFileKind,
    dir: PathBuf,
    options: ScanOptions<'static>,
    kept: HashMap<String, Kept>,
    /// The files that made no sense when they were read, and when that began.
    unsettled: BTreeMap<String, Instant>,
    pub(super) diagnostic: Option<FileDiagnostic>,
}

struct Kept {
    entry: Arc<TimelineEntry>,
    /// A hash of the file.
    hash: u64,
    /// What proves that the file has not changed since; none where it may have.
    trace: Option<Trace>,
}

impl CheckpointDir {
    /// Reads all files of a kind.
    pub(super) fn load(checkpoints: &CheckpointStore, form: CheckpointFileKind) -> Self {
        let (dir, options) = scanning(checkpoints, form);
        // What is written after this look is seen by the next one.
        let before = list_files(&dir, &options).unwrap_or_default();
        let prefix = format!("{}/", dir.display());
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            let entry = entry(chunk.bytes, name, [&prefix, name].concat(), form);
            let usable = entry.row.usable;
            let kept = Kept { entry: Arc::new(entry), hash: hash(chunk.bytes), trace: None };
            let found = (name.to_owned(), kept);
            if usable { Visit::Done(found) } else { Visit::Broken(found) }
        };
        let found = scan(&dir, &options, &visit);
        let mut pile = Self {
            form,
            dir,
            options,
            kept: HashMap::new(),
            unsettled: BTreeMap::new(),
            diagnostic: None,
        };
        match found {
            Ok(found) => {
                pile.kept = found.values.into_iter().collect();
                for file in found.unreadable {
                    let name = file.name.to_string_lossy().into_owned();
                    pile.kept.insert(name.clone(), pile.odd(&name, &file.source.to_string()));
                }
            }
            Err(error) => pile.diagnostic = Some(unlisted(&error)),
        }
        for (name, trace) in before.iter() {
            if let Some(kept) = pile.kept.get_mut(name) {
                kept.trace = trace.filter(Trace::is_settled);
            }
        }
        pile
    }

    /// Returns the checkpoints in no particular order.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Arc<TimelineEntry>> {
        self.kept.values().map(|kept| &kept.entry)
    }

    /// Returns whether there is such a checkpoint.
    pub(super) fn has(&self, id: &str) -> bool {
        self.kept.contains_key(&format!("{id}.json"))
    }

    /// Returns the names of files that may have changed since they were last read.
    pub(super) fn suspects(&mut self) -> Vec<String> {
        // A directory that cannot be listed tells nothing; perhaps it can be the next time.
        let Ok(walk) = list_files(&self.dir, &self.options) else { return Vec::new() };
        let mut suspects = Vec::new();
        let mut there = 0;
        for (name, trace) in walk.iter() {
            let Some(kept) = self.kept.get_mut(name) else {
                suspects.push(name.to_owned());
                continue;
            };
            there += 1;
            if kept.trace.is_none() || kept.trace != trace {
                kept.trace = trace.filter(Trace::is_settled);
                suspects.push(name.to_owned());
            }
        }
        if there < self.kept.len() {
            let names: HashSet<&str> = walk.iter().map(|(name, _)| name).collect();
            let gone = self.kept.keys().filter(|name| !names.contains(name.as_str()));
            suspects.extend(gone.cloned());
        }
        suspects
    }

    /// Reads a file again; returns whether it says something else, came or went.
    ///
    /// Unless that is sure, one that is gone is given some time to come back.
    pub(super) fn read(&mut self, name: &str, is_sure: bool) -> bool {
        if !name.ends_with(self.options.suffix) || !(self.options.keep)(name) {
            return false;
        }
        let path = self.dir.join(name);
        let (entry, hash) = match read(&path) {
            Ok(snapshot) => {
                let hash = hash(&snapshot.bytes);
                if self.kept.get(name).is_some_and(|kept| kept.hash == hash) {
                    self.unsettled.remove(name);
                    return false;
                }
                (entry(&snapshot.bytes, name, path.display().to_string(), self.form), hash)
            }
            Err(error) => return self.read_failed(name, &path, (&error, is_sure)),
        };
        if !entry.row.usable && !self.is_patience_over(name) {
            return false;
        }
        self.unsettled.remove(name);
        // What was read may be newer than the look that a trace is from.
        self.kept.insert(name.to_owned(), Kept { entry: Arc::new(entry), hash, trace: None });
        true
    }

    /// Returns the files that should be read again soon.
    pub(super) fn unsettled(&self) -> Vec<String> {
        self.unsettled.keys().cloned().collect()
    }

    fn read_failed(
        &mut self,
        name: &str,
        path: &Path,
        (error, is_sure): (&ReadError, bool),
    ) -> bool {
        // A file that is there and cannot be read is shown with the reason; one that is gone is not.
        if path.symlink_metadata().is_err() {
            if self.kept.contains_key(name) && !is_sure && !self.is_patience_over(name) {
                return false;
            }
            self.unsettled.remove(name);
            return self.kept.remove(name).is_some();
        }
        self.unsettled.remove(name);
        let kept = self.odd(name, &error.reason());
        let old = self.kept.insert(name.to_owned(), kept);
        let now = self.kept.get(name).map(|kept| kept.hash);
        old.map(|kept| kept.hash) != now
    }

    fn is_patience_over(&mut self, name: &str) -> bool {
        let since = self.unsettled.entry(name.to_owned()).or_insert_with(Instant::now);
        since.elapsed() >= HALF_WRITTEN_GRACE
    }

    fn odd(&self, name: &str, why: &str) -> Kept {
        let row = unreadable(Kind::Checkpoint, &self.dir.join(name), &why);
        let entry = Arc::new(TimelineEntry {
            row,
            steps: Vec::new(),
            refs: CheckpointRefs::default(),
            facts: None,
        });
        Kept { entry, hash: hash(why.as_bytes()), trace: None }
    }
}

fn entry(bytes: &[u8], name: &str, file: String, form: CheckpointFileKind) -> TimelineEntry {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let row = row(bytes, stem, file, form);
    let doc = CheckpointDoc::parse(bytes.to_vec(), stem, form).0;
    let steps = if row.usable { doc.steps() } else { Vec::new() };
    let (refs, facts) = (CheckpointRefs::from_doc(&doc), Some(CleanupFacts::from_doc(&doc)));
    TimelineEntry { row, steps: steps.into_iter().map(Step::from).collect(), refs, facts }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
