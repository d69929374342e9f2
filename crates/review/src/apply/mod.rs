//! Puts suggested changes into the files.

mod change;
mod previewed;
mod write;

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;
use skein_catalog::placement::Placer;
use skein_catalog::rows::review::place;
use skein_catalog::thread_names::review_names;
use skein_format::review::{Range, Status};
use skein_model::view::WriteResult;
use skein_store::ReplaceError;
use skein_workspace::{Actor, Env, ReviewStore, Workspace};

use super::open;
use super::update::load;
use super::write_error::WriteError;
use change::{Change, change};
pub use previewed::{Preview, StalePreview, apply_previewed, preview};
use write::write;

/// How suggestions are applied.
#[derive(Clone, Copy, Debug)]
pub struct ApplyOptions {
    /// Changes nothing.
    pub dry_run: bool,
    /// Resolves the threads too.
    pub resolve: bool,
}

/// What a suggestion does to a file.
#[derive(Clone, Debug, Serialize)]
pub struct Applied {
    /// The thread.
    pub id: String,
    /// The lines before the change, counted from 1: `src/a.rs:12-14`.
    pub at: String,
    /// The lines that go.
    pub removed: Vec<String>,
    /// The lines that come.
    pub added: Vec<String>,
    /// `applied`, `would apply`, or `there already` for a change that was made before.
    pub outcome: &'static str,
    /// The reply that says so; none in a trial.
    pub reply: Option<WriteResult>,
}

/// Why a suggestion was not applied.
///
/// No file was changed, but for those that came before one that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// No comment of the thread suggests anything.
    #[error("no comment suggests a change in thread {id}")]
    NoSuggestion {
        /// The thread.
        id: String,
    },
    /// No thread suggests anything.
    #[error("no open thread suggests a change")]
    Nothing,
    /// The block is not closed, so that nobody knows where it ends.
    #[error("the suggestion in thread {id} is not closed")]
    Unclosed {
        /// The thread.
        id: String,
    },
    /// The code of the thread is in another worktree.
    #[error("thread {id} is about the files of {}", root.display())]
    Elsewhere {
        /// The thread.
        id: String,
        /// The other worktree.
        root: PathBuf,
    },
    /// The suggestion is about a whole file.
    #[error("thread {id} is about a whole file; there are no lines to replace")]
    NoLines {
        /// The thread.
        id: String,
    },
    /// The text is not what was commented on.
    #[error("the code at {at} is not what was commented on ({state})")]
    Changed {
        /// The thread.
        id: String,
        /// The place.
        at: String,
        /// What is known of it.
        state: &'static str,
        /// The commented text.
        was: String,
        /// The text as it is.
        now: Option<String>,
        /// Whether something was said after the suggestion.
        answered: bool,
    },
    /// The text is what was commented on, but it may be a copy of that.
    #[error("the code at {at} reads as when it was commented on, but may be a copy of that code")]
    Uncertain {
        /// The thread.
        id: String,
        /// The place.
        at: String,
        /// Whether something was said after the suggestion.
        answered: bool,
    },
    /// Two suggestions are about the same lines.
    #[error("two suggestions change the same lines of {path}: {a} and {b}")]
    Overlap {
        /// The file.
        path: String,
        /// One thread.
        a: String,
        /// The other.
        b: String,
    },
    /// A file cannot be written.
    #[error("cannot change {path}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: ReplaceError,
    },
    /// A file leads out of the workspace, or to what nobody may comment on.
    #[error("the file leads to one that may not be changed: {path}")]
    Outside {
        /// The file.
        path: String,
    },
    /// A thread cannot be read or written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Applies the suggestions of threads; either all of them can be applied or no file is changed.
pub fn apply(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    ids: &[String],
    options: ApplyOptions,
) -> Result<Vec<Applied>, ApplyError> {
    let reviews = &workspace.reviews;
    let paths =
        if ids.is_empty() { all(reviews) } else { named(workspace, env, ids, options.resolve)? };
    let mut placer = Placer::new(workspace, reviews, env);
    let mut changes = Vec::new();
    for path in &paths {
        match change(&mut placer, reviews, path) {
            // What was applied and answered before needs no other answer each time.
            Ok(change) if ids.is_empty() && change.answered && change.old == change.new => {}
            Ok(change) => changes.push(change),
            Err(ApplyError::NoSuggestion { .. }) if ids.is_empty() => {}
            // Nor does code that somebody spoke of and changed since.
            Err(
                ApplyError::Changed { answered: true, .. }
                | ApplyError::Uncertain { answered: true, .. },
            ) if ids.is_empty() => {}
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
        return Ok(changes.iter().map(|change| applied(change, "would apply", None)).collect());
    }
    write(workspace, env, actor, &changes, options, None)
}

/// Finds the files of threads; a draft cannot be resolved too.
fn named(
    workspace: &Workspace,
    env: &Env,
    ids: &[String],
    resolve: bool,
) -> Result<Vec<PathBuf>, ApplyError> {
    let find = if resolve { open::published } else { open::thread };
    let (mut paths, mut seen) = (Vec::new(), HashSet::new());
    for id in ids {
        let (reviews, path) = find(workspace, env, id)?;
        if reviews.root != workspace.reviews.root {
            return Err(ApplyError::Elsewhere { id: id.clone(), root: reviews.root });
        }
        if seen.insert(path.clone()) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Returns the files of every open thread.
fn all(reviews: &ReviewStore) -> Vec<PathBuf> {
    let open = |path: &PathBuf| {
        load(reviews, path).is_ok_and(|(doc, _)| doc.head().status == Status::Open)
    };
    review_names(reviews).into_iter().map(|named| named.path).filter(open).collect()
}

fn disjoint(changes: &[Change]) -> Result<(), ApplyError> {
    for pair in changes.windows(2) {
        let [lower, upper] = pair else { continue };
        if lower.path == upper.path && upper.end >= lower.start {
            let (a, b) = (upper.id.clone(), lower.id.clone());
            return Err(ApplyError::Overlap { path: lower.path.clone(), a, b });
        }
    }
    Ok(())
}

fn applied(change: &Change, outcome: &'static str, reply: Option<WriteResult>) -> Applied {
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
    }
}
