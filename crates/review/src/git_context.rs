//! The git context of commented code.

use std::collections::BTreeMap;

use skein_format::path::WorkspacePath;
use skein_format::review::{Context, GitAnchor, Range};
use skein_git::{CommitId, DiffOptions, DiffSide, FileDiff, Hunk, LineKind, Repo, RunError};
use skein_workspace::Workspace;

use super::reanchor::stays;
use super::target::Source;

/// HEAD, and the differences of the files under review from it.
pub struct GitContext {
    repo: Option<(Repo, CommitId)>,
    /// The path of the root of the reviews below the top of the repository, with a trailing slash.
    prefix: String,
    diffs: BTreeMap<String, Option<FileDiff>>,
}

impl GitContext {
    /// Reads HEAD; without a repository or a commit there is no context.
    pub fn new(workspace: &Workspace) -> Self {
        let repo = workspace.repo().and_then(|repo| {
            let head = repo.head_commit().ok()??;
            Some((repo, head))
        });
        Self { repo, prefix: workspace.prefix(), diffs: BTreeMap::new() }
    }

    /// Returns the commit, and the hunk around the commented lines if the file differs from it.
    ///
    /// The header of the hunk is left out if the editor extension would move the comment because of it.
    pub(super) fn anchor(
        &mut self,
        path: &WorkspacePath,
        source: &Source,
        selected: Option<&(Range, Context)>,
    ) -> Result<(GitAnchor, Option<String>), RunError> {
        let Some(commit) = self.repo.as_ref().map(|(_, commit)| commit.to_string()) else {
            return Ok((GitAnchor::default(), None));
        };
        let mut git = GitAnchor { base_ref: Some(commit), hunk_header: None };
        let Some((range, context)) = selected else { return Ok((git, None)) };
        let line = range.start_line;
        let hunk = self.diff(path)?.and_then(|diff| diff.hunk_at_new_line(line));
        let Some(hunk) = hunk.map(|hunk| window(hunk, line)) else { return Ok((git, None)) };
        if stays(&source.lines, *range, context, hunk.new_start) {
            git.hunk_header = Some(hunk.header());
        }
        Ok((git, Some(hunk.text())))
    }

    /// Returns whether any of the lines, counted from 0, is changed; outside a repository every line is.
    pub(super) fn is_changed(
        &mut self,
        path: &WorkspacePath,
        first: u32,
        last: u32,
    ) -> Result<bool, RunError> {
        if self.repo.is_none() {
            return Ok(true);
        }
        let diff = self.diff(path)?;
        Ok(diff.is_some_and(|diff| (first..=last).any(|line| diff.is_changed_line(line))))
    }

    fn diff(&mut self, path: &WorkspacePath) -> Result<Option<&FileDiff>, RunError> {
        let Some((repo, commit)) = &self.repo else { return Ok(None) };
        let full_path = format!("{}{path}", self.prefix);
        if !self.diffs.contains_key(&full_path) {
            let paths = std::slice::from_ref(&full_path);
            // A diff with untracked files needs a temporary index, which is slow.
            let untracked = !repo.is_tracked(&full_path)?;
            let options = DiffOptions { paths, untracked, ..DiffOptions::default() };
            let diffs =
                repo.diff(&DiffSide::Commit(commit.clone()), &DiffSide::Worktree, &options)?;
            self.diffs.insert(full_path.clone(), diffs.into_iter().next());
        }
        Ok(self.diffs.get(&full_path).and_then(Option::as_ref))
    }
}

/// Maximum number of lines of a hunk; a longer one is cut.
const MAX_HUNK_LINES: usize = 100;
/// The number of lines of a cut hunk before and after the commented one.
const CUT_CONTEXT_LINES: usize = 40;

/// Cuts a long hunk, such as a whole new file, to the lines around a line of the new side.
///
/// The result is a valid hunk with adjusted line numbers.
fn window(hunk: &Hunk, line: u32) -> Hunk {
    if hunk.lines.len() <= MAX_HUNK_LINES {
        return hunk.clone();
    }
    let mut cut = Hunk { lines: Vec::new(), ..hunk.clone() };
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let at = position(hunk, line);
    let first = at.saturating_sub(CUT_CONTEXT_LINES);
    for one in hunk.lines.iter().take(first) {
        old += u32::from(one.kind != LineKind::Added);
        new += u32::from(one.kind != LineKind::Removed);
    }
    (cut.old_start, cut.new_start) = (old, new);
    cut.lines =
        hunk.lines.iter().skip(first).take(at - first + CUT_CONTEXT_LINES + 1).cloned().collect();
    let count = |other: LineKind| {
        let lines = cut.lines.iter().filter(|one| one.kind != other).count();
        u32::try_from(lines).unwrap_or(u32::MAX)
    };
    (cut.old_lines, cut.new_lines) = (count(LineKind::Added), count(LineKind::Removed));
    if cut.old_lines == 0 && hunk.old_lines > 0 {
        // An empty side has the number of the line before it.
        cut.old_start = cut.old_start.saturating_sub(1);
    }
    cut
}

/// Returns the index in a hunk of a line of the new side, counted from 0.
fn position(hunk: &Hunk, line: u32) -> usize {
    let mut new = hunk.new_start.saturating_sub(1);
    for (index, one) in hunk.lines.iter().enumerate() {
        if one.kind == LineKind::Removed {
            continue;
        }
        if new == line {
            return index;
        }
        new += 1;
    }
    hunk.lines.len()
}
