use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::time::Duration;

use skein_format::span::line_of;
use skein_store::{Edit, ReadError, ensure_dir, lock};
use toml_edit::{Document, Item, Key};

use super::edit::{self, SettingsEditError};
use super::key::{SettingKey, Value};
use super::{REPOSITORY_FILE, unsafe_because};
use crate::env::Env;
use crate::file_error::{FileError, wrap_file_errors};
use crate::update;

/// Why a setting could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// There is no home directory.
    #[error("there is no home directory to keep settings in")]
    NoHome,
    /// The file cannot be edited.
    #[error("cannot understand {}", path.display())]
    Edit { path: PathBuf, source: SettingsEditError },
    /// The file is not UTF-8.
    #[error("not UTF-8: {}", path.display())]
    NotText { path: PathBuf, source: FromUtf8Error },
    /// A repository may not set the key to this value.
    #[error("`{name}` {reason}")]
    Unsafe { name: &'static str, reason: &'static str },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(SetError);

/// A problem of a settings file.
pub(super) struct Problem {
    pub(super) line: Option<u32>,
    pub(super) message: String,
}

/// Returns the user's settings file.
pub fn user_file(env: &Env) -> Option<PathBuf> {
    env.config_home.as_ref().map(|home| home.join("skein").join("config.toml"))
}

/// A key of a settings file.
pub(super) struct SettingsEntry {
    pub(super) name: String,
    /// The value, if it has a type that settings can have.
    pub(super) value: Option<Value>,
    pub(super) line: Option<u32>,
}

/// Reads the keys of a settings file.
pub(super) fn read(path: &Path) -> Result<Vec<SettingsEntry>, Problem> {
    let bytes = match skein_store::read(path) {
        Ok(snapshot) => snapshot.bytes,
        Err(ReadError::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => {
            let message = format!("the file cannot be read: {}", error.reason());
            return Err(Problem { line: None, message });
        }
    };
    parse(&bytes)
}

/// Parses the keys of a settings file.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<SettingsEntry>, Problem> {
    let text = str::from_utf8(bytes).map_err(|error| Problem {
        line: Some(line_of(bytes, error.valid_up_to())),
        message: "the file is not UTF-8".to_owned(),
    })?;
    let document = Document::parse(text).map_err(|error| Problem {
        line: error.span().map(|span| line_of(bytes, span.start)),
        message: error.message().trim().to_owned(),
    })?;
    let entry = |name: String, key: Option<&Key>, item: &Item| SettingsEntry {
        name,
        value: value(item),
        line: key.and_then(Key::span).map(|span| line_of(bytes, span.start)),
    };
    let mut found = Vec::new();
    for (name, item) in document.iter() {
        match item.as_table_like() {
            Some(table) => found.extend(
                table
                    .iter()
                    .map(|(inner, item)| entry(format!("{name}.{inner}"), table.key(inner), item)),
            ),
            None => found.push(entry(name.to_owned(), document.key(name), item)),
        }
    }
    Ok(found)
}

fn value(item: &Item) -> Option<Value> {
    if let Some(text) = item.as_str() {
        return Some(Value::Text(text.to_owned()));
    }
    if let Some(flag) = item.as_bool() {
        return Some(Value::Flag(flag));
    }
    let list = item.as_array()?.iter().map(|one| one.as_str().map(str::to_owned));
    list.collect::<Option<Vec<String>>>().map(Value::List)
}

/// Sets a key in the user's settings file and returns its path; comments and other keys are kept.
pub fn set(env: &Env, key: &SettingKey, value: &Value) -> Result<PathBuf, SetError> {
    let path = user_file(env).ok_or(SetError::NoHome)?;
    change(env, path, |text| edit::set(text, key, value))
}

/// Sets a key in the settings file of the repository with this top, and returns its path; comments and other keys are kept.
pub fn set_in_repository(
    env: &Env,
    top: &Path,
    key: &SettingKey,
    value: &Value,
) -> Result<PathBuf, SetError> {
    if let Some(reason) = unsafe_because(key, Some(value), Some(top)) {
        return Err(SetError::Unsafe { name: key.name, reason });
    }
    let path = top.join(REPOSITORY_FILE);
    if path.is_symlink() {
        return Err(FileError::Link { path }.into());
    }
    change(env, path, |text| edit::set(text, key, value))
}

/// Removes a key from the user's settings file and returns its path; writes nothing if it is not set.
pub fn unset(env: &Env, key: &SettingKey) -> Result<PathBuf, SetError> {
    let path = user_file(env).ok_or(SetError::NoHome)?;
    match skein_store::read(&path) {
        Err(ReadError::NotFound { .. }) => Ok(path),
        _ => change(env, path, |text| edit::unset(text, key)),
    }
}

fn change(
    env: &Env,
    path: PathBuf,
    edit: impl Fn(&str) -> Result<String, SettingsEditError>,
) -> Result<PathBuf, SetError> {
    let dir = path.parent().unwrap_or(&path);
    ensure_dir(&*env.fs, dir, 0o755)?;
    let guard = lock(&*env.fs, dir, Duration::from_secs(5))?;
    let document = update::Document {
        is_complete: &|bytes| bytes.ends_with(b"\n"),
        ..update::Document::new(&guard, &path, 0o644)
    };
    document.update(env, |old| {
        let text = String::from_utf8(old.unwrap_or_default().to_vec())
            .map_err(|source| SetError::NotText { path: path.clone(), source })?;
        let edited = edit(&text).map_err(|source| SetError::Edit { path: path.clone(), source })?;
        Ok::<_, SetError>(match edited == text && old.is_some() {
            true => Edit::Keep(()),
            false => Edit::Write(edited.into_bytes(), ()),
        })
    })?;
    Ok(path)
}
