//! Recovers the entries of a damaged map.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::Mode;
use skein_model::view::FileDiagnostic;
use skein_store::{Edit, Fs};
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::{SessionError, SessionResult};
use super::file::{self, LoadedMap, copy_damaged};

/// A byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The change made by a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapRepairAction {
    /// Nothing, because the map is valid.
    Sound,
    WouldRepair,
    Repaired,
}

/// The result of a repair.
#[derive(Clone, Debug, Serialize)]
pub struct MapRepair {
    pub file: String,
    pub action: MapRepairAction,
    /// The number of entries after the repair.
    pub entries: usize,
    /// The lines of entries that are truncated or cannot be read.
    pub cut: Vec<u32>,
    /// The number of entries that were in the file more than once.
    pub duplicates: usize,
    /// The backup of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
    pub diagnostics: Vec<FileDiagnostic>,
}

impl MapRepair {
    /// Returns whether a byte order mark is the only problem, so that no entry changes.
    pub fn is_only_marked(&self) -> bool {
        self.action != MapRepairAction::Sound
            && !self.diagnostics.iter().any(|diag| diag.is_error())
    }
}

/// Rebuilds a damaged map from the entries that can be read; without `write` it only returns the plan.
///
/// The original is copied first. A valid map is unchanged, except that a byte order mark is removed, with which other programs would
/// read an empty map. The diagnostics include the entries that a strict reading skips.
pub fn repair(map: &MapPath, env: &Env, write: bool) -> SessionResult<MapRepair> {
    repair_through(&*env.fs, map, env, write)
}

/// Repairs the map through another file system.
pub fn repair_through(
    fs: &dyn Fs,
    map: &MapPath,
    env: &Env,
    write: bool,
) -> SessionResult<MapRepair> {
    let path = map.path();
    let real = file::resolve(fs, map)?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let held = file::read(fs, &real)?.ok_or_else(none)?;
    if is_valid(&held) {
        return Ok(report(path, &held, MapRepairAction::Sound));
    }
    if !write {
        return Ok(plan(path, &held, env, MapRepairAction::WouldRepair)?.0);
    }
    write_repaired(fs, path, &real, env)
}

fn write_repaired(fs: &dyn Fs, path: &Path, real: &Path, env: &Env) -> SessionResult<MapRepair> {
    let guard = file::lock_dir(fs, real)?;
    let now = env.clock.now();
    file::update(fs, &guard, real, now, |held| {
        let held = held.ok_or_else(|| SessionError::NoMap { path: path.to_owned() })?;
        if is_valid(&held) {
            return Ok(Edit::Keep(report(path, &held, MapRepairAction::Sound)));
        }
        let (mut repaired, bytes) = plan(path, &held, env, MapRepairAction::Repaired)?;
        repaired.kept = Some(copy_damaged(fs, &guard, real, held.doc.to_bytes(), now)?);
        Ok(Edit::Write(bytes, repaired))
    })
}

fn is_valid(held: &LoadedMap) -> bool {
    !held.is_corrupt() && !held.doc.to_bytes().starts_with(MARK)
}

/// Returns the report, and the repaired bytes.
fn plan(
    path: &Path,
    held: &LoadedMap,
    env: &Env,
    action: MapRepairAction,
) -> SessionResult<(MapRepair, Vec<u8>)> {
    if !held.is_corrupt() {
        let bytes = held.doc.to_bytes();
        let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
        return Ok((report(path, held, action), bytes.to_vec()));
    }
    let recovered = held.recover(path, env.clock.now())?;
    let file = path.display().to_string();
    let repaired = MapRepair {
        action,
        entries: recovered.entries,
        cut: recovered.cut.clone(),
        duplicates: recovered.duplicates,
        kept: None,
        diagnostics: FileDiagnostic::all(held.found.clone(), &file),
        file,
    };
    Ok((repaired, recovered.doc.into_bytes()))
}

fn report(path: &Path, held: &LoadedMap, action: MapRepairAction) -> MapRepair {
    let file = path.display().to_string();
    let loaded = held.doc.load(Mode::Strict);
    let mut diagnostics = FileDiagnostic::all(held.found.clone(), &file);
    diagnostics.extend(FileDiagnostic::all(loaded.diagnostics, &file));
    MapRepair {
        action,
        entries: held.doc.count(),
        cut: Vec::new(),
        duplicates: 0,
        kept: None,
        diagnostics,
        file,
    }
}
