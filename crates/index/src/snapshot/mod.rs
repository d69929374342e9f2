pub(crate) mod facts;
pub(crate) mod row;
pub(crate) mod segment;
pub(crate) mod write;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::checksum::checksum;
use crate::index::error::IndexError;
use crate::snapshot::facts::Facts;
use crate::snapshot::row::{DocId, ROW, Row, Stamp};
use crate::snapshot::segment::{Reader, SegmentEntry};

/// What a snapshot of ours begins with; the last byte is the version.
///
/// It is another one whenever the tokens, the fields or the files of the index are.
pub(crate) const MAGIC: [u8; 8] = *b"skeinix\x03";
/// The name of the file that says what is in the index.
pub(crate) const SNAPSHOT: &str = "snapshot";

/// What files the index has read, and how they looked then.
///
/// A slot is the place of a file in the order that was given to
/// [`Writer::commit`](crate::Writer::commit). All that is asked for a slot that does not exist is
/// empty.
#[derive(Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    /// What all names begin with, and what they end in.
    edges: [Vec<u8>; 2],
    rows_at: usize,
    names_at: usize,
    count: u32,
    pub(crate) generation: u64,
    pub(crate) next_segment: u32,
    pub(crate) segments: Vec<SegmentEntry>,
    facts: FactsFile,
    heads: OnceLock<Vec<u32>>,
}

/// The facts are a file of their own, because a query without a filter does not need them.
#[derive(Debug)]
struct FactsFile {
    path: PathBuf,
    file: File,
    length: u64,
    sum: u64,
    facts: OnceLock<Option<Facts>>,
}

impl Snapshot {
    /// Reads the snapshot of the index in `dir`; `None` if there is none that can be used.
    pub(crate) fn read(dir: &Path) -> Result<Option<Self>, IndexError> {
        let path = dir.join(SNAPSHOT);
        let bytes = match read_whole(&path) {
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(IndexError::io(&path, error)),
        };
        Ok(Self::parse(dir, bytes))
    }

    fn parse(dir: &Path, bytes: Vec<u8>) -> Option<Self> {
        let mut from = Reader(&bytes);
        if from.take(MAGIC.len())? != MAGIC || from.u64()? != checksum(from.0) {
            return None;
        }
        let generation = from.u64()?;
        let next_segment = from.u32()?;
        let count = from.u32()?;
        let facts = FactsFile::open(dir, generation, from.u64()?, from.u64()?)?;
        let segments =
            (0..from.u32()?).map(|_| SegmentEntry::read(&mut from)).collect::<Option<Vec<_>>>()?;
        let edges = [from.bytes()?, from.bytes()?];
        let rows_at = bytes.len() - from.0.len();
        let names_at = rows_at.checked_add(usize::try_from(count).ok()?.checked_mul(ROW)?)?;
        (names_at <= bytes.len()).then_some(())?;
        Some(Self {
            bytes,
            edges,
            rows_at,
            names_at,
            count,
            generation,
            next_segment,
            segments,
            facts,
            heads: OnceLock::new(),
        })
    }

    /// Returns the number of slots.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Says whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the name of the file.
    pub fn name(&self, slot: u32) -> String {
        let Some(middle) = self.middle(slot) else { return String::new() };
        let [start, end] = &self.edges;
        String::from_utf8([start, middle, end].concat()).unwrap_or_default()
    }

    /// Returns whether that is the name of the file.
    pub fn is_named(&self, slot: u32, name: &str) -> bool {
        let [start, end] = &self.edges;
        let middle = name.as_bytes().strip_prefix(start.as_slice());
        let middle = middle.and_then(|rest| rest.strip_suffix(end.as_slice()));
        middle.is_some() && middle == self.middle(slot)
    }

    /// Returns the part of a name that not all names have.
    fn middle(&self, slot: u32) -> Option<&[u8]> {
        let end = self.row(slot)?.name_end;
        let start = self.before(slot).map_or(0, |row| row.name_end);
        Some(self.part(self.names_at, start, end))
    }

    /// Returns how the file looked; `None` where that is not known for certain.
    pub fn stamp(&self, slot: u32) -> Option<Stamp> {
        self.row(slot)?.stamp
    }

    /// Returns when the content says that it was written, in milliseconds.
    pub fn time(&self, slot: u32) -> i64 {
        self.row(slot).map_or(0, |row| row.time)
    }

    /// Returns the document of the file, to be given to the writer again if the file is unchanged.
    pub fn doc(&self, slot: u32) -> DocId {
        self.row(slot).map_or(DocId { segment: u32::MAX, doc: u32::MAX }, |row| row.doc)
    }

    /// Returns the number of bytes in each field.
    pub fn lengths(&self, slot: u32) -> [u32; 3] {
        self.row(slot).map_or([0; 3], |row| row.lengths)
    }

    /// Returns the facts of the file. They are read from the disk when they are first asked for.
    pub fn facts(
        &self,
        slot: u32,
    ) -> Result<impl Iterator<Item = Cow<'_, str>> + Clone, IndexError> {
        let facts = self.facts.facts()?;
        let (start, end) = self.facts_range(slot);
        Ok(facts.list(start, end))
    }

    /// Returns a number for what the facts of each file begin with, up to the first that is empty: where it is the same, so
    /// are they.
    pub fn heads(&self) -> Result<&[u32], IndexError> {
        let facts = self.facts.facts()?;
        Ok(self.heads.get_or_init(|| {
            let mut numbers: HashMap<&[u8], u32> = HashMap::new();
            let mut number = |slot| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(facts.head(self.facts_range(slot))).or_insert(next)
            };
            (0..self.count).map(&mut number).collect()
        }))
    }

    fn facts_range(&self, slot: u32) -> (u32, u32) {
        let end = self.row(slot).map_or(0, |row| row.facts_end);
        let start = self.before(slot).map_or(0, |row| row.facts_end);
        (start.min(end), end)
    }

    /// Returns the documents of all slots in order.
    pub(crate) fn docs(&self) -> impl Iterator<Item = Row> {
        let rows = self.bytes.get(self.rows_at..self.names_at).unwrap_or_default();
        rows.as_chunks::<ROW>().0.iter().map(Row::read)
    }

    fn row(&self, slot: u32) -> Option<Row> {
        let rows = self.bytes.get(self.rows_at..self.names_at)?.as_chunks::<ROW>().0;
        rows.get(usize::try_from(slot).ok()?).map(Row::read)
    }

    fn before(&self, slot: u32) -> Option<Row> {
        self.row(slot.checked_sub(1)?)
    }

    fn part(&self, base: usize, start: u32, end: u32) -> &[u8] {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.bytes.get(base + start..base + end)).unwrap_or_default()
    }
}

impl FactsFile {
    fn open(dir: &Path, generation: u64, length: u64, sum: u64) -> Option<Self> {
        let path = dir.join(facts_name(generation));
        let file = File::open(&path).ok()?;
        (file.metadata().ok()?.len() == length).then_some(())?;
        Some(Self { path, file, length, sum, facts: OnceLock::new() })
    }

    fn facts(&self) -> Result<&Facts, IndexError> {
        let facts = self.facts.get_or_init(|| self.load());
        facts.as_ref().ok_or_else(|| IndexError::damaged(&self.path))
    }

    fn load(&self) -> Option<Facts> {
        let mut bytes = vec![0; usize::try_from(self.length).ok()?];
        self.file.read_exact_at(&mut bytes, 0).ok()?;
        (checksum(&bytes) == self.sum).then_some(())?;
        Facts::parse(bytes)
    }
}

/// Returns the name of the file with the facts.
pub(crate) fn facts_name(generation: u64) -> String {
    format!("facts-{generation}")
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
