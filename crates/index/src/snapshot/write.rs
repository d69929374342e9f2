use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::checksum::checksum;
use crate::index::error::IndexError;
use crate::snapshot::facts::FactsDraft;
use crate::snapshot::row::{DocId, ROW, Record, Row};
use crate::snapshot::segment::SegmentEntry;
use crate::snapshot::{MAGIC, SNAPSHOT, facts_name};

const TEMPORARY: &str = "snapshot.new";

/// A snapshot in the making.
pub(crate) struct Draft<'a> {
    rows: Vec<u8>,
    count: u32,
    names: Vec<u8>,
    facts: FactsDraft<'a>,
}

impl<'a> Draft<'a> {
    /// Returns a snapshot without files, with room for some.
    pub(crate) fn with_room(records: &[Record<'_>]) -> Self {
        let names = records.iter().map(|record| record.name.len()).sum();
        Self {
            rows: Vec::with_capacity(records.len() * ROW),
            count: 0,
            names: Vec::with_capacity(names),
            facts: FactsDraft::default(),
        }
    }

    /// Adds a file, whose document may have moved to `doc`.
    pub(crate) fn push(
        &mut self,
        record: &Record<'a>,
        doc: DocId,
        lengths: [u32; 3],
    ) -> Result<(), IndexError> {
        self.names.extend_from_slice(record.name.as_bytes());
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
        head.reserve_exact(self.rows.len() + self.names.len());
        head.extend_from_slice(&self.rows);
        head.extend_from_slice(&self.names);
        let temporary = dir.join(TEMPORARY);
        write_new(&temporary, &[&MAGIC, &checksum(&head).to_le_bytes(), &head])?;
        rename(&temporary, &dir.join(SNAPSHOT))
    }
}

fn offset(length: usize) -> Result<u32, IndexError> {
    u32::try_from(length).map_err(|_| IndexError::TooMuch)
}

fn write_new(path: &Path, parts: &[&[u8]]) -> Result<(), IndexError> {
    let fail = |error| IndexError::io(path, error);
    // A reader may have the file open that is in the way, so that it is not written over.
    remove(path)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(fail)?;
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
