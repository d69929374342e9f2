//! The files that were touched, as they are.

use std::path::PathBuf;

use serde::Serialize;
use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;

use super::context::PathContext;

/// More files than this are counted and not named.
const MAX_FILES: usize = 300;

/// A file that was touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefFile {
    /// Its path as written.
    pub path: String,
    /// Why.
    pub reason: Option<String>,
    /// Whether it was deleted then.
    pub deleted: bool,
    /// Whether it is not there any more.
    pub missing: bool,
    /// Whether it differs from what it was at the commit of the checkpoint; none if that is not known.
    pub changed: Option<bool>,
}

/// A file, and where it may be.
pub(super) struct Touched {
    pub(super) shown: BriefFile,
    pub(super) places: Vec<PathBuf>,
}

/// Returns the first files, and how many there are.
pub(super) fn files(doc: &CheckpointDoc, scene: &PathContext) -> (Vec<Touched>, usize) {
    let count = doc.head().file_count;
    let files = doc.files().into_iter().take(MAX_FILES).map(|file| {
        let places = scene.places(&file.path);
        let there = places.iter().any(|place| place.symlink_metadata().is_ok());
        let shown = BriefFile {
            path: redacted(file.path),
            reason: file.reason.map(redacted),
            deleted: file.deleted,
            missing: !there && !file.deleted && !places.is_empty(),
            changed: None,
        };
        Touched { shown, places }
    });
    (files.collect(), count)
}
