//! Edits of the map: an entry is added, or fields of one change; nothing else moves.

use serde::Serialize;

use super::entry::Mode;
use super::{Layout, SessionMapDoc, Soundness};
use crate::diagnostic::Findings;
use crate::json::{self, Dialect};
use crate::span::Span;
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
        self.sound()?;
        if self.find(&mapping.session_id).is_some() {
            return Err(EditError::Taken { session_id: mapping.session_id.clone() });
        }
        let entry = serde_json::to_vec_pretty(mapping).map_err(|_| EditError::Unusable)?;
        let mappings = self.layout.mappings;
        json::append(&mut self.bytes, mappings, Dialect::Json, &entry)
            .map_err(|_| EditError::Unusable)?;
        self.stamp(now)
    }

    /// Sets fields of the entry that counts for a session.
    pub fn update(
        &mut self,
        session_id: &str,
        fields: &[(Field, &str)],
        now: Time,
    ) -> Result<(), EditError> {
        self.sound()?;
        // All fields go into one entry, whichever of two counts once they are set.
        let Some(mut span) = self.find(session_id) else {
            return Err(EditError::NoSession { session_id: session_id.to_owned() });
        };
        for (field, value) in fields {
            let behind = self.bytes.len() - span.end;
            let path = [field.as_str()];
            json::set(&mut self.bytes, span, Dialect::Json, &path, &json::quote(value))
                .map_err(|_| EditError::Unusable)?;
            span.end = self.bytes.len() - behind;
        }
        self.stamp(now)
    }

    fn find(&self, session_id: &str) -> Option<Span> {
        let loaded = self.load(Mode::Lenient);
        loaded.mappings.iter().find(|one| one.session_id == session_id).map(|one| one.span)
    }

    fn stamp(&mut self, now: Time) -> Result<(), EditError> {
        self.reload();
        let root = self.layout.root;
        let value = json::quote(&now.to_string());
        json::set(&mut self.bytes, root, Dialect::Json, &["lastModified"], &value)
            .map_err(|_| EditError::Unusable)?;
        self.reload();
        Ok(())
    }

    fn sound(&self) -> Result<(), EditError> {
        if self.layout.soundness == Soundness::Sound { Ok(()) } else { Err(EditError::Unusable) }
    }

    fn reload(&mut self) {
        self.layout = Layout::read(&self.bytes, &mut Findings::default());
    }
}
