//! Applies suggested changes to the files.

mod change;
mod previewed;
mod write;

use std::path::PathBuf;

use serde::Serialize;
use skein_catalog::ThreadRef;
use skein_catalog::placement::Placer;
use skein_catalog::rows::review::place;
use skein_catalog::thread_names::review_names;
use skein_format::review::{Range, Status};
use skein_model::view::{PlacementState, WriteResult};
use skein_store::ReplaceError;
use skein_workspace::{Actor, ReviewStore, Workspace};

use super::find::check_published;
use super::update::load;
use super::write_error::WriteError;
use change::{SuggestedChange, change};
pub use previewed::{StalePreview, apply_previewed, preview};
use write::write;

/// Options for applying suggestions.
#[derive(Clone, Copy, Debug)]
pub struct ApplyOptions {
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether the threads are also resolved.
    pub resolve: bool,
}

/// The change of a file by a suggestion.
#[derive(Clone, Debug, Serialize)]
pub struct Applied {
    /// The id of the thread.
    pub id: String,
    /// The lines before the change, counted from 1: `src/a.rs:12-14`.
    pub at: String,
    /// The lines that are removed.
    pub removed: Vec<String>,
    /// The lines that are added.
    pub added: Vec<String>,
    /// `applied`, `would apply`, or `there already` for a change that was made before.
    pub outcome: &'static str,
    /// The reply in the thread; none in a dry run.
    pub reply: Option<WriteResult>,
    /// A hash of the change and of the revision of the file; only if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Why a suggestion was not applied; `id` is the thread, and `answered` is whether a comment follows the suggestion.
///
/// No file was changed, except those before one that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("no comment suggests a change in thread {id}")]
    NoSuggestion { id: String },
    #[error("no open thread suggests a change")]
    Nothing,
    /// The block is not closed, so its end is unknown.
    #[error("the suggestion in thread {id} is not closed")]
    Unclosed { id: String },
    /// The code of the thread is in another worktree.
    #[error("thread {id} is about the files of {}", root.display())]
    Elsewhere { id: String, root: PathBuf },
    #[error("thread {id} is about a whole file; there are no lines to replace")]
    NoLines { id: String },
    /// The current text `now` differs from the commented text `was`.
    #[error("the code at {at} is not what was commented on ({state})")]
    Changed {
        id: String,
        at: String,
        state: PlacementState,
        was: String,
        now: Option<String>,
        answered: bool,
    },
    #[error("the code at {at} equals the commented code, but may be a copy of it")]
    Uncertain { id: String, at: String, answered: bool },
    #[error("two suggestions change the same lines of {path}: {a} and {b}")]
    Overlap { path: String, a: String, b: String },
    #[error("cannot change {path}")]
    File { path: String, source: ReplaceError },
    /// The file is a link outside the workspace, or to a file on which comments are not allowed.
    #[error("the file is a link to a file that must not be changed: {path}")]
    Outside { path: String },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Applies the suggestions of threads, of all open ones if none are given; if one cannot be applied, no file is changed.
pub fn apply(
    workspace: &Workspace,
    actor: &Actor,
    threads: &[ThreadRef],
    options: ApplyOptions,
) -> Result<Vec<Applied>, ApplyError> {
    let every = if threads.is_empty() { all_open(&workspace.reviews) } else { Vec::new() };
    let is_all = threads.is_empty();
    let threads = if is_all { &every } else { threads };
    let mut placer = Placer::new(workspace, &workspace.reviews);
    let mut changes = Vec::new();
    for thread in threads {
        check(workspace, thread, options.resolve)?;
        match change(&mut placer, thread) {
            // An applied and answered suggestion needs no further reply.
            Ok(change) if is_all && change.answered && change.old == change.new => {}
            Ok(change) => changes.push(change),
            Err(ApplyError::NoSuggestion { .. }) if is_all => {}
            // Code that was discussed and changed since is skipped.
            Err(
                ApplyError::Changed { answered: true, .. }
                | ApplyError::Uncertain { answered: true, .. },
            ) if is_all => {}
            Err(error) => return Err(error),
        }
    }
    placer.finish();
    if changes.is_empty() {
        return Err(ApplyError::Nothing);
    }
    // From the bottom up, so that no change moves the lines of the next one.
    changes.sort_by(|a, b| (&a.path, b.start).cmp(&(&b.path, a.start)));
    disjoint(&changes)?;
    if options.dry_run {
        let previews = changes.iter().map(|change| Ok(previewed::of_change(workspace, change)?.0));
        return previews.collect();
    }
    write(workspace, actor, &changes, options, None)
}

/// The lines that a suggestion replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedEdit {
    /// The file, relative to the root of the reviews.
    pub path: String,
    /// The first and the last line, counted from 0.
    pub lines: (usize, usize),
    /// The text of these lines.
    pub old: Vec<String>,
    pub new: Vec<String>,
}

/// Returns the edit that the suggestion of a thread makes in texts that are not in their files yet, by path.
pub fn suggested_edit<'a>(
    workspace: &Workspace,
    thread: &ThreadRef,
    texts: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<SuggestedEdit, ApplyError> {
    check(workspace, thread, false)?;
    let mut placer = Placer::new(workspace, &workspace.reviews);
    for (path, text) in texts {
        placer.set_text(path, text);
    }
    let SuggestedChange { path, start, end, old, new, .. } = change(&mut placer, thread)?;
    Ok(SuggestedEdit { path, lines: (start, end), old, new })
}

/// Refuses threads of another worktree, and drafts that are to be resolved.
fn check(workspace: &Workspace, thread: &ThreadRef, resolve: bool) -> Result<(), ApplyError> {
    if resolve {
        check_published(thread)?;
    }
    let root = &thread.reviews.root;
    if *root != workspace.reviews.root {
        return Err(ApplyError::Elsewhere { id: thread.id(), root: root.clone() });
    }
    Ok(())
}

fn all_open(reviews: &ReviewStore) -> Vec<ThreadRef> {
    let names = review_names(reviews).into_iter();
    let threads = names.map(|named| ThreadRef { reviews: reviews.clone(), path: named.path });
    let is_open =
        |thread: &ThreadRef| load(thread).is_ok_and(|(doc, _)| doc.head().status == Status::Open);
    threads.filter(is_open).collect()
}

fn disjoint(changes: &[SuggestedChange]) -> Result<(), ApplyError> {
    for pair in changes.windows(2) {
        let [lower, upper] = pair else { continue };
        if lower.path == upper.path && upper.end >= lower.start {
            let (a, b) = (upper.id.clone(), lower.id.clone());
            return Err(ApplyError::Overlap { path: lower.path.clone(), a, b });
        }
    }
    Ok(())
}

fn applied(change: &SuggestedChange, outcome: &'static str, reply: Option<WriteResult>) -> Applied {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let range = Range {
        start_line: number(change.start),
        start_character: 0,
        end_line: number(change.end),
        end_character: 0,
    };
    Applied {
        id: change.id.clone(),
        at: place(&change.path, Some(range)),
        removed: change.old.clone(),
        added: change.new.clone(),
        outcome,
        reply,
        token: None,
    }
}
