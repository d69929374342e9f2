//! `status=ended`: a field of a session, and what it becomes.

use skein_format::session::Field;
use skein_model::nearest;

use crate::error::SessionCliError;

/// The fields that can be set: the word for it, and the key in the file.
const FIELDS: [(&str, Field); 7] = [
    ("status", Field::Status),
    ("title", Field::SessionTitle),
    ("project", Field::ProjectName),
    ("directory", Field::Directory),
    ("thread", Field::ThreadRootPostId),
    ("lastActivityAt", Field::LastActivityAt),
    ("endedAt", Field::EndedAt),
];

/// What tells a session from others, and stays.
const FIXED: [&str; 5] = ["sessionId", "shortId", "mattermostUserId", "dmChannelId", "createdAt"];

const STATUSES: [&str; 4] = ["active", "ended", "disconnected", "orphaned"];

/// Reads the words of a command line.
pub(super) fn parse(words: &[String]) -> Result<Vec<(Field, String)>, SessionCliError> {
    let mut fields: Vec<(Field, String)> = Vec::new();
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            return Err(SessionCliError::NoValue { word: word.clone() });
        };
        let field = field(name)?;
        if fields.iter().any(|(other, _)| *other == field) {
            return Err(SessionCliError::Twice { name: word_of(field.as_str()) });
        }
        if value.is_empty() && field != Field::SessionTitle {
            return Err(SessionCliError::Empty { name: word_of(field.as_str()) });
        }
        if field == Field::Status {
            status(value)?;
        }
        fields.push((field, value.to_owned()));
    }
    Ok(fields)
}

/// Checks that a word is one of the four that a session can be in.
pub(super) fn status(word: &str) -> Result<(), SessionCliError> {
    if STATUSES.contains(&word) {
        return Ok(());
    }
    let nearest = nearest(word, &STATUSES);
    Err(SessionCliError::NoStatus { word: word.to_owned(), nearest })
}

/// Returns the word that a person uses for a key of the file.
pub(super) fn word_of(key: &'static str) -> &'static str {
    FIELDS.iter().find(|(_, field)| field.as_str() == key).map_or(key, |(word, _)| word)
}

/// Returns the field that has this key in the file.
pub(super) fn by_key(key: &str) -> Option<Field> {
    FIELDS.iter().map(|(_, field)| *field).find(|field| field.as_str() == key)
}

/// Finds a field by the word for it or by the key in the file, in any spelling.
fn field(name: &str) -> Result<Field, SessionCliError> {
    let bare = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted = bare(name);
    let found =
        FIELDS.iter().find(|(word, field)| bare(word) == wanted || bare(field.as_str()) == wanted);
    if let Some((_, field)) = found {
        return Ok(*field);
    }
    if let Some(&name) = FIXED.iter().find(|key| bare(key) == wanted) {
        return Err(SessionCliError::Fixed { name });
    }
    let names = FIELDS.map(|(word, _)| word);
    Err(SessionCliError::NoField { name: name.to_owned(), nearest: nearest(name, &names) })
}
