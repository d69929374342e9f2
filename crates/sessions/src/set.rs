//! Changes an entry of a map.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::rows::session::row;
use skein_format::session::{self, MappingField, Mode, SessionMapDoc};
use skein_model::view::ThreadRow;
use skein_store::{Edit, Fs, LockError};
use skein_workspace::session_map_path::MapPath;
use skein_workspace::update::clear_leftovers;
use skein_workspace::{Env, FileError, Workspace};

use super::error::{SessionError, SessionResult};
use super::list::{mode, select};
use super::save::MapWriteAction;
use super::{change, file, find};

/// A change of an entry.
#[derive(Clone, Debug)]
pub struct SetRequest {
    /// A map other than that of the workspace.
    pub file: Option<PathBuf>,
    /// Whether invalid entries can be changed.
    pub lenient: bool,
    /// The expected status; with another one, nothing is changed.
    pub expect: Option<String>,
    pub fields: Vec<(MappingField, String)>,
}

/// A session after a change.
#[derive(Clone, Debug, Serialize)]
pub struct SessionWritten {
    pub action: MapWriteAction,
    /// The changed fields, by their keys in the file.
    pub changed: Vec<&'static str>,
    /// The session after the change.
    #[serde(flatten)]
    pub row: ThreadRow,
}

/// Sets fields of a session in the current file.
///
/// If nothing changes, nothing is written. `ended` is final.
pub fn set_session(
    workspace: &Workspace,
    id: &str,
    request: &SetRequest,
) -> SessionResult<SessionWritten> {
    let map = select(workspace, request.file.as_deref())?;
    let mode = mode(workspace, request.lenient);
    let fields: Vec<_> = request.fields.iter().map(|(field, value)| (*field, &**value)).collect();
    let set = |doc: &mut SessionMapDoc| {
        let now = workspace.env.clock.now();
        let mappings = doc.load(mode).mappings;
        let mapping = find::one(&mappings, id)?;
        let session_id = mapping.session_id.to_string();
        // An edit changes the last entry of the session, which a strict reading may skip.
        if doc.entry(&session_id).is_some_and(|counts| counts.span != mapping.span) {
            return Err(SessionError::NoSession { id: session_id });
        }
        let status = mapping.status.as_str();
        if request.expect.as_deref().is_some_and(|expect| expect != status) {
            let now = status.to_owned();
            return Err(SessionError::Changed { session_id, now });
        }
        let changes = change::complete(mapping, &fields, now)?;
        let fields: Vec<_> = changes.iter().map(|(field, value)| (*field, &**value)).collect();
        doc.apply(&[session::MapEdit::Set { session_id: &session_id, fields: &fields }], now)?;
        Ok((session_id, changes.iter().map(|(field, _)| field.as_str()).collect()))
    };
    let (doc, (session_id, changed)) = update(&*workspace.env.fs, &map, &workspace.env, &set)?;
    written(&doc, map.path(), mode, &session_id, changed)
}

/// Applies `operation` to the current map, again if another program has written it in between.
fn update<T>(
    fs: &dyn Fs,
    map: &MapPath,
    env: &Env,
    operation: &dyn Fn(&mut SessionMapDoc) -> SessionResult<T>,
) -> SessionResult<(SessionMapDoc, T)> {
    let path = map.path();
    let none = || SessionError::NoMap { path: path.to_owned() };
    let real = file::resolve(fs, map)?;
    let guard = file::lock_dir(fs, &real).map_err(|error| match error {
        SessionError::File(FileError::Lock(LockError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            none()
        }
        error => error,
    })?;
    clear_leftovers(env, &guard);
    file::update(fs, &guard, &real, env.clock.now(), |held| {
        let mut doc = held.ok_or_else(none)?.into_valid(path)?;
        let done = operation(&mut doc)?;
        Ok(Edit::Write(doc.to_bytes().to_vec(), (doc, done)))
    })
}

fn written(
    doc: &SessionMapDoc,
    path: &Path,
    mode: Mode,
    session_id: &str,
    changed: Vec<&'static str>,
) -> SessionResult<SessionWritten> {
    let mappings = doc.load(mode).mappings;
    let mapping = mappings.into_iter().find(|one| one.session_id == session_id);
    let none = || SessionError::NoSession { id: session_id.to_owned() };
    let row = row(mapping.ok_or_else(none)?, path);
    let action = match changed.is_empty() {
        true => MapWriteAction::Unchanged,
        false => MapWriteAction::Updated,
    };
    Ok(SessionWritten { action, changed, row })
}
