//! Merges session maps given as files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::{MergedMap, Mode, SessionMapDoc, Verdict};
use skein_model::view::FileDiagnostic;
use skein_store::Edit;
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::{SessionError, SessionResult};
use super::file::{self, LoadedMap};
use super::save::MapWriteAction;

/// The result of a merge.
#[derive(Debug, Serialize)]
pub struct MergeReport {
    /// The merged map.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    pub sessions: usize,
    /// The change of the output file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<MapWriteAction>,
    /// The output file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The decisions, for each map that was merged.
    pub steps: Vec<MergeStep>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// The merge of one map.
#[derive(Debug, Serialize)]
pub struct MergeStep {
    /// The first map, merged with those of the previous steps.
    pub memory: String,
    /// The map that is merged with it.
    pub disk: String,
    /// The number of entries without a key that only memory had; they are kept.
    pub restored: usize,
    /// The decision for each session.
    pub verdicts: Vec<Verdict>,
}

/// Merges the first map with each of the others, in order, and writes the result to `out` if given.
///
/// `out` must not exist, or be one of the merged maps; its directory is created if it is missing. If another program changes it in between, all maps are read and merged again.
pub fn merge_files(
    memory: &Path,
    disks: &[PathBuf],
    out: Option<&Path>,
    env: &Env,
) -> SessionResult<MergeReport> {
    let now = env.clock.now();
    let Some(out) = out else { return Ok(merged(env, memory, disks, None)?.report(None)) };
    let real = file::resolve(&*env.fs, &MapPath::named(out))?;
    if !file::dir(&real).is_dir() {
        // A wrong input is reported before the directory is created.
        merged(env, memory, disks, None)?;
    }
    let guard =
        file::lock_new_dir(&*env.fs, &real).map_err(|error| error.in_dir(file::dir(&real)))?;
    file::update(&*env.fs, &guard, &real, now, |held| {
        let current = held.as_ref().map(|held| (real.as_path(), held.doc.to_bytes()));
        let merged = merged(env, memory, disks, current)?;
        let bytes = merged.doc.to_bytes().to_vec();
        let action = match current {
            None => MapWriteAction::Created,
            Some(_) if !merged.has_read_current => {
                return Err(SessionError::Exists { path: out.to_owned() });
            }
            Some((_, current)) if current == bytes => MapWriteAction::Unchanged,
            Some(_) => MapWriteAction::Written,
        };
        Ok(Edit::Write(bytes, merged.report(Some((out, action)))))
    })
}

/// The merged maps.
struct MergedMaps {
    doc: SessionMapDoc,
    /// Whether the output file is one of them.
    has_read_current: bool,
    steps: Vec<MergeStep>,
    diagnostics: Vec<FileDiagnostic>,
}

impl MergedMaps {
    fn report(self, written: Option<(&Path, MapWriteAction)>) -> MergeReport {
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

/// The output file and its bytes.
type Current<'a> = (&'a Path, &'a [u8]);

fn merged(
    env: &Env,
    memory: &Path,
    disks: &[PathBuf],
    current: Option<Current<'_>>,
) -> SessionResult<MergedMaps> {
    let (mut diagnostics, mut steps, mut has_read_current) = (Vec::new(), Vec::new(), false);
    let mut read = |path: &Path| {
        let (held, is_current) = input(env, path, current)?;
        has_read_current |= is_current;
        diagnostics.extend(FileDiagnostic::all(held.found.clone(), path.display().to_string()));
        held.into_valid(path)
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

/// Reads a map; also returns whether it is the output file.
fn input(env: &Env, path: &Path, current: Option<Current<'_>>) -> SessionResult<(LoadedMap, bool)> {
    let real = file::resolve(&*env.fs, &MapPath::named(path))?;
    // The same file may have several names.
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

fn step(memory: &Path, disk: &Path, merged: MergedMap) -> MergeStep {
    MergeStep {
        memory: memory.display().to_string(),
        disk: disk.display().to_string(),
        restored: merged.restored,
        verdicts: merged.verdicts,
    }
}
