//! The touched files, and their current state.

use std::path::PathBuf;

use serde::Serialize;
use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;

use super::context::PathContext;

/// Maximum number of files listed; more are only counted.
const MAX_FILES: usize = 300;

/// A touched file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefFile {
    /// Its path as written.
    pub path: String,
    /// The reason.
    pub reason: Option<String>,
    /// Whether it was deleted at that time.
    pub deleted: bool,
    /// Whether it no longer exists.
    pub missing: bool,
    /// Whether it differs from the commit of the checkpoint; none if unknown.
    pub changed: Option<bool>,
}

/// A file, and its possible locations.
pub(super) struct Touched {
    pub(super) shown: BriefFile,
    pub(super) places: Vec<PathBuf>,
}

/// Returns the first files, and the number of all.
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
