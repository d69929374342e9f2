//! Unites maps that are given as files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::{Merged, Mode, SessionMapDoc, Side, Verdict, Why};
use skein_format::time::Time;
use skein_store::{CreateError, Guard, RealFs, create_new};

use super::error::SessionError;
use super::file::{self, TRIES};
use super::path::MapPath;
use crate::env::Env;
use crate::view::Diag;

/// What came of uniting maps.
#[derive(Debug, Serialize)]
pub struct MergeReport {
    /// The united map, as it is written.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The number of sessions in it.
    pub sessions: usize,
    /// What became of the file it was to be written to: `created`, `written` or `unchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// That file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// How it was decided, for each of the maps that memory was united with.
    pub steps: Vec<MergeStep>,
    /// What is wrong with the maps.
    pub diagnostics: Vec<Diag>,
}

/// How memory was united with one map.
#[derive(Debug, Serialize)]
pub struct MergeStep {
    /// What stood for memory: the first map, and what came of the steps before.
    pub memory: String,
    /// The map that stood for the disk.
    pub disk: String,
    /// The number of entries without a key that only memory had, and that stay.
    pub restored: usize,
    /// One for each session.
    pub verdicts: Vec<MergeVerdict>,
}

/// Which side supplies an entry, and why.
#[derive(Debug, Serialize)]
pub struct MergeVerdict {
    /// The session.
    pub session_id: String,
    /// `memory` or `disk`.
    pub won: &'static str,
    /// `only-one`, `equal`, `later-activity` or `tie`.
    pub why: &'static str,
    /// Whether the other side had ended the session, which stays so.
    pub ended_kept: bool,
    /// The thread that the other side bound it to, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_root: Option<String>,
    /// Fields that only the other side had, and that stay.
    pub filled: Vec<String>,
}

impl From<Verdict> for MergeVerdict {
    fn from(verdict: Verdict) -> Self {
        Self {
            session_id: verdict.session_id,
            won: match verdict.won {
                Side::Memory => "memory",
                Side::Disk => "disk",
            },
            why: match verdict.why {
                Why::OnlyOne => "only-one",
                Why::Equal => "equal",
                Why::LaterActivity => "later-activity",
                Why::Tie => "tie",
            },
            ended_kept: verdict.ended_kept,
            other_root: verdict.other_root,
            filled: verdict.filled,
        }
    }
}

/// A map that was read to be merged.
struct Input {
    real: PathBuf,
    bytes: Vec<u8>,
}

/// Merges the first map with each of the others, in their order, and writes the outcome to `out` where one is given.
///
/// Only a file that does not exist, or that is one of those merged, is written. Where another program changes it
/// meanwhile, all maps are read and merged again.
pub fn merge_files(
    memory: &Path,
    disks: &[PathBuf],
    out: Option<&Path>,
    env: &Env,
) -> Result<MergeReport, SessionError> {
    let now = env.clock.now();
    let Some(out) = out else { return Ok(merged(memory, disks, now)?.report(None)) };
    let real = file::real(&RealFs, &MapPath::named(out))?;
    // Under the lock only programs that take none can be in the way.
    let guard = file::hold(&RealFs, &real).map_err(|error| error.in_dir(file::dir(&real)))?;
    for _ in 0..TRIES {
        let merged = merged(memory, disks, now)?;
        let written = write(&guard, &real, &merged, now).map_err(|error| match error {
            SessionError::Create(CreateError::Exists { .. }) => {
                SessionError::Exists { path: out.to_owned() }
            }
            error => error.in_dir(file::dir(&real)),
        })?;
        if let Some(action) = written {
            return Ok(merged.report(Some((out, action))));
        }
    }
    Err(SessionError::Busy { path: out.to_owned() })
}

/// Maps that were read and merged.
struct MergedMaps {
    doc: SessionMapDoc,
    inputs: Vec<Input>,
    steps: Vec<MergeStep>,
    diagnostics: Vec<Diag>,
}

impl MergedMaps {
    fn report(self, written: Option<(&Path, &'static str)>) -> MergeReport {
        let Self { doc, steps, diagnostics, .. } = self;
        MergeReport {
            sessions: doc.load(Mode::Lenient).mappings.len(),
            action: written.map(|(_, action)| action),
            out: written.map(|(out, _)| out.display().to_string()),
            bytes: doc.into_bytes(),
            steps,
            diagnostics,
        }
    }
}

fn merged(memory: &Path, disks: &[PathBuf], now: Time) -> Result<MergedMaps, SessionError> {
    let (mut inputs, mut diagnostics, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut doc = input(memory, &mut inputs, &mut diagnostics)?;
    for disk in disks {
        let mut next = input(disk, &mut inputs, &mut diagnostics)?;
        let merged = next.merge(&doc, now)?;
        steps.push(step(memory, disk, merged));
        doc = next;
    }
    Ok(MergedMaps { doc, inputs, steps, diagnostics })
}

fn input(
    path: &Path,
    inputs: &mut Vec<Input>,
    diagnostics: &mut Vec<Diag>,
) -> Result<SessionMapDoc, SessionError> {
    let real = file::real(&RealFs, &MapPath::named(path))?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let (held, bytes) = file::read_to_write(&RealFs, &real)?.ok_or_else(none)?;
    diagnostics.extend(Diag::all(held.found.clone(), &path.display().to_string()));
    let doc = held.sound(path)?;
    inputs.push(Input { real, bytes });
    Ok(doc)
}

fn step(memory: &Path, disk: &Path, merged: Merged) -> MergeStep {
    MergeStep {
        memory: memory.display().to_string(),
        disk: disk.display().to_string(),
        restored: merged.restored,
        verdicts: merged.verdicts.into_iter().map(MergeVerdict::from).collect(),
    }
}

/// Writes the merged map; none where the file has become another one since it was read.
fn write(
    guard: &Guard,
    real: &Path,
    merged: &MergedMaps,
    now: Time,
) -> Result<Option<&'static str>, SessionError> {
    let bytes = merged.doc.to_bytes();
    // The same file may have been given by several names.
    let same = |input: &&Input| match (input.real.canonicalize(), real.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    let Some(read) = merged.inputs.iter().find(same) else {
        create_new(&RealFs, guard, real, bytes, 0o600)?;
        return Ok(Some("created"));
    };
    if bytes == read.bytes {
        return Ok(Some("unchanged"));
    }
    let is_written = file::put(&RealFs, guard, real, &read.bytes, bytes, now)?;
    Ok(is_written.then_some("written"))
}
