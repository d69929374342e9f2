//! The pointer to the checkpoint of the last handoff.

use std::path::PathBuf;

use skein_format::checkpoint::HandoffDoc;
use skein_format::diagnostic::Code;
use skein_format::redact::redacted;
use skein_model::view::FileDiagnostic;
use skein_store::{ReadError, read_stable};
use skein_workspace::{CheckpointStore, Workspace};

use crate::checkpoint_lookup::{self, CheckpointFile};

/// Returns the file of the pointer: next to the threads, or at the legacy location.
pub fn path(checkpoints: &CheckpointStore) -> PathBuf {
    let path = checkpoints.file(HandoffDoc::FILE_NAME);
    let legacy = checkpoints.legacy().join(HandoffDoc::FILE_NAME);
    if path.symlink_metadata().is_err() && legacy.is_file() { legacy } else { path }
}

/// Reads the pointer, if there is one, and its diagnostics.
pub fn read(workspace: &Workspace) -> (Option<HandoffDoc>, Vec<FileDiagnostic>) {
    let path = path(&workspace.checkpoints);
    let usable = |bytes: &[u8]| HandoffDoc::parse(bytes.to_vec()).0.usable;
    let snapshot = match read_stable(&path, &usable) {
        Ok(snapshot) => snapshot,
        Err(ReadError::NotFound { .. }) => return (None, Vec::new()),
        Err(error) => {
            let found = FileDiagnostic::new(Code::FileUnreadable, &path, None, error.to_string());
            return (None, vec![found]);
        }
    };
    let (pointer, found) = HandoffDoc::parse(snapshot.bytes);
    let mut found = FileDiagnostic::all(found, &path);
    let id = pointer.last_thread.as_deref();
    if let Some(id) = id.filter(|_| target(&workspace.checkpoints, &pointer).is_none()) {
        let message = format!("there is no checkpoint `{id}`");
        found.push(FileDiagnostic::new(Code::HandoffDangling, &path, None, message));
    }
    (Some(cleaned(pointer)).filter(|pointer| pointer.usable), found)
}

/// Removes secrets from the texts; the id is kept, because it is needed to find the checkpoint.
fn cleaned(mut pointer: HandoffDoc) -> HandoffDoc {
    for text in [&mut pointer.message, &mut pointer.thread_path, &mut pointer.context_notes] {
        *text = text.take().map(redacted);
    }
    pointer
}

/// Reads the pointer once; none if it is not usable.
pub fn pointer(checkpoints: &CheckpointStore) -> Option<HandoffDoc> {
    let bytes = skein_store::read(&path(checkpoints)).ok()?.bytes;
    Some(cleaned(HandoffDoc::parse(bytes).0)).filter(|pointer| pointer.usable)
}

/// Finds the target of the pointer, by its id or else by its path, without listing threads.
pub fn target(checkpoints: &CheckpointStore, pointer: &HandoffDoc) -> Option<CheckpointFile> {
    let names = [pointer.last_thread.as_deref(), pointer.path_stem()];
    names.into_iter().flatten().find_map(|id| checkpoint_lookup::exact(checkpoints, id))
}
