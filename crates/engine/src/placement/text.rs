//! A file under review as it is.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use skein_store::{Revision, Stamp, read_inside};

use crate::discover::Reviews;
use crate::review::source::{LARGEST, is_binary, leads_to_source, lines, without_bom};

/// A text with its lines, which many threads are held against.
#[derive(Debug)]
pub(crate) struct Text {
    /// The text without the mark that some files start with.
    pub(crate) bytes: Vec<u8>,
    /// The lines without their ends.
    pub(crate) lines: Vec<String>,
    /// Taken before the file was read.
    pub(crate) stamp: Option<Stamp>,
    revision: OnceCell<Revision>,
}

impl Text {
    /// Reads a file of the workspace as it is; none where it is missing, binary or too large.
    pub(crate) fn read(reviews: &Reviews, path: &str) -> Option<Self> {
        let stamp = Stamp::of(&reviews.root.join(path));
        let bytes = read_inside(&reviews.root, path, LARGEST).ok()?;
        if !leads_to_source(reviews, path) || is_binary(&bytes) {
            return None;
        }
        let bytes = without_bom(&bytes).to_vec();
        let lines = lines(&bytes);
        Some(Self { bytes, lines, stamp, revision: OnceCell::new() })
    }

    /// Returns a number that another text hardly has.
    pub(crate) fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bytes.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the name of what the text says.
    pub(super) fn revision(&self) -> &Revision {
        self.revision.get_or_init(|| Revision::of(&self.bytes))
    }
}
