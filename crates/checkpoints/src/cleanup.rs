//! Removes old checkpoints: automatic ones to the trash, full ones to the archive.

mod move_files;
mod plan;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use serde::Serialize;
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_workspace::Workspace;

use super::error::CheckpointError;
use super::{index_files, store_lock};
pub use plan::CleanupFacts;
use plan::{CleanupDecision, CleanupPlanner, read_all};

const DAY: i64 = 24 * 3_600_000;
/// Maximum age of an automatic checkpoint in days.
const AUTO_DAYS: i64 = 14;

/// Options of a cleanup.
#[derive(Clone, Copy, Debug)]
pub struct CleanupOptions {
    /// Full checkpoints that are older than this number of days are moved to the archive.
    pub archive_days: Option<u32>,
    /// Whether files are moved; otherwise they are only listed.
    pub apply: bool,
    /// The [`Cleanup::token`] of the list that was shown; if it differs now, nothing is removed.
    pub expect: Option<u64>,
}

/// The checkpoints that are removed, and the old ones that are kept, with the reasons.
#[derive(Debug, Default, Serialize)]
pub struct Cleanup {
    /// Whether files were moved; otherwise they are only listed.
    pub applied: bool,
    /// The checkpoints that are or will be removed, oldest first.
    pub goes: Vec<RemovedCheckpoint>,
    /// The old checkpoints that are kept, oldest first.
    pub stays: Vec<KeptCheckpoint>,
    /// The number of checkpoints that are not old enough.
    pub young: usize,
    /// The number of checkpoints that could not be moved; `stays` has the reasons.
    pub failures: usize,
    /// The directory of the trash.
    pub trash: String,
    /// Problems of files.
    pub diagnostics: Vec<FileDiagnostic>,
    /// Identifies the list of removed checkpoints, within one run of the program.
    #[serde(skip)]
    pub token: u64,
}

/// A checkpoint that is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedCheckpoint {
    /// Its id.
    pub id: String,
    /// The title of the checkpoint.
    pub title: String,
    /// The type of the checkpoint.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// Its file, before the move.
    #[serde(serialize_with = "skein_model::view::serialize_path")]
    pub file: PathBuf,
    /// The destination: `trash`, or the folder in the archive.
    pub to: String,
    /// The reason, in a few words.
    #[serde(rename = "why")]
    pub reason: String,
}

/// A checkpoint that is old and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptCheckpoint {
    /// Its id.
    pub id: String,
    /// Its file.
    #[serde(serialize_with = "skein_model::view::serialize_path")]
    pub file: PathBuf,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The reason, in a few words.
    #[serde(rename = "why")]
    pub reason: String,
}

impl Cleanup {
    /// Records the decision for each checkpoint.
    fn sort_out(&mut self, judge: &CleanupPlanner<'_>) {
        for (row, verdict) in judge.all() {
            match verdict {
                CleanupDecision::Young => self.young += 1,
                CleanupDecision::Stays(reason) => self.stays.push(KeptCheckpoint {
                    id: row.id.clone(),
                    file: row.file.clone(),
                    updated_at: row.updated_at,
                    reason,
                }),
                CleanupDecision::Goes { to, kind, reason } => self.goes.push(RemovedCheckpoint {
                    id: row.id.clone(),
                    title: row.title.clone(),
                    kind,
                    updated_at: row.updated_at,
                    file: row.file.clone(),
                    to,
                    reason,
                }),
            }
        }
        self.goes.sort_by(|a, b| (a.updated_at, &a.id).cmp(&(b.updated_at, &b.id)));
        self.stays.sort_by(|a, b| (a.updated_at, &a.id).cmp(&(b.updated_at, &b.id)));
        self.token = token(&self.goes);
    }

    /// Records that a checkpoint could not be moved; the others are moved anyway.
    fn failed(&mut self, one: &RemovedCheckpoint, error: &CheckpointError) {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
        let reason = format!("{error}{}", cause.unwrap_or_default());
        self.failures += 1;
        self.stays.push(KeptCheckpoint {
            id: one.id.clone(),
            file: one.file.clone(),
            updated_at: one.updated_at,
            reason,
        });
    }
}

/// Lists the checkpoints that are old enough to be removed, and removes them if requested.
///
/// Nothing is deleted: each file is moved to the trash or to `archive/YYYY-MM/`.
pub fn cleanup(
    workspace: &Workspace,
    options: &CleanupOptions,
) -> Result<Cleanup, CheckpointError> {
    let env = &workspace.env;
    let checkpoints = &workspace.checkpoints;
    let trash = trash(workspace);
    let mut cleanup = Cleanup {
        trash: trash.display().to_string(),
        applied: options.apply,
        ..Cleanup::default()
    };
    if !checkpoints.threads().is_dir() {
        return Ok(cleanup);
    }
    // The lock is held so that the files do not change between the decision and the move.
    let guard = options.apply.then(|| store_lock::existing(workspace)).transpose()?;
    let found = read_all(checkpoints, env.clock.now(), &mut cleanup.diagnostics);
    let found = found.iter().map(|(row, facts)| (&**row, facts.as_ref()));
    cleanup.sort_out(&CleanupPlanner::new(workspace, options.archive_days, found));
    if options.expect.is_some_and(|expect| expect != cleanup.token) {
        return Err(CheckpointError::OtherCleanup);
    }
    if let Some(guard) = guard {
        let stamp = env.clock.now().compact();
        let archive = checkpoints.archive();
        let move_out = |one: &RemovedCheckpoint| {
            store_lock::inside(checkpoints, &archive)?;
            store_lock::inside(checkpoints, &archive.join(&one.to))?;
            move_files::out(&*env.fs, &guard, (&trash, &archive), one, &stamp)
        };
        for one in std::mem::take(&mut cleanup.goes) {
            match move_out(&one) {
                Ok(()) => cleanup.goes.push(one),
                Err(error) => cleanup.failed(&one, &error),
            }
        }
        drop(guard);
        cleanup.diagnostics.extend(index_files::refresh(workspace));
    }
    Ok(cleanup)
}

/// Returns what a cleanup would remove, given checkpoints that have already been read.
pub fn plan_cleanup<'a>(
    workspace: &'a Workspace,
    archive_days: Option<u32>,
    diagnostics: Vec<FileDiagnostic>,
    all: impl Iterator<Item = (&'a ThreadRow, Option<&'a CleanupFacts>)>,
) -> Cleanup {
    let trash = trash(workspace).display().to_string();
    let mut cleanup = Cleanup { trash, diagnostics, ..Cleanup::default() };
    cleanup.sort_out(&CleanupPlanner::new(workspace, archive_days, all));
    cleanup
}

fn token(goes: &[RemovedCheckpoint]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for one in goes {
        (&one.id, &one.to, one.updated_at.map(Time::as_millis)).hash(&mut hasher);
    }
    hasher.finish()
}

pub(super) fn trash(workspace: &Workspace) -> PathBuf {
    workspace.env.root_dirs(&workspace.checkpoints.root).state.join("trash").join("checkpoints")
}

/// Returns whether a checkpoint is in the trash.
pub(super) fn is_in_trash(workspace: &Workspace, id: &str) -> bool {
    let entries = trash(workspace).read_dir().into_iter().flatten().filter_map(Result::ok);
    let end = format!("-{id}.json");
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(&end))
}
