//! The files that the reviewer has viewed, with their content at that time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skein_workspace::{FileError, Workspace, state_file};

/// The file in the state directory.
const FILE: &str = "viewed.json";

#[derive(Default, PartialEq, Deserialize, Serialize)]
struct Viewed {
    /// The hash of the viewed content, by path.
    files: BTreeMap<String, String>,
}

/// Returns the viewed files, each with the hash of its content at that time.
///
/// A file with another content should be viewed again.
pub fn viewed(workspace: &Workspace) -> BTreeMap<String, String> {
    let known: Option<Viewed> = state_file::read(&workspace.dirs(), FILE);
    known.unwrap_or_default().files
}

/// Records that a file was viewed with this content, or that it was not.
pub fn set_viewed(
    workspace: &Workspace,
    path: &str,
    content: &str,
    seen: bool,
) -> Result<(), FileError> {
    state_file::update(&workspace.env, &workspace.dirs(), FILE, &|known: Option<Viewed>| {
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
