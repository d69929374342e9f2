//! Edits the text of a settings file; comments, order and line ends are kept.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike, TomlError};

use super::key::{SettingKey, Value};

/// Why a settings file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum SettingsEditError {
    /// Not TOML.
    #[error(transparent)]
    Syntax(Box<TomlError>),
    /// The table or value has another type.
    #[error("`{name}` has the wrong type in this file")]
    Shape { name: String },
}

/// Sets a key: replaces the value, or adds a line.
pub(super) fn set(
    text: &str,
    key: &SettingKey,
    value: &Value,
) -> Result<String, SettingsEditError> {
    let document = parse(text)?;
    let item = match value {
        Value::Text(text) => toml_edit::value(text),
        Value::Flag(flag) => toml_edit::value(*flag),
        Value::List(list) => toml_edit::value(list.iter().collect::<toml_edit::Array>()),
    };
    if let Some(place) = place(&document, key)? {
        return Ok(splice(text, place.value, item.to_string().trim()));
    }
    let mut document = document.into_mut();
    let (table, name) = split(key);
    let Some(table) = table else {
        document.insert(name, item);
        return Ok(with_line_ends_of(text, &document.to_string()));
    };
    let inside = document.entry(table).or_insert_with(|| Item::Table(Table::new()));
    let inside = inside.as_table_like_mut();
    inside.ok_or_else(|| SettingsEditError::Shape { name: table.to_owned() })?.insert(name, item);
    Ok(with_line_ends_of(text, &document.to_string()))
}

/// Removes a key with its line.
pub(super) fn unset(text: &str, key: &SettingKey) -> Result<String, SettingsEditError> {
    let document = parse(text)?;
    let Some(place) = place(&document, key)? else { return Ok(text.to_owned()) };
    if !place.is_inline {
        let start = text.get(..place.key.start).and_then(|before| before.rfind('\n'));
        let rest = text.get(place.value.end..).and_then(|after| after.find('\n'));
        let end = rest.map_or(text.len(), |rest| place.value.end + rest + 1);
        return Ok(splice(text, start.map_or(0, |start| start + 1)..end, ""));
    }
    let mut document = document.into_mut();
    let (table, name) = split(key);
    let inside = table.and_then(|table| document.get_mut(table));
    if let Some(inside) = inside.and_then(Item::as_table_like_mut) {
        inside.remove(name);
    }
    Ok(with_line_ends_of(text, &document.to_string()))
}

/// The position of a setting in the text.
struct Place {
    key: Range<usize>,
    value: Range<usize>,
    /// Whether other settings may be on the same line.
    is_inline: bool,
}

fn parse(text: &str) -> Result<Document<String>, SettingsEditError> {
    Document::parse(text.to_owned()).map_err(|error| SettingsEditError::Syntax(Box::new(error)))
}

fn place(
    document: &Document<String>,
    key: &SettingKey,
) -> Result<Option<Place>, SettingsEditError> {
    let (table, name) = split(key);
    let shape = |name: &str| SettingsEditError::Shape { name: name.to_owned() };
    let (inside, is_inline): (&dyn TableLike, bool) = match table {
        None => (document.as_table(), false),
        Some(table) => match document.get(table) {
            None => return Ok(None),
            Some(item) => {
                (item.as_table_like().ok_or_else(|| shape(table))?, item.is_inline_table())
            }
        },
    };
    let Some((key_in_text, item)) = inside.get_key_value(name) else { return Ok(None) };
    match (key_in_text.span(), item.span().filter(|_| item.is_value())) {
        (Some(key), Some(value)) => Ok(Some(Place { key, value, is_inline })),
        _ => Err(shape(key.name)),
    }
}

fn split(key: &SettingKey) -> (Option<&'static str>, &'static str) {
    match key.name.split_once('.') {
        Some((table, name)) => (Some(table), name),
        None => (None, key.name),
    }
}

/// Restores CRLF if all lines of the file had it; the library writes LF.
fn with_line_ends_of(text: &str, edited: &str) -> String {
    let lines = text.matches('\n').count();
    if lines == 0 || text.matches("\r\n").count() < lines {
        return edited.to_owned();
    }
    edited.replace("\r\n", "\n").replace('\n', "\r\n")
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, with);
    text
}
