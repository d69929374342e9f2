//! The pointer to the checkpoint where work goes on.

use skein_format::checkpoint::HandoffDoc;
use skein_format::diagnostic::Code;
use skein_store::{ReadError, read_stable};

use crate::discover::Workspace;
use crate::read::checkpoint::clean;
use crate::view::Diag;
use crate::work;

/// Reads the pointer, where there is one, and says what is wrong with it.
pub(crate) fn read(workspace: &Workspace) -> (Option<HandoffDoc>, Vec<Diag>) {
    let path = workspace.checkpoints.threads().join(HandoffDoc::FILE_NAME);
    let place = path.display().to_string();
    let usable = |bytes: &[u8]| HandoffDoc::parse(bytes.to_vec()).0.usable;
    let snapshot = match read_stable(&path, &usable) {
        Ok(snapshot) => snapshot,
        Err(ReadError::NotFound { .. }) => return (None, Vec::new()),
        Err(error) => {
            let found = Diag::new(Code::FileUnreadable, &place, None, error.to_string());
            return (None, vec![found]);
        }
    };
    let (pointer, found) = HandoffDoc::parse(snapshot.bytes);
    let mut found = Diag::all(found, &place);
    if let Some(id) = pointer.last_thread.as_deref().filter(|id| !exists(workspace, id)) {
        let message = format!("there is no checkpoint `{id}`");
        found.push(Diag::new(Code::HandoffDangling, &place, None, message));
    }
    (Some(cleaned(pointer)).filter(|pointer| pointer.usable), found)
}

/// Removes the secrets from what others wrote; the id is needed as it is to find the checkpoint.
fn cleaned(mut pointer: HandoffDoc) -> HandoffDoc {
    for text in [&mut pointer.message, &mut pointer.thread_path, &mut pointer.context_notes] {
        *text = text.take().map(clean);
    }
    pointer
}

/// Reads the pointer once, and believes it where it makes sense.
pub(crate) fn pointer(workspace: &Workspace) -> Option<HandoffDoc> {
    let path = workspace.checkpoints.threads().join(HandoffDoc::FILE_NAME);
    let bytes = skein_store::read(&path).ok()?.bytes;
    Some(cleaned(HandoffDoc::parse(bytes).0)).filter(|pointer| pointer.usable)
}

fn exists(workspace: &Workspace, id: &str) -> bool {
    let checkpoints = &workspace.checkpoints;
    let name = format!("{id}.json");
    let plain = skein_format::id::is_plain_name(id);
    plain
        && (checkpoints.threads().join(&name).is_file()
            || checkpoints.legacy().join(name).is_file()
            || work::archived(checkpoints, id).is_ok())
}
