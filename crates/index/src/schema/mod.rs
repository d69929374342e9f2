mod tokenizer;

use tantivy::index::SegmentId;
use tantivy::schema::{self, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::Compressor;
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use tantivy::{Index, IndexSettings, Segment};

use crate::directory::SegmentFiles;
use crate::field::Field;
use crate::index::error::IndexError;
use crate::schema::tokenizer::OurTokenizer;

/// Returns what the library calls one of our fields.
pub(crate) fn library_field(field: Field) -> schema::Field {
    let number = match field {
        Field::Title => 0,
        Field::Label => 1,
        Field::Body => 2,
    };
    schema::Field::from_field_id(number)
}

/// Returns an index of the library around one segment.
///
/// The fields have positions and nothing else: how long a document is, the snapshot knows exactly.
pub(crate) fn around(files: SegmentFiles) -> Result<Index, IndexError> {
    let tokenizers = TokenizerManager::new();
    tokenizers.register(TOKENIZER, TextAnalyzer::builder(OurTokenizer).build());
    let mut index = Index::create(files, schema(), settings())?;
    index.set_tokenizers(tokenizers);
    Ok(index)
}

/// Returns the segment of an index that has one.
pub(crate) fn segment(index: &Index, uuid: &str, docs: u32) -> Result<Segment, IndexError> {
    let id = SegmentId::from_uuid_string(uuid).map_err(|_| {
        tantivy::TantivyError::InvalidArgument(format!("not the name of a segment: {uuid}"))
    })?;
    Ok(index.segment(index.new_segment_meta(id, docs)))
}

/// Returns how the library is to keep its files.
pub(crate) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

const TOKENIZER: &str = "skein";
const NAMES: [&str; 3] = ["title", "label", "body"];

fn schema() -> Schema {
    let mut schema = Schema::builder();
    for name in NAMES {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        schema.add_text_field(name, TextOptions::default().set_indexing_options(indexing));
    }
    schema.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_fields_are_the_fields_of_the_library() {
        let schema = schema();
        for (field, name) in Field::ALL.into_iter().zip(NAMES) {
            assert_eq!(schema.get_field(name).unwrap(), library_field(field));
        }
    }
}
