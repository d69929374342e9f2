//! A file under review as it is.

use std::cell::OnceCell;

use skein_store::Revision;

use crate::review::source;

/// A text with its lines, which many threads are held against.
#[derive(Debug)]
pub(crate) struct Text {
    /// The text without the mark that some files start with.
    pub(crate) bytes: Vec<u8>,
    /// The lines without their ends.
    pub(crate) lines: Vec<String>,
    revision: OnceCell<Revision>,
}

impl Text {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let bytes = source::without_bom(bytes).to_vec();
        let lines = source::lines(&bytes);
        Self { bytes, lines, revision: OnceCell::new() }
    }

    /// Returns the name of what the text says.
    pub(super) fn revision(&self) -> &Revision {
        self.revision.get_or_init(|| Revision::of(&self.bytes))
    }
}
