//! Sessions as rows.

use std::collections::HashMap;
use std::path::Path;

use skein_format::diagnostic::{Code, Diagnostic};
use skein_format::redact::redacted;
use skein_format::session::{MapValidity, Mapping, Mode, SessionMapDoc};
use skein_format::time;
use skein_model::view::{FileDiagnostic, RowDetail, SessionRow, ThreadRow};
use skein_model::{Filter, Kind};
use skein_store::{ReadError, RealFs, read_settled};
use skein_workspace::settings::Settings;

use super::Rows;

/// Lists the sessions that match.
pub(crate) fn rows(file: &Path, filter: &Filter, settings: &Settings) -> Rows {
    let mut rows = rows_of(file, settings.session_mode(), &|_| true);
    rows.rows.retain(|row| passes(row, filter));
    rows
}

/// Lists the sessions of a map whose entries match.
pub fn rows_of(file: &Path, mode: Mode, passes: &dyn Fn(&Mapping<'_>) -> bool) -> Rows {
    let mut rows = Rows::default();
    let (doc, found) = match map(file) {
        Ok(read) => read,
        Err(ReadError::NotFound { .. }) if !file.is_symlink() => return rows,
        Err(error) => {
            let reason = match error {
                ReadError::NotFound { .. } => "it is a dangling symbolic link".to_owned(),
                error => error.reason(),
            };
            let message = format!("the session map cannot be read: {reason}");
            rows.diagnostics.push(FileDiagnostic::new(Code::FileUnreadable, file, None, message));
            return rows;
        }
    };
    rows.diagnostics.extend(FileDiagnostic::all(found, file));
    let loaded = doc.load(mode);
    rows.diagnostics.extend(FileDiagnostic::all(loaded.diagnostics, file));
    let passing = loaded.mappings.into_iter().filter(|mapping| passes(mapping));
    rows.rows.extend(passing.map(|mapping| Box::new(row(mapping, file))));
    rows
}

/// Reads a map that another program may be writing, with its diagnostics.
pub fn map(file: &Path) -> Result<(SessionMapDoc, Vec<Diagnostic>), ReadError> {
    let is_sound = |(doc, _): &(SessionMapDoc, _)| doc.soundness() != MapValidity::Corrupt;
    read_settled(&RealFs, file, &SessionMapDoc::parse, &is_sound)
}

pub fn passes(row: &ThreadRow, filter: &Filter) -> bool {
    let Some(detail) = row.session() else { return false };
    filter.passes(row.status.as_deref(), row.updated_at) && filter.is_on(&detail.directory)
}

/// Returns the row of an entry of the map.
pub fn row(mapping: Mapping<'_>, file: &Path) -> ThreadRow {
    let at = |text: &str| time::parse(text).map(|parsed| parsed.time);
    let title = mapping.session_title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.unwrap_or(&mapping.project_name).to_owned();
    ThreadRow {
        kind: Kind::Session,
        id: mapping.session_id.clone().into_owned(),
        title: redacted(title),
        file: file.to_owned(),
        status: Some(redacted(mapping.status.as_str().to_owned()).into()),
        created_at: at(&mapping.created_at),
        updated_at: at(&mapping.last_activity_at),
        usable: true,
        diagnostics: Vec::new(),
        branch: None,
        detail: RowDetail::Session(Box::new(SessionRow {
            session_id: mapping.session_id.into_owned(),
            thread_root_post_id: redacted(mapping.thread_root_post_id.into_owned()),
            short_id: redacted(mapping.short_id.into_owned()),
            mattermost_user_id: redacted(mapping.mattermost_user_id.into_owned()),
            dm_channel_id: redacted(mapping.dm_channel_id.into_owned()),
            project_name: redacted(mapping.project_name.into_owned()),
            directory: redacted(mapping.directory.into_owned()),
            session_title: mapping.session_title.map(|title| redacted(title.into_owned())),
            last_activity_at: redacted(mapping.last_activity_at.into_owned()),
            ended_at: mapping.ended_at.map(|at| redacted(at.into_owned())),
            directory_exists: None,
            chat_address: None,
            last_posts: None,
            breach: mapping.breach,
        })),
    }
}

/// Sets whether the directory of each session exists; each directory is checked once.
///
/// A directory with a redacted name is not checked.
pub fn check_directories<'a>(rows: impl IntoIterator<Item = &'a mut ThreadRow>) {
    let mut known: HashMap<String, bool> = HashMap::new();
    for row in rows {
        let RowDetail::Session(session) = &mut row.detail else {
            continue;
        };
        let dir = &session.directory;
        if dir.is_empty() || dir.contains("[REDACTED") {
            continue;
        }
        let exists = match known.get(dir) {
            Some(exists) => *exists,
            None => Path::new(dir).is_dir(),
        };
        known.entry(dir.clone()).or_insert(exists);
        session.directory_exists = Some(exists);
    }
}
