//! Edits of the map: an entry is added, or fields of one change; nothing else moves.

use std::sync::OnceLock;

use serde::Serialize;

use super::SessionMapDoc;
use super::apply::Edit;
use super::entry::FIELDS;
use super::outline::MapValidity;
use super::patch::Patch;
use crate::json::{self, Dialect, Item, Style};
use crate::time::Time;

/// Why an edit was refused; the document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is no map, or one of another version.
    #[error("the file is no session map that can be written")]
    Unusable,
    /// The map has no usable entry for the session.
    #[error("no such session: {session_id}")]
    NoSession {
        /// The session.
        session_id: String,
    },
    /// The map has an entry for the session already.
    #[error("the map has an entry for the session already: {session_id}")]
    Taken {
        /// The session.
        session_id: String,
    },
}

/// A field that an edit may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `threadRootPostId`
    ThreadRootPostId,
    /// `projectName`
    ProjectName,
    /// `directory`
    Directory,
    /// `sessionTitle`
    SessionTitle,
    /// `status`
    Status,
    /// `lastActivityAt`
    LastActivityAt,
    /// `endedAt`
    EndedAt,
}

impl Field {
    /// Returns the key in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ThreadRootPostId => "threadRootPostId",
            Self::ProjectName => "projectName",
            Self::Directory => "directory",
            Self::SessionTitle => "sessionTitle",
            Self::Status => "status",
            Self::LastActivityAt => "lastActivityAt",
            Self::EndedAt => "endedAt",
        }
    }

    /// Returns the place of the field in the contract.
    pub(super) fn number(self) -> usize {
        FIELDS.iter().position(|name| *name == self.as_str()).unwrap_or(FIELDS.len())
    }
}

/// An entry to be added, in the order in which it is written.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of `Mapping`")]
pub struct NewMapping {
    pub session_id: String,
    pub thread_root_post_id: String,
    pub short_id: String,
    pub mattermost_user_id: String,
    pub dm_channel_id: String,
    pub project_name: String,
    pub directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    pub status: String,
    pub created_at: String,
    pub last_activity_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

impl NewMapping {
    /// Sets a field.
    pub(super) fn set(&mut self, field: Field, value: &str) {
        let value = value.to_owned();
        match field {
            Field::ThreadRootPostId => self.thread_root_post_id = value,
            Field::ProjectName => self.project_name = value,
            Field::Directory => self.directory = value,
            Field::SessionTitle => self.session_title = Some(value),
            Field::Status => self.status = value,
            Field::LastActivityAt => self.last_activity_at = value,
            Field::EndedAt => self.ended_at = Some(value),
        }
    }
}

impl SessionMapDoc {
    /// Writes a map without entries.
    pub fn create(now: Time) -> Self {
        let text = format!(
            "{{\n  \"version\": 1,\n  \"mappings\": [],\n  \"lastModified\": \"{now}\"\n}}"
        );
        Self::parse(text.into_bytes()).0
    }

    /// Adds an entry at the end.
    pub fn insert(&mut self, mapping: &NewMapping, now: Time) -> Result<(), EditError> {
        self.apply(&[Edit::Insert(mapping)], now).map(|_| ())
    }

    /// Sets fields of the entry that counts for a session.
    pub fn update(
        &mut self,
        session_id: &str,
        fields: &[(Field, &str)],
        now: Time,
    ) -> Result<(), EditError> {
        self.apply(&[Edit::Set { session_id, fields }], now).map(|_| ())
    }

    /// Refuses a document that no edit may touch.
    pub(super) fn sound(&self) -> Result<(), EditError> {
        if self.layout().soundness == MapValidity::Sound {
            Ok(())
        } else {
            Err(EditError::Unusable)
        }
    }

    /// Makes changes, with what is added to the top level, and stamps them; true when there are any.
    pub(super) fn commit(
        &mut self,
        mut patch: Patch,
        mut top: Vec<Item>,
        now: Time,
    ) -> Result<bool, EditError> {
        if patch.is_empty() && top.is_empty() {
            return Ok(false);
        }
        let stamp = json::quote(&now.to_string());
        match self.layout().last_modified {
            Some(value) => patch.replace(value, &stamp),
            None => top.push(Item { key: Some(json::quote("lastModified")), value: stamp }),
        }
        if !top.is_empty() {
            let root = json::object_at(&self.bytes, self.layout().root, Dialect::Json)
                .map_err(|_| EditError::Unusable)?;
            let (at, text) =
                json::addition(&self.bytes, &root, Style::from_bytes(&self.bytes), top);
            patch.replace(at, &text);
        }
        self.bytes = patch.apply(&self.bytes);
        self.parsed = OnceLock::new();
        Ok(true)
    }
}
