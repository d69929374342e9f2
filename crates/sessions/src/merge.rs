//! Unites maps that are given as files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::{Merged, Mode, SessionMapDoc, Side, Verdict, Why};
use skein_model::view::FileDiagnostic;
use skein_store::Edit;
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::SessionError;
use super::file::{self, LoadedMap};

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
    pub diagnostics: Vec<FileDiagnostic>,
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
    let Some(out) = out else { return Ok(merged(env, memory, disks, None)?.report(None)) };
    let real = file::real(&*env.fs, &MapPath::named(out))?;
    let guard = file::hold(&*env.fs, &real).map_err(|error| error.in_dir(file::dir(&real)))?;
    file::update(&*env.fs, &guard, &real, now, |held| {
        let current = held.map(|(_, bytes)| (real.as_path(), bytes));
        let merged = merged(env, memory, disks, current)?;
        let bytes = merged.doc.to_bytes().to_vec();
        let action = match current {
            None => "created",
            Some(_) if !merged.has_read_current => {
                return Err(SessionError::Exists { path: out.to_owned() });
            }
            Some((_, current)) if current == bytes => "unchanged",
            Some(_) => "written",
        };
        Ok(Edit::Write(bytes, merged.report(Some((out, action)))))
    })
}

/// Maps that were read and merged.
struct MergedMaps {
    doc: SessionMapDoc,
    /// Whether the file that is to be written is one of them.
    has_read_current: bool,
    steps: Vec<MergeStep>,
    diagnostics: Vec<FileDiagnostic>,
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

/// The file that is to be written, and its bytes.
type Current<'a> = (&'a Path, &'a [u8]);

fn merged(
    env: &Env,
    memory: &Path,
    disks: &[PathBuf],
    current: Option<Current<'_>>,
) -> Result<MergedMaps, SessionError> {
    let (mut diagnostics, mut steps, mut has_read_current) = (Vec::new(), Vec::new(), false);
    let mut read = |path: &Path| {
        let (held, is_current) = input(env, path, current)?;
        has_read_current |= is_current;
        diagnostics.extend(FileDiagnostic::all(held.found.clone(), path.display().to_string()));
        held.sound(path)
    };
    let mut doc = read(memory)?;
    for disk in disks {
        let mut next = read(disk)?;
        let merged = next.merge(&doc, env.clock.now())?;
        steps.push(step(memory, disk, merged));
        doc = next;
    }
    Ok(MergedMaps { doc, has_read_current, steps, diagnostics })
}

/// Reads a map that is merged; true where it is the file that is to be written.
fn input(
    env: &Env,
    path: &Path,
    current: Option<Current<'_>>,
) -> Result<(LoadedMap, bool), SessionError> {
    let real = file::real(&*env.fs, &MapPath::named(path))?;
    // The same file may have been given by several names.
    let is_current = |current: &Current<'_>| match (real.canonicalize(), current.0.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    if let Some((_, bytes)) = current.filter(is_current) {
        return Ok((LoadedMap::parse(bytes.to_vec()), true));
    }
    let none = || SessionError::NoMap { path: path.to_owned() };
    Ok((file::read(&*env.fs, &real)?.ok_or_else(none)?, false))
}

fn step(memory: &Path, disk: &Path, merged: Merged) -> MergeStep {
    MergeStep {
        memory: memory.display().to_string(),
        disk: disk.display().to_string(),
        restored: merged.restored,
        verdicts: merged.verdicts.into_iter().map(MergeVerdict::from).collect(),
    }
}
