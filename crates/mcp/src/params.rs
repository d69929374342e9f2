//! Reads the parameters of a tool.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer};
use serde_json::{Map, Value};
use skein_format::path::WorkspacePath;
use skein_model::Filter;
use skein_review::quote::inline;
use skein_workspace::Workspace;

use crate::failure::Failure;

/// Maximum length of a text that is written.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The largest `limit` of a list.
pub(crate) const MAX_LIST_LIMIT: usize = 100;

/// Reads the parameters; an unknown one is an error.
pub(crate) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Failure> {
    // Some clients send all parameters, those that are not given as null.
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_path_to_error::deserialize(Value::Object(given))
        .map_err(|error| Failure::new(format!("invalid parameters: {error}")))
}

/// Reads a number; some models write it as a text.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let text = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => other.to_string(),
    };
    let text = text.trim().trim_end_matches(".0").to_owned();
    let error = || D::Error::custom(format!("not a whole number: {text}"));
    text.parse().map(Some).map_err(|_| error())
}

/// Checks that a number is in a range, or returns the default.
pub(crate) fn limit(given: Option<u32>, default: usize) -> Result<usize, Failure> {
    let limit = given.map_or(default, |given| given as usize);
    match limit {
        1..=MAX_LIST_LIMIT => Ok(limit),
        _ => Err(Failure::new(format!("limit is {limit}, and can be 1 to {MAX_LIST_LIMIT}"))),
    }
}

/// Checks the number of entries of a list.
pub(crate) fn count<T>(name: &str, list: &[T], min: usize, max: usize) -> Result<(), Failure> {
    let count = list.len();
    match (min..=max).contains(&count) {
        true => Ok(()),
        false => {
            Err(Failure::new(format!("{name} has {count} entries, and can have {min} to {max}")))
        }
    }
}

/// Checks a text that is to be written.
pub(crate) fn text(name: &str, text: &str) -> Result<(), Failure> {
    match text.len() {
        0..=MAX_TEXT_BYTES => Ok(()),
        length => Err(Failure::new(format!("{name} is too long: {length} bytes"))
            .hint(format!("write at most {MAX_TEXT_BYTES} bytes"))),
    }
}

/// Returns the filter for a path relative to the root: a file, or a directory above files.
pub(crate) fn path_filter(workspace: &Workspace, path: Option<&str>) -> Result<Filter, Failure> {
    let mut filter = Filter::default();
    let Some(path) = path.map(|path| below_root(workspace, path).trim_end_matches('/')) else {
        return Ok(filter);
    };
    if matches!(path, "" | ".") {
        return Ok(filter);
    }
    filter.file = Some(workspace_path(workspace, path)?.into_string());
    skein_catalog::resolve_file(workspace, &mut filter).map_err(|error| {
        let hint = error.near.as_ref().map(|near| format!("did you mean {}?", inline(near)));
        let hint = hint.unwrap_or_else(|| "paths are relative to the root".to_owned());
        Failure::new(error.to_string()).hint(hint)
    })?;
    // Not also files of the same name elsewhere.
    filter.file = filter.file.map(|file| format!("/{file}"));
    Ok(filter)
}

/// Returns a path without the root in front of it: some models give whole paths.
fn below_root<'a>(workspace: &Workspace, path: &'a str) -> &'a str {
    let root = workspace.reviews.root.display().to_string();
    let below = path.strip_prefix(&root).filter(|below| below.is_empty() || below.starts_with('/'));
    below.unwrap_or(path).trim_start_matches(if below.is_some() { "/" } else { "./" })
}

/// Refuses parameters that have no effect.
pub(crate) fn unused(with: &str, parameters: &[(&str, bool)]) -> Result<(), Failure> {
    match parameters.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::new(format!("{name} has no effect with {with}"))),
        None => Ok(()),
    }
}

/// Checks that a path is relative to the root, and stays below it.
pub(crate) fn workspace_path(workspace: &Workspace, path: &str) -> Result<WorkspacePath, Failure> {
    let path = below_root(workspace, path);
    WorkspacePath::parse(path, &workspace.reviews.store_path).map_err(|problem| {
        Failure::new(format!("not a path of the workspace: {path} ({problem})"))
            .hint("paths are relative to the root, such as `src/main.rs`")
    })
}

/// Checks that an id is not a path.
pub(crate) fn id(id: &str) -> Result<&str, Failure> {
    let id = id.trim();
    match id.is_empty() || id.contains(['/', '\\']) {
        true => Err(Failure::new(format!("not an id: {id}"))),
        false => Ok(id),
    }
}
