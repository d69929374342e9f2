//! Checks and completes a change of an entry.

use skein_format::session::{Mapping, MappingField, SessionStatus};
use skein_format::time::{self, Time};

use super::error::{SessionError, SessionResult};

/// Completes the fields of a change; the result is empty if the entry already has all values.
///
/// A change counts as activity, at least a millisecond after the last one: otherwise a program with the entry in memory would win the
/// tie and undo it. A session that is ended without a time ends now.
pub(super) fn complete(
    mapping: &Mapping<'_>,
    fields: &[(MappingField, &str)],
    now: Time,
) -> SessionResult<Vec<(MappingField, String)>> {
    let mut changes = Vec::new();
    for (field, value) in fields {
        let value = checked(*field, value)?;
        if current(mapping, *field) != Some(value.as_str()) {
            changes.push((*field, value));
        }
    }
    check_status(mapping, &changes)?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let is_set = |field: MappingField| fields.iter().any(|(one, _)| *one == field);
    let ends =
        changes.iter().any(|(field, value)| *field == MappingField::Status && value == "ended");
    if ends && !is_set(MappingField::EndedAt) {
        changes.push((MappingField::EndedAt, now.to_string()));
    }
    if !is_set(MappingField::LastActivityAt) {
        let after = |last: Time| Time::from_millis(last.as_millis().saturating_add(1));
        let at = mapping.last_activity().map_or(now, |last| now.max(after(last)));
        changes.push((MappingField::LastActivityAt, at.to_string()));
    }
    Ok(changes)
}

fn check_status(mapping: &Mapping<'_>, changes: &[(MappingField, String)]) -> SessionResult {
    let next = changes.iter().rfind(|(field, _)| *field == MappingField::Status);
    match next.map(|(_, word)| SessionStatus::parse(word)) {
        Some(next) if !mapping.status.may_become(&next) => {
            Err(SessionError::Ended { session_id: mapping.session_id.to_string() })
        }
        _ => Ok(()),
    }
}

/// Returns the value in the format of the file, if the field accepts it.
fn checked(field: MappingField, value: &str) -> SessionResult<String> {
    let bad =
        |rule| SessionError::BadValue { field: field.as_str(), rule, value: value.to_owned() };
    match field {
        MappingField::SessionTitle => Ok(value.to_owned()),
        MappingField::Status => match SessionStatus::parse(value) {
            SessionStatus::Other(_) => Err(bad("takes active, ended, disconnected or orphaned")),
            _ => Ok(value.to_owned()),
        },
        MappingField::CreatedAt | MappingField::LastActivityAt | MappingField::EndedAt => {
            match time::parse(value) {
                Some(parsed) => Ok(parsed.time.to_string()),
                None => Err(bad("takes a time such as 2026-01-15T14:30:00.000Z")),
            }
        }
        MappingField::ThreadRootPostId
        | MappingField::ShortId
        | MappingField::MattermostUserId
        | MappingField::DmChannelId
        | MappingField::ProjectName
        | MappingField::Directory => match value {
            "" => Err(bad("must not be empty")),
            value => Ok(value.to_owned()),
        },
    }
}

fn current<'m>(mapping: &'m Mapping<'_>, field: MappingField) -> Option<&'m str> {
    match field {
        MappingField::ThreadRootPostId => Some(&mapping.thread_root_post_id),
        MappingField::ShortId => Some(&mapping.short_id),
        MappingField::MattermostUserId => Some(&mapping.mattermost_user_id),
        MappingField::DmChannelId => Some(&mapping.dm_channel_id),
        MappingField::ProjectName => Some(&mapping.project_name),
        MappingField::Directory => Some(&mapping.directory),
        MappingField::SessionTitle => mapping.session_title.as_deref(),
        MappingField::Status => Some(mapping.status.as_str()),
        MappingField::CreatedAt => Some(&mapping.created_at),
        MappingField::LastActivityAt => Some(&mapping.last_activity_at),
        MappingField::EndedAt => mapping.ended_at.as_deref(),
    }
}
