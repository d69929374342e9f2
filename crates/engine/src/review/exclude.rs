//! Keeps the store out of commits until it is shared.

use std::path::Path;
use std::time::Duration;

use skein_git::Layout;
use skein_store::{RealFs, create_new, ensure_dir, lock, replace};

use super::write_error::WriteError;
use crate::discover::Workspace;

const PATIENCE: Duration = Duration::from_secs(5);

/// Lists the store in the repository's own ignore file, and says so; nothing is done outside a repository.
pub(crate) fn hide(workspace: &Workspace) -> Result<Option<String>, WriteError> {
    let Some((git, line)) = line(workspace) else {
        return Ok(None);
    };
    let changed = rewrite(git, &|text| {
        if has(text, &line) {
            return text.to_owned();
        }
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}{line}\n")
    })?;
    let note =
        format!("Git ignores {line} here (in .git/info/exclude); `skein share` takes that back.");
    Ok(changed.then_some(note))
}

/// Takes the line out again; true when it was there.
pub(crate) fn show(workspace: &Workspace) -> Result<bool, WriteError> {
    let Some((git, line)) = line(workspace) else {
        return Ok(false);
    };
    rewrite(git, &|text| text.split_inclusive('\n').filter(|one| one.trim() != line).collect())
}

fn has(text: &str, line: &str) -> bool {
    text.lines().any(|one| one.trim() == line)
}

/// Returns the line that hides the store of this workspace.
fn line(workspace: &Workspace) -> Option<(&Layout, String)> {
    let git = workspace.git.as_ref()?;
    let top = git.top.as_deref()?;
    let root = workspace.reviews.root.canonicalize().ok()?;
    let below = root.strip_prefix(top).ok()?.to_str()?;
    let store = Path::new(below).join(&workspace.reviews.store_path);
    Some((git, format!("/{}/", escape(store.to_str()?))))
}

/// Takes the meaning from characters that a pattern would read as its own.
fn escape(path: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    path.chars().fold(String::new(), |mut text, c| {
        if special(c) {
            text.push('\\');
        }
        text.push(c);
        text
    })
}

fn rewrite(git: &Layout, edit: &dyn Fn(&str) -> String) -> Result<bool, WriteError> {
    let path = git.exclude_file();
    let dir = path.parent().unwrap_or(&git.common_dir);
    ensure_dir(&RealFs, dir, 0o777)?;
    let guard = lock(&RealFs, dir, PATIENCE)?;
    let old = match skein_store::read(&path) {
        Ok(snapshot) => Some(snapshot),
        Err(skein_store::ReadError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    // Git reads the file as bytes; one that is no text is left alone.
    let Ok(text) = String::from_utf8(old.as_ref().map(|old| old.bytes.clone()).unwrap_or_default())
    else {
        return Ok(false);
    };
    let edited = edit(&text);
    if edited == text {
        return Ok(false);
    }
    match old {
        Some(old) => replace(&RealFs, &guard, &path, &old.revision, edited.as_bytes()).map(drop)?,
        None => create_new(&RealFs, &guard, &path, edited.as_bytes(), 0o666).map(drop)?,
    }
    Ok(true)
}
