use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::checksum::checksum;
use crate::index::error::IndexError;
use crate::snapshot::facts::FactsDraft;
use crate::snapshot::row::{DocId, ROW, Record, Row};
use crate::snapshot::segment::SegmentEntry;
use crate::snapshot::{MAGIC, SNAPSHOT, facts_name};
use crate::writer::PRIVATE_FILE;

const TEMPORARY: &str = "snapshot.new";

/// A snapshot in the making.
pub(crate) struct Draft<'a> {
    rows: Vec<u8>,
    count: u32,
    /// What all names begin with, and what they end in.
    edges: [&'a [u8]; 2],
    names: Vec<u8>,
    facts: FactsDraft<'a>,
}

impl<'a> Draft<'a> {
    /// Returns a snapshot without files, with room for those that will come.
    pub(crate) fn with_room(records: &'a [Record<'_>]) -> Result<Self, IndexError> {
        let names = records.iter().map(|record| record.name.len()).sum();
        Ok(Self {
            rows: Vec::with_capacity(records.len() * ROW),
            count: 0,
            edges: edges(records),
            names: Vec::with_capacity(names),
            facts: FactsDraft::of(&records.iter().map(|record| record.facts.as_slice()))?,
        })
    }

    /// Adds a file, whose document may have moved to `doc`.
    pub(crate) fn push(
        &mut self,
        record: &Record<'_>,
        doc: DocId,
        lengths: [u32; 3],
    ) -> Result<(), IndexError> {
        let [start, end] = self.edges.map(<[u8]>::len);
        let name = record.name.as_bytes();
        let middle = name.get(start..name.len().saturating_sub(end));
        self.names.extend_from_slice(middle.ok_or(IndexError::Document)?);
        let row = Row {
            name_end: offset(self.names.len())?,
            facts_end: self.facts.push(&record.facts)?,
            doc,
            lengths,
            stamp: record.stamp,
            time: record.time,
        };
        row.write(&mut self.rows);
        self.count = self.count.checked_add(1).ok_or(IndexError::TooMuch)?;
        Ok(())
    }

    /// Puts the snapshot in the place of the one before; readers see the one or the other.
    pub(crate) fn publish(
        self,
        dir: &Path,
        generation: u64,
        next_segment: u32,
        segments: &[SegmentEntry],
    ) -> Result<(), IndexError> {
        let facts = self.facts.into_bytes();
        write_new(&dir.join(facts_name(generation)), &[&facts])?;
        let mut head = Vec::new();
        head.extend_from_slice(&generation.to_le_bytes());
        head.extend_from_slice(&next_segment.to_le_bytes());
        head.extend_from_slice(&self.count.to_le_bytes());
        head.extend_from_slice(&(facts.len() as u64).to_le_bytes());
        head.extend_from_slice(&checksum(&facts).to_le_bytes());
        head.extend_from_slice(&offset(segments.len())?.to_le_bytes());
        for segment in segments {
            segment.write(&mut head);
        }
        for edge in self.edges {
            head.extend_from_slice(&offset(edge.len())?.to_le_bytes());
            head.extend_from_slice(edge);
        }
        head.reserve_exact(self.rows.len() + self.names.len());
        head.extend_from_slice(&self.rows);
        head.extend_from_slice(&self.names);
        let temporary = dir.join(TEMPORARY);
        write_new(&temporary, &[&MAGIC, &checksum(&head).to_le_bytes(), &head])?;
        rename(&temporary, &dir.join(SNAPSHOT))
    }
}

/// Returns what all names begin with and what they end in, which never overlap.
fn edges<'a>(records: &'a [Record<'_>]) -> [&'a [u8]; 2] {
    let Some(first) = records.first().map(|record| record.name.as_bytes()) else {
        return [&[]; 2];
    };
    let names = || records.iter().map(|record| record.name.as_bytes());
    let same = |(one, other): &(&u8, &u8)| one == other;
    let shared = |name: &[u8]| first.iter().zip(name).take_while(same).count();
    let start = names().map(shared).min().unwrap_or_default();
    let rest = |name: &'a [u8]| name.get(start..).unwrap_or_default();
    let shared = |name: &'a [u8]| {
        rest(first).iter().rev().zip(rest(name).iter().rev()).take_while(same).count()
    };
    let end = names().map(shared).min().unwrap_or_default();
    let (start, rest) = first.split_at(start);
    [start, rest.get(rest.len() - end..).unwrap_or_default()]
}

fn offset(length: usize) -> Result<u32, IndexError> {
    u32::try_from(length).map_err(|_| IndexError::TooMuch)
}

fn write_new(path: &Path, parts: &[&[u8]]) -> Result<(), IndexError> {
    let fail = |error| IndexError::io(path, error);
    // A reader may have the file open that is in the way, so that it is not written over.
    remove(path)?;
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(PRIVATE_FILE);
    let mut file = options.open(path).map_err(fail)?;
    parts.iter().try_for_each(|part| file.write_all(part)).map_err(fail)
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), IndexError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(IndexError::io(path, error)),
        _ => Ok(()),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the index is a cache: it is checked when it is read, and never synced"
)]
fn rename(from: &Path, to: &Path) -> Result<(), IndexError> {
    fs::rename(from, to).map_err(|error| IndexError::io(to, error))
}
