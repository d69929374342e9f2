//! A session and the thread it is bound to.

use std::borrow::Cow;

use super::status::SessionStatus;
use crate::json::DecodedText;
use crate::span::Span;
use crate::time::{self, Time};

/// A session and the thread it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping<'a> {
    /// The session.
    pub session_id: Cow<'a, str>,
    /// The first post of the thread.
    pub thread_root_post_id: Cow<'a, str>,
    /// A short name for people; never a key.
    pub short_id: Cow<'a, str>,
    /// The user.
    pub mattermost_user_id: Cow<'a, str>,
    /// The channel of direct messages.
    pub dm_channel_id: Cow<'a, str>,
    /// The project.
    pub project_name: Cow<'a, str>,
    /// Its directory.
    pub directory: Cow<'a, str>,
    /// A title, where there is one.
    pub session_title: Option<Cow<'a, str>>,
    /// The state of the session.
    pub status: SessionStatus,
    /// When the binding was made, as written.
    pub created_at: Cow<'a, str>,
    /// When something last happened, as written.
    pub last_activity_at: Cow<'a, str>,
    /// When the session ended, as written.
    pub ended_at: Option<Cow<'a, str>>,
    /// The rule of the contract that the entry breaks, where it is used anyway.
    pub breach: Option<String>,
    /// The location of the entry in the file.
    pub span: Span,
}

impl<'a> Mapping<'a> {
    /// Puts together what the fields say.
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
        let said = |text: Option<DecodedText<'a>>| text.map(|text| text.text);
        let filled = |text| said(text).unwrap_or_default();
        Self {
            session_id: filled(id),
            thread_root_post_id: filled(root),
            short_id: filled(short),
            mattermost_user_id: filled(user),
            dm_channel_id: filled(channel),
            project_name: filled(project),
            directory: filled(directory),
            session_title: said(title),
            status: SessionStatus::parse(&filled(status)),
            created_at: filled(created),
            last_activity_at: filled(active),
            ended_at: said(ended),
            breach: None,
            span,
        }
    }

    /// Returns the last activity as an instant.
    pub fn last_activity(&self) -> Option<Time> {
        time::parse(&self.last_activity_at).map(|parsed| parsed.time)
    }

    /// Returns what each field says, in the order of the contract; an empty text that the contract
    /// does not allow is ignored.
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

/// What the fields say, in the order of the contract.
pub(super) type MappingTexts<'a> = [Option<DecodedText<'a>>; 12];
