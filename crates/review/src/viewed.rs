//! Which files the reviewer has looked at, and what they said then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skein_workspace::{Env, FileError, Workspace, state_file};

/// The file in the state directory.
const FILE: &str = "viewed.json";

#[derive(Default, PartialEq, Deserialize, Serialize)]
struct Viewed {
    /// The name of the content that was seen, by path.
    files: BTreeMap<String, String>,
}

/// Returns the files that were looked at, each with the content that it had.
///
/// A file that has another content by now is one to look at again.
pub fn viewed(workspace: &Workspace, env: &Env) -> BTreeMap<String, String> {
    let known: Option<Viewed> = state_file::read(&workspace.dirs(env), FILE);
    known.unwrap_or_default().files
}

/// Keeps that a file was looked at as it is, or that it was not.
pub fn set_viewed(
    workspace: &Workspace,
    env: &Env,
    path: &str,
    content: &str,
    seen: bool,
) -> Result<(), FileError> {
    state_file::update(env, &workspace.dirs(env), FILE, &|known: Option<Viewed>| {
        let mut viewed = known.unwrap_or_default();
        let before = viewed.files.get(path).map(String::as_str);
        if before == seen.then_some(content) {
            return None;
        }
        match seen {
            true => viewed.files.insert(path.to_owned(), content.to_owned()),
            false => viewed.files.remove(path),
        };
        Some(viewed)
    })
}
