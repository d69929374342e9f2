//! The current text of a file under review.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use skein_git::is_binary;
use skein_store::{Revision, Stamp, read_inside};
use skein_workspace::ReviewStore;

use super::fit::Lines;
use crate::source_text::{MAX_SOURCE_LEN, leads_to_source, lines, without_bom};

/// A text with its lines.
#[derive(Debug)]
pub struct SourceText {
    /// The text without a byte order mark.
    pub(crate) bytes: Vec<u8>,
    /// The lines without line ends.
    pub lines: Vec<String>,
    /// The file stamp before the file was read.
    pub stamp: Option<Stamp>,
    /// Whether the text is from the index, because the file is tracked and not checked out.
    pub(crate) is_from_index: bool,
    revision: OnceCell<Revision>,
}

impl SourceText {
    /// Reads a file of the workspace; none if it is missing, binary or too large.
    pub fn read(reviews: &ReviewStore, path: &str) -> Option<Self> {
        let stamp = Stamp::from_path(&reviews.root.join(path));
        let bytes = read_inside(&reviews.root, path, MAX_SOURCE_LEN).ok()?;
        if !leads_to_source(reviews, path) || is_binary(&bytes) {
            return None;
        }
        Some(Self { stamp, ..Self::new(&bytes) })
    }

    /// Returns the text of a file in the index; none if it is binary.
    pub(super) fn from_index(bytes: &[u8]) -> Option<Self> {
        (!is_binary(bytes)).then(|| Self { is_from_index: true, ..Self::new(bytes) })
    }

    pub(super) fn new(bytes: &[u8]) -> Self {
        let bytes = without_bom(bytes).to_vec();
        let lines = lines(&bytes);
        Self { bytes, lines, stamp: None, is_from_index: false, revision: OnceCell::new() }
    }

    /// Returns the lines as an editor counts them.
    pub(super) fn model(&self) -> Lines<'_> {
        Lines::new(&self.lines, self.has_empty_end())
    }

    /// Returns whether an editor shows an empty line after the last line end.
    pub fn has_empty_end(&self) -> bool {
        self.bytes.last().is_none_or(|byte| *byte == b'\n')
    }

    /// Returns a fast hash of the text.
    pub fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bytes.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the revision of the text.
    pub(super) fn revision(&self) -> &Revision {
        self.revision.get_or_init(|| Revision::from_bytes(&self.bytes))
    }
}
