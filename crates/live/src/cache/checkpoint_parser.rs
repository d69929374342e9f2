//! Reads checkpoint files for the timeline.

use std::path::Path;
use std::sync::Arc;

use skein_catalog::rows::checkpoint::row;
use skein_catalog::rows::unreadable;
use skein_checkpoints::CleanupFacts;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_model::Kind;

use super::checkpoint_refs::CheckpointRefs;
use super::timeline::TimelineEntry;
use crate::tracked_dir::FileParser;

pub(super) struct CheckpointParser(pub(super) CheckpointFileKind);

impl FileParser<Arc<TimelineEntry>> for CheckpointParser {
    fn parse(&self, path: &Path, bytes: &[u8]) -> (Arc<TimelineEntry>, bool) {
        let row = row(bytes, path, self.0);
        let doc = CheckpointDoc::parse(bytes.to_vec(), &row.id, self.0).0;
        let steps = if row.usable { doc.steps() } else { Vec::new() };
        let is_usable = row.usable;
        let entry = TimelineEntry {
            row,
            steps: steps.into_iter().map(Into::into).collect(),
            refs: CheckpointRefs::from_doc(&doc),
            facts: Some(CleanupFacts::from_doc(&doc)),
        };
        (Arc::new(entry), is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> Arc<TimelineEntry> {
        let row = unreadable(Kind::Checkpoint, path, &reason);
        let (steps, refs) = (Vec::new(), CheckpointRefs::default());
        Arc::new(TimelineEntry { row, steps, refs, facts: None })
    }
}
