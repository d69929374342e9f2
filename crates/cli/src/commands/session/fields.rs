//! `status=ended`: a field of a session and its new value.

use skein_format::session::MappingField;
use skein_model::nearest;

use crate::error::{CliError, CliResult};

/// The fields that can be set: their names on the command line, and their keys in the file.
const FIELDS: [(&str, MappingField); 7] = [
    ("status", MappingField::Status),
    ("title", MappingField::SessionTitle),
    ("project", MappingField::ProjectName),
    ("directory", MappingField::Directory),
    ("thread", MappingField::ThreadRootPostId),
    ("lastActivityAt", MappingField::LastActivityAt),
    ("endedAt", MappingField::EndedAt),
];

/// The fields that identify a session and cannot be set.
const FIXED: [&str; 5] = ["sessionId", "shortId", "mattermostUserId", "dmChannelId", "createdAt"];

const STATUSES: [&str; 4] = ["active", "ended", "disconnected", "orphaned"];

const FIELDS_HINT: &str = "fields are `status`, `title`, `project`, `directory` and `thread`";
const STATUSES_HINT: &str = "it is `active`, `disconnected`, `orphaned` or `ended`";

/// Parses arguments such as `status=ended`.
pub(super) fn parse(words: &[String]) -> CliResult<Vec<(MappingField, String)>> {
    let mut fields: Vec<(MappingField, String)> = Vec::new();
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            let hint = match STATUSES.contains(&word.as_str()) {
                true => format!("write it as `status={word}`"),
                false => format!("write it as `status=ended`; {FIELDS_HINT}"),
            };
            return Err(CliError::new(format!("not a field with its value: {word}"), hint));
        };
        let field = field(name)?;
        let name = word_for(field.as_str());
        if fields.iter().any(|(other, _)| *other == field) {
            let message = format!("`{name}` is given twice");
            return Err(CliError::new(message, format!("give `{name}` once")));
        }
        if value.is_empty() && field != MappingField::SessionTitle {
            let message = format!("`{name}` must not be empty");
            return Err(CliError::new(message, format!("give it a value: `{name}=VALUE`")));
        }
        if field == MappingField::Status {
            check_status(value)?;
        }
        fields.push((field, value.to_owned()));
    }
    Ok(fields)
}

/// Checks that a word is one of the four statuses of a session.
pub(super) fn check_status(word: &str) -> CliResult {
    if STATUSES.contains(&word) {
        return Ok(());
    }
    let hint = match nearest(word, &STATUSES) {
        Some(status) => format!("did you mean `{status}`? {STATUSES_HINT}"),
        None => STATUSES_HINT.to_owned(),
    };
    Err(CliError::new(format!("a session cannot be `{word}`"), hint))
}

/// Returns the name of a field on the command line.
pub(super) fn word_for(key: &'static str) -> &'static str {
    FIELDS.iter().find(|(_, field)| field.as_str() == key).map_or(key, |(word, _)| word)
}

/// Returns the field that has this key in the file.
pub(super) fn by_key(key: &str) -> Option<MappingField> {
    FIELDS.iter().map(|(_, field)| *field).find(|field| field.as_str() == key)
}

/// Finds a field by its name on the command line or its key in the file; case, `_` and `-` are ignored.
fn field(name: &str) -> CliResult<MappingField> {
    let bare = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted = bare(name);
    let found =
        FIELDS.iter().find(|(word, field)| bare(word) == wanted || bare(field.as_str()) == wanted);
    if let Some((_, field)) = found {
        return Ok(*field);
    }
    if let Some(&name) = FIXED.iter().find(|key| bare(key) == wanted) {
        let message = format!("`{name}` identifies the session and cannot be changed");
        return Err(CliError::new(message, FIELDS_HINT));
    }
    let hint = match nearest(name, &FIELDS.map(|(word, _)| word)) {
        Some(name) => format!("did you mean `{name}=`? {FIELDS_HINT}"),
        None => FIELDS_HINT.to_owned(),
    };
    Err(CliError::new(format!("a session has no field `{name}`"), hint))
}
