//! Unites maps that are given as files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::{Merged, Mode, SessionMapDoc, Side, Verdict, Why};
use skein_store::{CreateError, RealFs, Revision, create_new, replace};

use super::error::SessionError;
use super::file;
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

/// A map that was read to be united.
struct Input {
    real: PathBuf,
    revision: Revision,
}

/// Unites the first map with each of the others, in their order, and writes the outcome to `out` where one is given.
///
/// Only a file that does not exist, or that is one of those united, is written.
pub fn merge_files(
    memory: &Path,
    disks: &[PathBuf],
    out: Option<&Path>,
    env: &Env,
) -> Result<MergeReport, SessionError> {
    let now = env.clock.now();
    let (mut inputs, mut diagnostics, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut doc = input(memory, &mut inputs, &mut diagnostics)?;
    for disk in disks {
        let mut next = input(disk, &mut inputs, &mut diagnostics)?;
        let merged = next.merge(&doc, now)?;
        steps.push(step(memory, disk, merged));
        doc = next;
    }
    let action = out.map(|out| put(out, &inputs, &doc)).transpose()?;
    let sessions = doc.load(Mode::Lenient).mappings.len();
    let out = out.map(|out| out.display().to_string());
    Ok(MergeReport { bytes: doc.into_bytes(), sessions, action, out, steps, diagnostics })
}

fn input(
    path: &Path,
    inputs: &mut Vec<Input>,
    diagnostics: &mut Vec<Diag>,
) -> Result<SessionMapDoc, SessionError> {
    let real = file::real(&RealFs, path)?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let (held, bytes) = file::read_to_write(&RealFs, &real)?.ok_or_else(none)?;
    diagnostics.extend(Diag::all(held.found.clone(), &path.display().to_string()));
    let doc = held.sound(path)?;
    inputs.push(Input { real, revision: Revision::of(&bytes) });
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

fn put(out: &Path, inputs: &[Input], doc: &SessionMapDoc) -> Result<&'static str, SessionError> {
    let real = file::real(&RealFs, out)?;
    let dir = file::dir(&real);
    let done = write(&real, inputs, doc);
    done.map_err(|error| match error {
        SessionError::Create(CreateError::Exists { .. }) => {
            SessionError::Exists { path: out.to_owned() }
        }
        error => error.in_dir(dir),
    })
}

fn write(real: &Path, inputs: &[Input], doc: &SessionMapDoc) -> Result<&'static str, SessionError> {
    let guard = file::hold(&RealFs, real)?;
    let bytes = doc.to_bytes();
    // The same file may have been given by several names.
    let same = |input: &&Input| match (input.real.canonicalize(), real.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    if let Some(read) = inputs.iter().find(same) {
        if Revision::of(bytes) == read.revision {
            return Ok("unchanged");
        }
        replace(&RealFs, &guard, real, &read.revision, bytes)?;
        return Ok("written");
    }
    create_new(&RealFs, &guard, real, bytes, 0o600)?;
    Ok("created")
}
