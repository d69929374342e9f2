//! Turns an auto-checkpoint into a full one.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointFileKind, CheckpointType, NewCheckpoint, Record, is_thread_file,
};
use skein_format::id::CheckpointId;
use skein_format::time::Time;
use skein_store::{DirLock, move_to_trash};
use skein_workspace::kept_state::entries;
use skein_workspace::{CheckpointStore, Workspace};

use super::error::CheckpointError;
use super::recent_names::{RecentNames, looks_automatic};
use super::{agent_session, cleanup, open, publish};

/// Maximum age of the auto-checkpoint, in milliseconds.
const MAX_UPGRADE_AGE: i64 = 5 * 60 * 1000;

/// Returns the newest auto-checkpoint of a session that is younger than five minutes, unless the session has saved a full one since:
/// earlier auto-checkpoints are about other work.
///
/// Only files with a recent time in their name are read.
pub(super) fn candidate(workspace: &Workspace, session: &str, now: Time) -> Option<PathBuf> {
    let dir = workspace.checkpoints.written();
    let mut names = entries(&dir);
    names.retain(|name| is_thread_file(name));
    names.retain(|name| stem(name).and_then(|id| id.time()).is_some_and(|at| is_young(at, now)));
    names.sort();
    let fits = |name: &String| {
        let head = open::read_head(&(CheckpointFileKind::Thread, dir.join(name)))?;
        let is_its_own = head.usable && head.session_id.as_deref() == Some(session);
        if !is_its_own {
            return None;
        }
        if head.kind != CheckpointType::Auto {
            // An upgraded checkpoint keeps the creation time of the auto-checkpoint.
            return Some((head.updated_at.max(head.created_at)?, true, name.clone()));
        }
        let writable = head.version.is_none_or(|version| version <= 1);
        let at = head.created_at.filter(|at| writable && is_young(*at, now))?;
        Some((at, false, name.clone()))
    };
    let (_, is_full, name) = names.iter().filter_map(fits).max()?;
    (!is_full).then(|| dir.join(name))
}

/// Adds the commit of the auto-checkpoint to the list of commits, unless it is already named.
fn with_commit(new: &NewCheckpoint, old: &CheckpointDoc) -> NewCheckpoint {
    let head = old.head();
    let mut new = new.clone();
    let about = head.git.as_ref().and_then(|git| git.current_commit.as_deref());
    let about = about.filter(|_| head.trigger.as_deref() == Some("git-commit"));
    if let (Some(about), Some(git)) = (about, new.git.as_mut()) {
        let made = git.commits_made.get_or_insert_default();
        let is_named = git.current_commit.as_deref().is_some_and(|now| now.starts_with(about))
            || made.iter().any(|commit| commit.starts_with(about));
        let subject = head.summary.as_deref().and_then(|summary| summary.lines().next());
        made.extend((!is_named).then(|| format!("{about}: {}", subject.unwrap_or_default())));
    }
    new
}

/// Creates the full checkpoint under a new id; members of a record take precedence.
///
/// The auto-checkpoint is moved to the trash once the full one is durable. If that fails it is kept, and a note states it.
pub(super) fn apply(
    workspace: &Workspace,
    guard: &DirLock,
    path: &Path,
    (new, record): (&NewCheckpoint, Option<&Record>),
) -> Result<(PathBuf, CheckpointDoc, String), CheckpointError> {
    let mut doc = open::load(&workspace.checkpoints, path)?.0;
    let old = doc.stem().to_owned();
    doc.upgrade(&with_commit(new, &doc))?;
    if let Some(record) = record {
        record.put_over(&mut doc, new.created_at)?;
    }
    let make = |id: &CheckpointId| Ok(doc.clone().renamed(id)?);
    let (id, file, doc) = publish::create(&*workspace.env.fs, guard, &new.id, &make)?;
    let stamp = workspace.env.clock.now().compact();
    let trash = cleanup::trash(workspace);
    let moved = move_to_trash(&*workspace.env.fs, guard, &trash, path, &stamp);
    follow(workspace, new.session_id.as_deref(), (&old, id.as_str()));
    let note = match moved {
        Ok(_) => {
            format!("The auto-checkpoint {old} became this checkpoint; its old id still finds it.")
        }
        Err(error) => {
            format!("The auto-checkpoint {old} became this one, but is still there: {error}")
        }
    };
    Ok((file, doc, note))
}

/// Returns whether a missing auto-checkpoint became one of the latest full checkpoints.
pub fn became_full(checkpoints: &CheckpointStore, id: &str, now: Time) -> bool {
    if !looks_automatic(id) {
        return false;
    }
    let latest = RecentNames::read(checkpoints, None, now);
    latest.names().any(|name| {
        let file = checkpoints.file(&format!("{name}.json"));
        let head = open::read_head(&(CheckpointFileKind::Thread, file));
        head.is_some_and(|head| head.upgraded_from.as_deref() == Some(id))
    })
}

/// Updates the id of the last checkpoint in the record of the session.
fn follow(workspace: &Workspace, session: Option<&str>, (old, id): (&str, &str)) {
    let known = session.and_then(|session| agent_session::find(workspace, session));
    let Some(known) = known else { return };
    if known.last_checkpoint.as_ref().is_some_and(|last| last.id == old) {
        let recorded = agent_session::record(workspace, (&known.agent, &known.id), |session| {
            if let Some(last) = session.last_checkpoint.as_mut() {
                id.clone_into(&mut last.id);
            }
        });
        // The old id still finds the same checkpoint, only more slowly.
        drop(recorded);
    }
}

fn stem(name: &str) -> Option<CheckpointId> {
    CheckpointId::parse(name.strip_suffix(".json")?)
}

fn is_young(at: Time, now: Time) -> bool {
    let age = now.as_millis().saturating_sub(at.as_millis());
    // Another process may have read the clock slightly later in the same second.
    (-1000..MAX_UPGRADE_AGE).contains(&age)
}
