//! Writes an auto-checkpoint and records it.

use std::path::Path;

use skein_checkpoints::AutoCheckpoint;
use skein_checkpoints::agent_session::LastCheckpoint;
use skein_git::CommitId;

use super::call::{HookCall, HookResult};

/// Returns the fields that all checkpoints of hooks have in common.
pub(super) fn auto(call: &HookCall) -> AutoCheckpoint {
    AutoCheckpoint {
        session: call.session(),
        transcript: call.payload.transcript.clone(),
        deadline: Some(call.time_before_finish()),
        ..AutoCheckpoint::default()
    }
}

/// Writes a checkpoint, unless another hook has already written one for that commit.
pub(super) fn write(call: &HookCall, auto: &AutoCheckpoint, head: Option<&CommitId>) -> HookResult {
    let saved = skein_checkpoints::save_auto(&call.workspace, auto)?;
    let now = call.workspace.env.clock.now();
    let commit = head.map(ToString::to_string);
    call.update_record(|session| {
        session.head = commit.clone().or(session.head.take());
        // These files are not listed again in the next checkpoint.
        match auto.commit {
            Some(_) => session
                .edited
                .retain(|file| !auto.touched.iter().any(|path| Path::new(file).ends_with(path))),
            None => session.edited.clear(),
        }
        if let Some(saved) = saved {
            session.last_checkpoint = Some(LastCheckpoint { id: saved.id, at: Some(now), commit });
        }
    })?;
    Ok(())
}
