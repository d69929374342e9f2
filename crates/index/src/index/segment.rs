use std::io;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::{CompositeFile, FileSlice};
use tantivy::index::SegmentComponent;
use tantivy::positions::PositionReader;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{InvertedIndexReader, SegmentReader};

use crate::directory::{SPOT, SegmentFiles};
use crate::field::Field;
use crate::index::error::IndexError;
use crate::schema;
use crate::snapshot::segment::SegmentEntry;

/// The slot of a document that does not count.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// A segment that can be asked.
pub(crate) struct OpenSegment {
    pub(crate) number: u32,
    reader: SegmentReader,
    positions: CompositeFile,
    /// The slot of each document.
    pub(crate) slots: Vec<u32>,
}

/// What a segment has in one field.
pub(crate) struct OpenField {
    pub(crate) terms: Arc<InvertedIndexReader>,
    positions: Option<FileSlice>,
}

impl OpenSegment {
    pub(crate) fn open(dir: &Path, entry: &SegmentEntry) -> Result<Self, IndexError> {
        let files = SegmentFiles::open(dir, &entry.files, SPOT)
            .map_err(|error| IndexError::io(dir, error))?;
        let index = schema::around(files)?;
        let segment = schema::segment(&index, &entry.uuid, entry.docs)?;
        let reader = SegmentReader::open(&segment)?;
        let positions = segment.open_read(SegmentComponent::Positions);
        let positions = CompositeFile::open(&positions.map_err(tantivy::TantivyError::from)?)
            .map_err(tantivy::TantivyError::from)?;
        let slots = vec![NO_SLOT; usize::try_from(entry.docs).unwrap_or_default()];
        Ok(Self { number: entry.number, reader, positions, slots })
    }

    pub(crate) fn field(&self, field: Field) -> Result<OpenField, IndexError> {
        let field = schema::library_field(field);
        let terms = self.reader.inverted_index(field)?;
        Ok(OpenField { terms, positions: self.positions.open_read(field) })
    }

    /// Returns how many documents there are, those that do not count included.
    pub(crate) fn docs(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// Says whether a document counts.
    pub(crate) fn is_live(&self, doc: u32) -> bool {
        self.slot(doc) != NO_SLOT
    }

    pub(crate) fn slot(&self, doc: u32) -> u32 {
        let slot = usize::try_from(doc).ok().and_then(|doc| self.slots.get(doc));
        slot.copied().unwrap_or(NO_SLOT)
    }
}

impl OpenField {
    pub(crate) fn find(&self, term: &str) -> io::Result<Option<TermInfo>> {
        self.terms.terms().get(term.as_bytes())
    }

    /// Calls `each` with every term that begins with `prefix`, in order.
    pub(crate) fn each_from(
        &self,
        prefix: &str,
        mut each: impl FnMut(&[u8], &TermInfo),
    ) -> io::Result<()> {
        // No byte of a text is the last one that there is, so that there is always a next one.
        let mut end = prefix.as_bytes().to_vec();
        if let Some(last) = end.last_mut() {
            *last = last.saturating_add(1);
        }
        let range = self.terms.terms().range().ge(prefix.as_bytes());
        let mut stream = range.lt(&end).into_stream()?;
        while let Some((term, info)) = stream.next() {
            each(term, info);
        }
        Ok(())
    }

    pub(crate) fn postings(&self, info: &TermInfo) -> io::Result<BlockSegmentPostings> {
        self.terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)
    }

    /// Reads the postings of a term, into the place of those of another one if there are any.
    pub(crate) fn postings_again<'a>(
        &self,
        info: &TermInfo,
        place: &'a mut Option<BlockSegmentPostings>,
    ) -> io::Result<&'a mut BlockSegmentPostings> {
        match place {
            Some(postings) => {
                self.terms.reset_block_postings_from_terminfo(info, postings)?;
                Ok(postings)
            }
            None => Ok(place.insert(self.postings(info)?)),
        }
    }

    pub(crate) fn positions(&self, info: &TermInfo) -> io::Result<PositionReader> {
        let Some(positions) = &self.positions else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        PositionReader::open(positions.read_bytes_slice(info.positions_range.clone())?)
    }
}
