//! Writes an auto-checkpoint and remembers that.

use std::path::Path;

use skein_git::CommitId;

use super::scene::{HookError, Scene};
use crate::work::agent_session::LastCheckpoint;
use crate::work::{self, Auto};
use crate::worktree_copy::copy_checkpoint;

/// Returns what every checkpoint of a hook has in common.
pub(super) fn auto(scene: &Scene) -> Auto {
    Auto {
        session: scene.session(),
        transcript: scene.payload.transcript.clone(),
        deadline: Some(scene.left()),
        ..Auto::default()
    }
}

/// Writes a checkpoint, unless another hook has written the one of that commit.
pub(super) fn write(scene: &Scene, auto: &Auto, head: Option<&CommitId>) -> Result<(), HookError> {
    let saved = work::auto(&scene.workspace, &scene.env, auto)?;
    if let Some(saved) = &saved {
        // What cannot be copied now is copied by the next command.
        drop(copy_checkpoint(&scene.workspace, &scene.env, Path::new(&saved.file)));
    }
    let now = scene.env.clock.now();
    let commit = head.map(ToString::to_string);
    scene.remember(|session| {
        session.head = commit.clone().or(session.head.take());
        // What this checkpoint names need not be named by the next one.
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
