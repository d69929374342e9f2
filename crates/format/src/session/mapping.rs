//! A session and the thread it is bound to.

use std::borrow::Cow;

use super::status::SessionStatus;
use crate::json::DecodedText;
use crate::span::Span;
use crate::time::{self, Time};

/// A session and the thread it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping<'a> {
    pub session_id: Cow<'a, str>,
    /// The first post of the thread.
    pub thread_root_post_id: Cow<'a, str>,
    /// A short name for people; never a key.
    pub short_id: Cow<'a, str>,
    pub mattermost_user_id: Cow<'a, str>,
    /// The channel of the direct messages.
    pub dm_channel_id: Cow<'a, str>,
    pub project_name: Cow<'a, str>,
    /// The directory of the project.
    pub directory: Cow<'a, str>,
    pub session_title: Option<Cow<'a, str>>,
    pub status: SessionStatus,
    /// When the entry was created, as written.
    pub created_at: Cow<'a, str>,
    /// The time of the last activity, as written.
    pub last_activity_at: Cow<'a, str>,
    /// When the session ended, as written.
    pub ended_at: Option<Cow<'a, str>>,
    /// The violation of the contract, if the entry is used anyway.
    pub breach: Option<String>,
    /// The location of the entry in the file.
    pub span: Span,
}

impl<'a> Mapping<'a> {
    /// Creates a mapping from the texts of the fields.
    pub(super) fn new(texts: MappingTexts<'a>, span: Span) -> Self {
        let [
            id,
            root,
            short,
            user,
            channel,
            project,
            directory,
            title,
            status,
            created,
            active,
            ended,
        ] = texts;
        let optional = |text: Option<DecodedText<'a>>| text.map(|text| text.text);
        let required = |text| optional(text).unwrap_or_default();
        Self {
            session_id: required(id),
            thread_root_post_id: required(root),
            short_id: required(short),
            mattermost_user_id: required(user),
            dm_channel_id: required(channel),
            project_name: required(project),
            directory: required(directory),
            session_title: optional(title),
            status: SessionStatus::parse(&required(status)),
            created_at: required(created),
            last_activity_at: required(active),
            ended_at: optional(ended),
            breach: None,
            span,
        }
    }

    /// Returns the last activity as an instant.
    pub fn last_activity(&self) -> Option<Time> {
        time::parse(&self.last_activity_at).map(|parsed| parsed.time)
    }

    /// Returns the text of each field, in the order of the contract; an empty text in a required field
    /// counts as missing.
    pub(super) fn texts(&self) -> [Option<&str>; 12] {
        fn required(text: &str) -> Option<&str> {
            Some(text).filter(|text| !text.is_empty())
        }
        [
            required(&self.session_id),
            required(&self.thread_root_post_id),
            required(&self.short_id),
            required(&self.mattermost_user_id),
            required(&self.dm_channel_id),
            required(&self.project_name),
            required(&self.directory),
            self.session_title.as_deref(),
            required(self.status.as_str()),
            required(&self.created_at),
            required(&self.last_activity_at),
            self.ended_at.as_deref(),
        ]
    }
}

/// The texts of the fields, in the order of the contract.
pub(super) type MappingTexts<'a> = [Option<DecodedText<'a>>; 12];
