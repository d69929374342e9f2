use std::path::Path;

use tantivy::TantivyDocument;
use tantivy::indexer::{AddOperation, SegmentWriter};

use crate::directory::{STREAM, SegmentFiles};
use crate::index::error::IndexError;
use crate::schema;
use crate::snapshot::row::DocId;
use crate::snapshot::segment::SegmentEntry;
use crate::text::Text;

/// What the table of terms is made for; it grows. A large one would be most of the work where one
/// document is added.
const START_MEMORY: usize = 1 << 20;

/// A segment that documents are being added to, in memory.
pub(crate) struct Builder {
    number: u32,
    uuid: String,
    files: SegmentFiles,
    writer: SegmentWriter,
    lengths: Vec<[u32; 3]>,
    memory: usize,
}

/// A segment that is on the disk.
pub(crate) struct Built {
    pub(crate) entry: SegmentEntry,
    /// The lengths of its documents, in their order.
    pub(crate) lengths: Vec<[u32; 3]>,
}

impl Builder {
    pub(crate) fn new(dir: &Path, number: u32, memory: usize) -> Result<Self, IndexError> {
        let files = SegmentFiles::create(dir, STREAM);
        let index = schema::around(files.clone())?;
        let segment = index.new_segment();
        let uuid = segment.id().uuid_string();
        let writer = SegmentWriter::for_segment(START_MEMORY, segment)?;
        Ok(Self { number, uuid, files, writer, lengths: Vec::new(), memory })
    }

    pub(crate) fn add<'a>(
        &mut self,
        texts: impl Iterator<Item = Text<'a>>,
    ) -> Result<DocId, IndexError> {
        let mut document = TantivyDocument::new();
        let mut lengths = [0_u32; 3];
        for text in texts {
            document.add_text(schema::library_field(text.field), text.shown());
            text.measure(&mut lengths);
        }
        let doc = self.writer.max_doc();
        self.writer.add_document(AddOperation { opstamp: u64::from(doc), document })?;
        self.lengths.push(lengths);
        Ok(DocId { segment: self.number, doc })
    }

    /// Says whether the segment has the size that it may have in memory.
    pub(crate) fn is_full(&self) -> bool {
        self.writer.mem_usage() >= self.memory
    }

    /// Writes the segment.
    pub(crate) fn finish(self) -> Result<Built, IndexError> {
        let docs = self.writer.max_doc();
        self.writer.finalize()?;
        let entry =
            SegmentEntry { number: self.number, uuid: self.uuid, docs, files: self.files.sealed() };
        Ok(Built { entry, lengths: self.lengths })
    }
}
