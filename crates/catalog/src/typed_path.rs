//! Paths typed by the user to select threads.

use skein_model::view::ThreadRow;
use skein_model::{Filter, nearest};
use skein_workspace::Workspace;

use crate::list::{WorktreeScope, list};

/// A path that does not exist and that no thread is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such file or directory, and no thread is on it: {text}")]
pub struct UnknownPath {
    /// The path as it was typed.
    pub text: String,
    /// A similar path.
    pub near: Option<String>,
}

/// Converts the path of a filter, relative to the current directory, into one relative to the root.
///
/// A path that exists takes precedence over one that only occurs in threads, and a path from the current directory over one from the
/// root, as lists show it.
pub fn resolve_file(workspace: &Workspace, filter: &mut Filter) -> Result<(), UnknownPath> {
    let Some(text) = filter.file.clone() else { return Ok(()) };
    let below = workspace.relative_to_root(&text);
    if below.as_deref() == Some("") {
        filter.file = None;
        return Ok(());
    }
    let from_root = Some(text.clone()).filter(|text| !text.starts_with('.'));
    let candidates: Vec<String> = below.into_iter().chain(from_root).collect();
    let exists =
        |path: &&String| workspace.reviews.root.join(path.as_str()).symlink_metadata().is_ok();
    let is_target = |path: &&String| is_target(workspace, filter, path);
    let found = candidates.iter().find(exists).or_else(|| candidates.iter().find(is_target));
    match found.cloned() {
        Some(path) => {
            filter.file = Some(path);
            Ok(())
        }
        None => Err(unknown(workspace, &text)),
    }
}

/// Returns whether a thread of a selected kind is on a path, or below it.
fn is_target(workspace: &Workspace, filter: &Filter, path: &str) -> bool {
    let file = Some(path.to_owned());
    let filter = Filter { kind: filter.kind, file, ..Filter::default() };
    !list(workspace, &filter, WorktreeScope::AllWorktrees).threads.is_empty()
}

/// Finds a similar name, among the siblings of the path and the paths of threads.
pub fn unknown(workspace: &Workspace, text: &str) -> UnknownPath {
    let typed = text.trim_end_matches('/');
    let (folder, name) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
    let entries =
        workspace.env.dir.join(folder).read_dir().into_iter().flatten().filter_map(Result::ok);
    let names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let beside = nearest(name, &names).map(|near| match folder {
        "" if typed.starts_with('/') => format!("/{near}"),
        "" => near.to_owned(),
        folder => format!("{folder}/{near}"),
    });
    let near = beside.or_else(|| {
        let rows = list(workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
        let mut paths: Vec<&str> = rows.iter().filter_map(|row| target(row)).collect();
        paths.sort_unstable();
        nearest(typed.trim_start_matches("./"), &paths).map(str::to_owned)
    });
    UnknownPath { text: text.to_owned(), near }
}

fn target(row: &ThreadRow) -> Option<&str> {
    Some(row.review()?.target.as_ref()?.path.as_str())
}

/// Splits lines in the form of an address off a path: `#L3`, `#L3-L5`, `:L3-5`; returns them as `3-5`.
pub fn lines_of_address(text: &str) -> Option<(&str, String)> {
    let (path, lines) = text.rsplit_once(['#', ':'])?;
    let numbers = lines.strip_prefix(['L', 'l'])?.replace("-L", "-").replace("-l", "-");
    is_numbers(&numbers).then_some((path, numbers))
}

pub fn is_numbers(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
