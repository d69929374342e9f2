//! An auto-checkpoint that becomes a full one.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointRef, CheckpointType, Form, NewCheckpoint, Record,
};
use skein_format::id::CheckpointId;
use skein_format::time::Time;
use skein_store::Guard;

use super::error::WorkError;
use super::open;
use crate::discover::Workspace;
use crate::env::Env;
use crate::read::checkpoint::is_thread;

/// How old it may be, in milliseconds.
const YOUNG: i64 = 5 * 60 * 1000;

/// Returns the newest auto-checkpoint of a session that is younger than five minutes.
///
/// Only files whose names say that they are as young are read.
pub(super) fn candidate(workspace: &Workspace, session: &str, now: Time) -> Option<PathBuf> {
    let dir = workspace.checkpoints.threads();
    let entries = dir.read_dir().ok()?.filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_thread(name))
        .filter(|name| stem(name).and_then(|id| id.time()).is_some_and(|at| is_young(at, now)))
        .collect();
    names.sort();
    let fits = |name: &String| {
        let bytes = skein_store::read(&dir.join(name)).ok()?.bytes;
        let stem = name.strip_suffix(".json")?;
        let head = CheckpointRef::parse(&bytes, stem, Form::Thread).0.into_head();
        let is_its_own =
            head.kind == CheckpointType::Auto && head.session_id.as_deref() == Some(session);
        let writable = head.usable && head.version.is_none_or(|version| version <= 1);
        let at = head.created_at.filter(|at| is_its_own && writable && is_young(*at, now))?;
        Some((at, name.clone()))
    };
    names.iter().filter_map(fits).max().map(|(_, name)| dir.join(name))
}

/// Makes the full checkpoint of it; what a record says counts more than what was found out.
pub(super) fn apply(
    workspace: &Workspace,
    env: &Env,
    guard: &Guard,
    path: &Path,
    new: &NewCheckpoint,
    record: Option<&Record>,
) -> Result<CheckpointDoc, WorkError> {
    open::update(env, &workspace.checkpoints, guard, path, &|doc| {
        doc.upgrade(new)?;
        Ok(record.map_or(Ok(()), |record| record.put_over(doc, new.created_at))?)
    })
}

fn stem(name: &str) -> Option<CheckpointId> {
    CheckpointId::parse(name.strip_suffix(".json")?)
}

fn is_young(at: Time, now: Time) -> bool {
    let age = now.as_millis().saturating_sub(at.as_millis());
    // Another process of the same second may have read the clock a little later.
    (-1000..YOUNG).contains(&age)
}
