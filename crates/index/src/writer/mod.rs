mod builder;
mod merge;

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::index::error::{IndexError, guarded};
use crate::snapshot::row::{DocId, Record};
use crate::snapshot::segment::SegmentEntry;
use crate::snapshot::write::{Draft, remove};
use crate::snapshot::{Snapshot, facts_name};
use crate::text::Text;
use crate::writer::builder::{Builder, Built};
use crate::writer::merge::Moved;

/// The least that a segment in the making is given; below, segments become too many.
const LEAST_MEMORY: usize = 16 << 20;
const MOST_BUILDERS: usize = 8;

/// The modes of what is written: for the owner alone.
const PRIVATE_DIR: u32 = 0o700;
pub(crate) const PRIVATE_FILE: u32 = 0o600;

/// Adds documents and then says which documents there are.
///
/// Nothing that is added can be found before [`Writer::commit`], and a writer that is dropped
/// leaves the index as it was.
///
/// ```
/// use skein_index::{Field, Index, Record, What, Writer, pieces};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
/// let writer = Writer::open(dir, 64 << 20)?;
/// let doc = writer.add(&[(Field::Title, "A race"), (Field::Body, "Two writers, one file.")])?;
/// writer.commit([Record { name: "a.md", stamp: None, time: 0, facts: vec![], doc }])?;
///
/// let index = Index::open(dir)?.ok_or("no index")?;
/// let What::Text(atom) = pieces("wri*", &[])?.remove(0).what else { return Err("a filter".into()) };
/// let matches = index.find(&[skein_index::Clause { not: false, atom }])?;
/// assert_eq!(index.snapshot().name(matches.slots()[0]), "a.md");
/// # Ok(())
/// # }
/// ```
pub struct Writer {
    dir: PathBuf,
    base: Option<Arc<Snapshot>>,
    /// How much memory a segment in the making may take.
    memory: usize,
    most: usize,
    work: Mutex<Work>,
    returned: Condvar,
    /// The lock is given back when this is closed.
    _lock: File,
}

struct Work {
    idle: Vec<Builder>,
    busy: usize,
    built: Vec<Built>,
    next_segment: u32,
    failed: bool,
}

impl Writer {
    /// Opens the index in `dir` for writing, and makes the directory if there is none.
    ///
    /// About `memory` bytes are used for documents that are not on the disk yet.
    pub fn open(dir: &Path, memory: usize) -> Result<Self, IndexError> {
        let lock = lock(dir)?;
        let base = Snapshot::read(dir)?.filter(|base| is_whole(dir, base));
        Self::start(dir, memory, lock, base)
    }

    /// Opens the index for being written anew, as after [`IndexError::Damaged`].
    pub fn open_anew(dir: &Path, memory: usize) -> Result<Self, IndexError> {
        let lock = lock(dir)?;
        Self::start(dir, memory, lock, None)
    }

    fn start(
        dir: &Path,
        memory: usize,
        lock: File,
        base: Option<Snapshot>,
    ) -> Result<Self, IndexError> {
        let most = thread::available_parallelism().map_or(1, Into::into).min(MOST_BUILDERS);
        let next_segment = base.as_ref().map_or(0, |base| base.next_segment);
        let work =
            Work { idle: Vec::new(), busy: 0, built: Vec::new(), next_segment, failed: false };
        let writer = Self {
            dir: dir.to_owned(),
            base: base.map(Arc::new),
            memory: (memory / most).max(LEAST_MEMORY),
            most,
            work: Mutex::new(work),
            returned: Condvar::new(),
            _lock: lock,
        };
        if let Some(base) = &writer.base {
            writer.sweep(base.generation, &base.segments)?;
        }
        Ok(writer)
    }

    /// Returns what was in the index when it was opened; `None` if all is to be added.
    pub fn base(&self) -> Option<&Arc<Snapshot>> {
        self.base.as_ref()
    }

    /// Adds a document. Several threads may do that at once.
    pub fn add<'a>(
        &self,
        texts: impl IntoIterator<Item = impl Into<Text<'a>>>,
    ) -> Result<DocId, IndexError> {
        let mut builder = self.borrow_builder()?;
        let added = guarded(|| {
            let doc = builder.add(texts.into_iter().map(Into::into))?;
            if !builder.is_full() {
                return Ok((doc, Ok(builder)));
            }
            Ok((doc, Err(builder.finish()?)))
        });
        let mut work = self.work();
        work.busy -= 1;
        self.returned.notify_one();
        match added {
            Ok((doc, Ok(builder))) => {
                work.idle.push(builder);
                Ok(doc)
            }
            Ok((doc, Err(built))) => {
                work.built.push(built);
                Ok(doc)
            }
            Err(error) => {
                work.failed = true;
                Err(error)
            }
        }
    }

    /// Makes `records` the content of the index; a document that none of them names is gone.
    pub fn commit<'a>(
        self,
        records: impl IntoIterator<Item = Record<'a>>,
    ) -> Result<(), IndexError> {
        let built = self.finish_builders()?;
        let records: Vec<Record<'_>> = records.into_iter().collect();
        let (entries, known) = known(self.base.as_deref(), built);
        let lengths = records.iter().map(|record| lengths(&known, record.doc));
        let lengths = lengths.collect::<Option<Vec<_>>>().ok_or(IndexError::Document)?;
        let next_segment = self.work().next_segment;
        let new = self.base.is_none();
        let Moved { segments, docs, next_segment } =
            guarded(|| merge::settle(&self.dir, entries, &records, next_segment, new))?;
        let mut draft = Draft::with_room(&records)?;
        for ((record, doc), lengths) in records.iter().zip(docs).zip(lengths) {
            draft.push(record, doc, lengths)?;
        }
        let generation = self.base.as_ref().map_or(0, |base| base.generation) + 1;
        draft.publish(&self.dir, generation, next_segment, &segments)?;
        self.sweep(generation, &segments)
    }

    fn finish_builders(&self) -> Result<Vec<Built>, IndexError> {
        let mut work = self.work();
        if work.failed {
            return Err(IndexError::Panicked);
        }
        let mut built = std::mem::take(&mut work.built);
        let idle = std::mem::take(&mut work.idle);
        drop(work);
        let finished: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> = idle
                .into_iter()
                .map(|builder| scope.spawn(|| guarded(|| builder.finish())))
                .collect();
            started
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Err(IndexError::Panicked)))
                .collect()
        });
        for finished in finished {
            built.push(finished?);
        }
        Ok(built)
    }

    fn borrow_builder(&self) -> Result<Builder, IndexError> {
        let mut work = self.work();
        loop {
            if let Some(builder) = work.idle.pop() {
                work.busy += 1;
                return Ok(builder);
            }
            if work.busy < self.most {
                let number = work.next_segment;
                let builder = guarded(|| Builder::new(&self.dir, number, self.memory))?;
                work.next_segment += 1;
                work.busy += 1;
                return Ok(builder);
            }
            work = self.returned.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Removes whatever is not part of the index: what it was before, and what a writer left that
    /// came to no end.
    fn sweep(&self, generation: u64, segments: &[SegmentEntry]) -> Result<(), IndexError> {
        let fail = |error| IndexError::io(&self.dir, error);
        let facts = facts_name(generation);
        for entry in fs::read_dir(&self.dir).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name();
            let name = name.to_string_lossy();
            let used = segments.iter().any(|segment| name.starts_with(&segment.uuid));
            if !used && (is_ours(&name) && *name != *facts) {
                remove(&self.dir.join(&*name))?;
            }
        }
        Ok(())
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lengths of the documents of each segment; `None` for one that the base does not count.
type Lengths = BTreeMap<u32, Vec<Option<[u32; 3]>>>;

fn known(base: Option<&Snapshot>, built: Vec<Built>) -> (Vec<SegmentEntry>, Lengths) {
    let mut known = Lengths::new();
    let mut entries = Vec::new();
    for entry in base.iter().flat_map(|base| &base.segments) {
        known.insert(entry.number, vec![None; usize::try_from(entry.docs).unwrap_or_default()]);
        entries.push(entry.clone());
    }
    for row in base.iter().flat_map(|base| base.docs()) {
        let segment = known.get_mut(&row.doc.segment);
        if let Some(place) =
            segment.and_then(|docs| docs.get_mut(usize::try_from(row.doc.doc).ok()?))
        {
            *place = Some(row.lengths);
        }
    }
    for built in built {
        known.insert(built.entry.number, built.lengths.into_iter().map(Some).collect());
        entries.push(built.entry);
    }
    (entries, known)
}

fn lengths(known: &Lengths, doc: DocId) -> Option<[u32; 3]> {
    *known.get(&doc.segment)?.get(usize::try_from(doc.doc).ok()?)?
}

/// Takes the lock of the index, which is one on its directory and leaves no file behind.
///
/// The words of private threads are in the files: only their owner may read the directory, also if it was created by
/// another version with another mode.
fn lock(dir: &Path) -> Result<File, IndexError> {
    let fail = |error| IndexError::io(dir, error);
    DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(dir).map_err(fail)?;
    let lock = File::open(dir).map_err(fail)?;
    if lock.metadata().map_err(fail)?.permissions().mode() & 0o777 != PRIVATE_DIR {
        lock.set_permissions(Permissions::from_mode(PRIVATE_DIR)).map_err(fail)?;
    }
    match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(Errno::WOULDBLOCK) => Err(IndexError::Locked { dir: dir.to_owned() }),
        Err(error) => Err(fail(error.into())),
    }
}

/// Says whether all files are there and as long as they were written.
fn is_whole(dir: &Path, base: &Snapshot) -> bool {
    let mut files = base.segments.iter().flat_map(|segment| &segment.files);
    files.all(|file| fs::metadata(dir.join(&file.name)).is_ok_and(|meta| meta.len() == file.length))
}

/// Says whether a file is one of those that a writer makes beside the snapshot.
fn is_ours(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let is_segment = stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_segment || name.starts_with("facts-") || name == "snapshot.new"
}
