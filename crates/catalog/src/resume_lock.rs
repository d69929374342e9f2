//! Reads the resume locks of checkpoints.
//!
//! The lock file has the format of the program that defined it, with two added members.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skein_format::redact::redact;
use skein_format::time::{self, Time};
use skein_model::view::ResumeLockHolder;
use skein_workspace::{CheckpointStore, FileError};

/// The directory of the locks, next to the threads.
pub const LOCKS: &str = "resume-locks";
/// The file in the directory of a lock.
const CURRENT: &str = "current.json";
/// Duration of a lock without an end time, in milliseconds.
const DEFAULT_LOCK_TIME: i64 = 24 * 3_600_000;

/// The content of a lock file; members written by other programs may have any type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LockFile {
    pub version: Value,
    pub thread_id: Value,
    pub session_id: Value,
    pub resumed_at: Value,
    pub resumed_epoch: Value,
    pub generation: Value,
    pub expires_at: Value,
    pub taken_by: Value,
}

/// Returns the session id for an owner without a session: other programs treat a lock without one as free.
pub fn no_session(name: &str) -> String {
    format!("no-session:{name}")
}

impl LockFile {
    /// Parses a lock file; an invalid one counts as expired.
    pub fn parse(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub fn generation(&self) -> u64 {
        let text = || self.generation.as_str()?.parse().ok();
        self.generation.as_u64().or_else(text).unwrap_or_default()
    }

    pub fn holder(&self) -> ResumeLockHolder {
        let text = |value: &Value| {
            value.as_str().filter(|text| !text.is_empty()).map(|text| redact(text).into_owned())
        };
        let at = |value: &Value| match value {
            Value::String(text) => time::parse(text).map(|parsed| parsed.time),
            value => value.as_u64().and_then(time::from_epoch),
        };
        let since = at(&self.resumed_at).or_else(|| at(&self.resumed_epoch));
        let start = since.map_or(0, Time::as_millis);
        let until = at(&self.expires_at);
        let until =
            until.unwrap_or_else(|| Time::from_millis(start.saturating_add(DEFAULT_LOCK_TIME)));
        let by = text(&self.taken_by);
        let is_stand_in = |id: &String| by.as_deref().is_some_and(|by| *id == no_session(by));
        let session_id = text(&self.session_id).filter(|id| !is_stand_in(id));
        ResumeLockHolder { by, session_id, since, until }
    }
}

/// Returns the holder of a checkpoint's lock; none if it has expired.
pub fn holder(checkpoints: &CheckpointStore, id: &str, now: Time) -> Option<ResumeLockHolder> {
    let bytes = skein_store::read(&checkpoints.file(&relative_path(id))).ok()?.bytes;
    let holder = serde_json::from_slice::<LockFile>(&bytes).ok()?.holder();
    (holder.until > now).then_some(holder)
}

/// Returns the holders of all locks that have not expired.
pub(crate) fn holders(
    checkpoints: &CheckpointStore,
    now: Time,
) -> BTreeMap<String, ResumeLockHolder> {
    let mut all = BTreeMap::new();
    // A lock in the worktree takes precedence over one in the store.
    for dir in checkpoints.thread_dirs() {
        let entries = dir.join(LOCKS).read_dir().into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".lock"));
            let Some(id) = id.filter(|id| !all.contains_key(*id)) else { continue };
            let Ok(snapshot) = skein_store::read(&entry.path().join(CURRENT)) else { continue };
            all.insert(id.to_owned(), LockFile::parse(&snapshot.bytes).holder());
        }
    }
    all.retain(|_, holder| holder.until > now);
    all
}

/// Returns the path of a checkpoint's lock in the store.
pub fn lock_path(checkpoints: &CheckpointStore, id: &str) -> PathBuf {
    checkpoints.threads().join(relative_path(id))
}

pub fn relative_path(id: &str) -> String {
    format!("{LOCKS}/{id}.lock/{CURRENT}")
}

/// Returns whether a lock has expired or is invalid.
pub fn is_over(lock: &[u8], now: Time) -> bool {
    LockFile::parse(lock).holder().until <= now
}
