//! Saves what can be saved of a damaged map.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::session::Mode;
use skein_model::view::FileDiagnostic;
use skein_store::{Edit, Fs};
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::SessionError;
use super::file::{self, LoadedMap, set_aside};

/// A byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What became of a map that was to be repaired.
#[derive(Clone, Debug, Serialize)]
pub struct MapRepair {
    /// The map.
    pub file: String,
    /// `sound`, `would-repair` or `repaired`.
    pub action: &'static str,
    /// The number of entries that are in the map afterwards.
    pub entries: usize,
    /// The lines where an entry is cut off or cannot be read.
    pub cut: Vec<u32>,
    /// The number of entries that stood in the file more than once.
    pub duplicates: usize,
    /// Where the file as it was is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
    /// What is wrong with the file.
    pub diagnostics: Vec<FileDiagnostic>,
}

impl MapRepair {
    /// Returns whether the map is sound but for a byte order mark, so that every entry stays as it is.
    pub fn is_only_marked(&self) -> bool {
        self.action != "sound" && !self.diagnostics.iter().any(|diag| diag.is_error())
    }
}

/// Rebuilds a damaged map from the entries that can be read; without `write` it only reports what would be done.
///
/// The file as it was is kept whole under another name first. A sound map stays as it is, but for a byte order mark, because
/// of which other programs would take it for an empty one; the diagnostics say which entries a strict reading leaves out.
pub fn repair(map: &MapPath, env: &Env, write: bool) -> Result<MapRepair, SessionError> {
    repair_through(&*env.fs, map, env, write)
}

/// Does the same through another file system.
pub fn repair_through(
    fs: &dyn Fs,
    map: &MapPath,
    env: &Env,
    write: bool,
) -> Result<MapRepair, SessionError> {
    let path = map.path();
    let real = file::real(fs, map)?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let held = file::read(fs, &real)?.ok_or_else(none)?;
    if is_fine(&held) {
        return Ok(sound(path, &held, "sound"));
    }
    if !write {
        return Ok(plan(path, &held, env, "would-repair")?.0);
    }
    write_repaired(fs, path, &real, env)
}

fn write_repaired(
    fs: &dyn Fs,
    path: &Path,
    real: &Path,
    env: &Env,
) -> Result<MapRepair, SessionError> {
    let guard = file::hold(fs, real)?;
    let now = env.clock.now();
    file::update(fs, &guard, real, now, |held| {
        let (held, _) = held.ok_or_else(|| SessionError::NoMap { path: path.to_owned() })?;
        if is_fine(&held) {
            return Ok(Edit::Keep(sound(path, &held, "sound")));
        }
        let (mut repaired, bytes) = plan(path, &held, env, "repaired")?;
        repaired.kept = Some(set_aside(fs, &guard, real, held.doc.to_bytes(), now)?);
        Ok(Edit::Write(bytes, repaired))
    })
}

fn is_fine(held: &LoadedMap) -> bool {
    !held.is_corrupt() && !held.doc.to_bytes().starts_with(MARK)
}

/// Says what is done, and what the file holds then.
fn plan(
    path: &Path,
    held: &LoadedMap,
    env: &Env,
    action: &'static str,
) -> Result<(MapRepair, Vec<u8>), SessionError> {
    if !held.is_corrupt() {
        let bytes = held.doc.to_bytes();
        let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
        return Ok((sound(path, held, action), bytes.to_vec()));
    }
    let saved = held.saved(path, env.clock.now())?;
    let file = path.display().to_string();
    let repaired = MapRepair {
        action,
        entries: saved.entries,
        cut: saved.cut.clone(),
        duplicates: saved.duplicates,
        kept: None,
        diagnostics: FileDiagnostic::all(held.found.clone(), &file),
        file,
    };
    Ok((repaired, saved.doc.into_bytes()))
}

fn sound(path: &Path, held: &LoadedMap, action: &'static str) -> MapRepair {
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
