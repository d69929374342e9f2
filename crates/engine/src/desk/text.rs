//! Whole files as lines.

use skein_format::path::WorkspacePath;
use skein_git::{Objects, Side};
use skein_store::Revision;

use crate::discover::Workspace;
use crate::review::PlaceError;
use crate::review::source::{Source, is_binary, lines, without_bom};

/// A file as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The lines, without their ends.
    pub lines: Vec<String>,
    /// The name of what the file says: another content has another one.
    pub content: String,
}

impl Text {
    fn of(bytes: &[u8]) -> Self {
        let content = Revision::of(bytes).to_string();
        Self { lines: lines(without_bom(bytes)), content }
    }
}

/// Reads a file of the worktree, by its path from the root of the reviews.
pub(super) fn of_file(workspace: &Workspace, path: &str) -> Result<Text, PlaceError> {
    let reviews = &workspace.reviews;
    let path = WorkspacePath::parse(path, &reviews.store_path)
        .map_err(|problem| PlaceError::Path { text: path.to_owned(), problem })?;
    Ok(Text::of(&Source::bytes(reviews, &path)?))
}

/// Reads a file of one side of a comparison; none where it is missing, binary or too large.
pub(super) fn of_side(workspace: &Workspace, side: &Side, path: &str) -> Option<Text> {
    if *side == Side::Worktree {
        return of_file(workspace, path).ok();
    }
    let whole = format!("{}{path}", workspace.prefix());
    let mut objects = Objects::start(&workspace.repo()?).ok()?;
    let bytes = match side {
        Side::Commit(commit) => objects.blob(commit, &whole).ok()??,
        Side::Index => objects.staged(&whole).ok()??,
        Side::Tree(_) | Side::Worktree => return None,
    };
    (!is_binary(&bytes)).then(|| Text::of(&bytes))
}
