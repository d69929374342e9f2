//! Removes old checkpoints: automatic ones to the trash, full ones to the archive.

mod judge;
mod move_files;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use serde::Serialize;
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_workspace::{Env, Workspace};

use super::error::CheckpointError;
use super::{index_files, store_lock};
pub use judge::CleanupFacts;
use judge::{CleanupDecision, CleanupPlanner, read_all};

const DAY: i64 = 24 * 3_600_000;
/// How old an automatic checkpoint may get.
const AUTO_DAYS: i64 = 14;

/// What is to be removed.
#[derive(Clone, Copy, Debug)]
pub struct CleanupOptions {
    /// Full checkpoints that are older than this number of days are moved to the archive.
    pub archive_days: Option<u32>,
    /// Whether files are moved; otherwise they are only listed.
    pub apply: bool,
    /// The [`Cleanup::token`] of the list that was shown; if it differs now, nothing is removed.
    pub expect: Option<u64>,
}

/// What is removed, what is old and kept, and why.
#[derive(Debug, Default, Serialize)]
pub struct Cleanup {
    /// Whether files were moved; otherwise they are only listed.
    pub applied: bool,
    /// What is or will be removed, the oldest first.
    pub goes: Vec<RemovedCheckpoint>,
    /// What is old and kept, the oldest first.
    pub stays: Vec<KeptCheckpoint>,
    /// The number of checkpoints that are not old enough.
    pub young: usize,
    /// The number of those that could not be moved; `stays` has the reasons.
    pub failures: usize,
    /// The directory of the trash.
    pub trash: String,
    /// What went wrong.
    pub diagnostics: Vec<FileDiagnostic>,
    /// Identifies the list of what is removed, within one run of the program.
    #[serde(skip)]
    pub token: u64,
}

/// A checkpoint that is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedCheckpoint {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How it came about.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// Where it is, or was.
    #[serde(serialize_with = "skein_model::view::serialize_path")]
    pub file: PathBuf,
    /// Where it is moved: `trash`, or the folder of the archive.
    pub to: String,
    /// Why, in a few words.
    pub why: String,
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
    /// Why, in a few words.
    pub why: String,
}

impl Cleanup {
    /// Records the decision for each checkpoint.
    fn sort_out(&mut self, judge: &CleanupPlanner<'_>) {
        for (row, verdict) in judge.all() {
            match verdict {
                CleanupDecision::Young => self.young += 1,
                CleanupDecision::Stays(why) => self.stays.push(KeptCheckpoint {
                    id: row.id.clone(),
                    file: row.file.clone(),
                    updated_at: row.updated_at,
                    why,
                }),
                CleanupDecision::Goes { to, kind, why } => self.goes.push(RemovedCheckpoint {
                    id: row.id.clone(),
                    title: row.title.clone(),
                    kind,
                    updated_at: row.updated_at,
                    file: row.file.clone(),
                    to,
                    why,
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
        let why = format!("{error}{}", cause.unwrap_or_default());
        self.failures += 1;
        self.stays.push(KeptCheckpoint {
            id: one.id.clone(),
            file: one.file.clone(),
            updated_at: one.updated_at,
            why,
        });
    }
}

/// Lists what is old enough to be removed, and removes it if that is requested.
///
/// Nothing is deleted: each file is moved to the trash or to `archive/YYYY-MM/`.
pub fn cleanup(
    workspace: &Workspace,
    env: &Env,
    options: &CleanupOptions,
) -> Result<Cleanup, CheckpointError> {
    let checkpoints = &workspace.checkpoints;
    let trash = trash(workspace, env);
    let mut cleanup = Cleanup {
        trash: trash.display().to_string(),
        applied: options.apply,
        ..Cleanup::default()
    };
    if !checkpoints.threads().is_dir() {
        return Ok(cleanup);
    }
    // The lock is held so that what is moved is what was judged.
    let guard = options.apply.then(|| store_lock::existing(env, checkpoints)).transpose()?;
    let found = read_all(checkpoints, env.clock.now(), &mut cleanup.diagnostics);
    let found = found.iter().map(|(row, facts)| (&**row, facts.as_ref()));
    cleanup.sort_out(&CleanupPlanner::new(workspace, env, options.archive_days, found));
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
        cleanup.diagnostics.extend(index_files::refresh(checkpoints, env));
    }
    Ok(cleanup)
}

/// Returns what a cleanup would remove among checkpoints that were read before.
pub fn plan_cleanup<'a>(
    workspace: &'a Workspace,
    env: &Env,
    archive_days: Option<u32>,
    diagnostics: Vec<FileDiagnostic>,
    all: impl Iterator<Item = (&'a ThreadRow, Option<&'a CleanupFacts>)>,
) -> Cleanup {
    let trash = trash(workspace, env).display().to_string();
    let mut cleanup = Cleanup { trash, diagnostics, ..Cleanup::default() };
    cleanup.sort_out(&CleanupPlanner::new(workspace, env, archive_days, all));
    cleanup
}

fn token(goes: &[RemovedCheckpoint]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for one in goes {
        (&one.id, &one.to, one.updated_at.map(Time::as_millis)).hash(&mut hasher);
    }
    hasher.finish()
}

pub(super) fn trash(workspace: &Workspace, env: &Env) -> PathBuf {
    env.root_dirs(&workspace.checkpoints.root).state.join("trash").join("checkpoints")
}

/// Returns whether a checkpoint lies in the trash.
pub(super) fn is_in_trash(workspace: &Workspace, env: &Env, id: &str) -> bool {
    let entries = trash(workspace, env).read_dir().into_iter().flatten().filter_map(Result::ok);
    let end = format!("-{id}.json");
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(&end))
}
