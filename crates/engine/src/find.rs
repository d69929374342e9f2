//! Finds the thread that an id means.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::Form;
use skein_format::id::is_plain_name;

use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::filter::Filter;
use crate::handle::slug_of;
use crate::ids::{Named, names, review_names};
use crate::kind::Kind;
use crate::list::{Scope, list};
use crate::read::checkpoint::{is_legacy, is_thread};
use crate::view::{Detail, Row, Target};

/// A thread that was found.
#[derive(Clone, Debug)]
pub enum Found {
    /// A review thread.
    Review {
        /// The store that it belongs to.
        reviews: Reviews,
        /// Its file.
        path: PathBuf,
    },
    /// A checkpoint.
    Checkpoint {
        /// Which kind of file it is.
        form: Form,
        /// Its file.
        path: PathBuf,
    },
    /// A session.
    Session {
        /// The session.
        id: String,
    },
}

/// Why no thread was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// Nothing has that name.
    #[error("no thread has this id: {text}")]
    None {
        /// What was asked for.
        text: String,
        /// Ids that are alike.
        near: Vec<String>,
    },
    /// Several threads have it.
    #[error("more than one thread is meant by: {text}")]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// The ids of the threads, with what they are about where that is known.
        candidates: Vec<(String, String)>,
    },
    /// There is no thread at all.
    #[error("there is no thread here yet")]
    Nothing,
}

/// Finds the thread that `text` means: exact ids first, prefixes last.
pub(crate) fn find(workspace: &Workspace, env: &Env, text: &str) -> Result<Found, FindError> {
    if let Some(found) = exact(workspace, text).or_else(|| file(workspace, env, text)) {
        return Ok(found);
    }
    if text == "@last" {
        let all = list(workspace, env, &Filter::default(), Scope::ThisWorktree);
        let last = all.threads.into_iter().find(|row| row.usable).ok_or(FindError::Nothing)?;
        return Ok(of_row(workspace, &last));
    }
    let all = names(workspace);
    if let Some(named) = all.iter().find(|named| named.id == text) {
        return Ok(of_name(workspace, named));
    }
    let at_place = there(workspace, env, text);
    if let Some(found) = one_of(workspace, text, &at_place)? {
        return Ok(found);
    }
    by_prefix(workspace, text, &all).or_else(|error| match error {
        FindError::None { .. } => elsewhere(workspace, text)?.ok_or(error),
        _ => Err(error),
    })
}

/// Looks for a file of exactly that name, without listing any directory.
fn exact(workspace: &Workspace, text: &str) -> Option<Found> {
    if !is_plain_name(text) {
        return None;
    }
    let path = workspace.reviews.threads().join(format!("{text}.md"));
    if workspace.reviews.exists && path.is_file() {
        return Some(Found::Review { reviews: workspace.reviews.clone(), path });
    }
    let checkpoints = &workspace.checkpoints;
    let name = format!("{text}.json");
    let places = [(Form::Thread, checkpoints.threads()), (Form::Legacy, checkpoints.legacy())];
    places.into_iter().find_map(|(form, dir)| {
        let path = dir.join(&name);
        (is_checkpoint(&name, form) && path.is_file()).then_some(Found::Checkpoint { form, path })
    })
}

/// Takes the path of a thread file.
fn file(workspace: &Workspace, env: &Env, text: &str) -> Option<Found> {
    let path = env.dir.join(text);
    // A thread file that is a symlink belongs to the store that the link is in.
    let dir = path.parent()?.canonicalize().ok()?;
    let path = Some(dir.join(path.file_name()?)).filter(|path| path.is_file())?;
    let extension = path.extension()?.to_str()?;
    let canonical = |dir: &Path| dir.canonicalize().ok();
    if extension == "md" {
        if canonical(&workspace.reviews.threads()).as_ref() == Some(&dir) {
            return Some(Found::Review { reviews: workspace.reviews.clone(), path });
        }
        let store =
            dir.parent().filter(|_| dir.file_name().is_some_and(|name| name == "threads"))?;
        let reviews = Reviews {
            root: store.parent()?.to_owned(),
            store_path: store.file_name()?.to_str()?.to_owned(),
            exists: true,
            branch: None,
        };
        return Some(Found::Review { reviews, path });
    }
    let name = path.file_name()?.to_str()?;
    let legacy = dir.file_name().is_some_and(|name| name == "checkpoints");
    let form = if legacy { Form::Legacy } else { Form::Thread };
    let fits = extension == "json" && is_checkpoint(name, form);
    fits.then_some(Found::Checkpoint { form, path })
}

fn is_checkpoint(name: &str, form: Form) -> bool {
    match form {
        Form::Thread => is_thread(name),
        Form::Legacy => is_legacy(name),
    }
}

/// Finds the review threads at `src/a.rs:12`, or on `src/a.rs`.
///
/// A thread whose place is printed in just these words goes before those that only cover the line.
fn there(workspace: &Workspace, env: &Env, text: &str) -> Vec<Row> {
    if !workspace.reviews.exists {
        return Vec::new();
    }
    let (path, lines) = split_place(text);
    let line = lines.and_then(first_line);
    let paths = [Some(path.trim_start_matches("./").to_owned()), workspace.below_root(env, path)];
    let is_meant = |path: &str| paths.iter().flatten().any(|meant| meant == path);
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(workspace, env, &filter, Scope::ThisWorktree).threads;
    let mut rows: Vec<Row> = rows.into_iter().map(|row| *row).collect();
    rows.retain(|row| {
        let Some(target) = target(row).filter(|_| row.usable) else { return false };
        let range = target.range.map(|range| (range.start_line + 1)..=(range.end_line + 1));
        let on_line = line.is_none_or(|line| range.is_some_and(|range| range.contains(&line)));
        on_line && is_meant(&target.path)
    });
    let named = |row: &&Row| {
        let Detail::Review(detail) = &row.detail else { return false };
        detail.at.as_deref().is_some_and(|at| split_place(at).1 == lines)
    };
    match rows.iter().filter(named).collect::<Vec<_>>().as_slice() {
        [one] => vec![(*one).clone()],
        _ => rows,
    }
}

/// Splits `src/a.rs:12-14` into the path and the lines; a column behind them is passed over.
fn split_place(text: &str) -> (&str, Option<&str>) {
    let cut = |text| {
        let (path, lines): (&str, &str) = str::rsplit_once(text, ':')?;
        first_line(lines).map(|_| (path, lines))
    };
    match cut(text) {
        None => (text, None),
        Some((path, lines)) => {
            cut(path).map_or((path, Some(lines)), |(path, lines)| (path, Some(lines)))
        }
    }
}

fn first_line(lines: &str) -> Option<u32> {
    lines.split('-').next().and_then(|line| line.parse().ok())
}

fn target(row: &Row) -> Option<&Target> {
    match &row.detail {
        Detail::Review(detail) => detail.target.as_ref(),
        _ => None,
    }
}

fn one_of(workspace: &Workspace, text: &str, rows: &[Row]) -> Result<Option<Found>, FindError> {
    match rows {
        [] => Ok(None),
        [one] => Ok(Some(of_row(workspace, one))),
        many => {
            let candidates = many.iter().map(|row| (row.id.clone(), row.title.clone())).collect();
            Err(FindError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

fn by_prefix(workspace: &Workspace, text: &str, all: &[Named]) -> Result<Found, FindError> {
    let slug = |named: &Named| slug_of(named.kind, &named.id);
    let mut hits: Vec<&Named> =
        all.iter().filter(|named| slug(named).as_deref() == Some(text)).collect();
    if hits.is_empty() && !text.is_empty() {
        let starts = |named: &&Named| {
            named.id.starts_with(text) || slug(named).is_some_and(|slug| slug.starts_with(text))
        };
        hits = all.iter().filter(starts).collect();
    }
    match hits.as_slice() {
        [one] => Ok(of_name(workspace, one)),
        [] => {
            let wanted = text.to_lowercase();
            let alike = all
                .iter()
                .filter(|named| !wanted.is_empty() && named.id.to_lowercase().contains(&wanted));
            let near = alike.take(5).map(|named| named.id.clone()).collect();
            Err(FindError::None { text: text.to_owned(), near })
        }
        many => {
            let candidates =
                many.iter().map(|named| (named.id.clone(), named.kind.as_str().to_owned()));
            Err(FindError::Ambiguous { text: text.to_owned(), candidates: candidates.collect() })
        }
    }
}

/// Looks for a review thread in the other worktrees, whose threads a list may show too.
fn elsewhere(workspace: &Workspace, text: &str) -> Result<Option<Found>, FindError> {
    let mut hits = Vec::new();
    for reviews in workspace.reviews_of_all_worktrees() {
        if text.is_empty() || !reviews.exists || reviews.root == workspace.reviews.root {
            continue;
        }
        let names = review_names(&reviews).into_iter().filter(|named| named.id.starts_with(text));
        hits.extend(names.map(|named| (reviews.clone(), named)));
    }
    if hits.iter().any(|(_, named)| named.id == text) {
        hits.retain(|(_, named)| named.id == text);
    }
    let branch = |reviews: &Reviews| reviews.branch.clone().unwrap_or_default();
    match hits.as_slice() {
        [] => Ok(None),
        [(reviews, named)] => {
            Ok(Some(Found::Review { reviews: reviews.clone(), path: named.path.clone() }))
        }
        many => {
            let candidates = many
                .iter()
                .map(|(reviews, named)| (named.path.display().to_string(), branch(reviews)));
            Err(FindError::Ambiguous { text: text.to_owned(), candidates: candidates.collect() })
        }
    }
}

fn of_name(workspace: &Workspace, named: &Named) -> Found {
    match (named.kind, named.form) {
        (Kind::Review, _) => {
            Found::Review { reviews: workspace.reviews.clone(), path: named.path.clone() }
        }
        (Kind::Session, _) => Found::Session { id: named.id.clone() },
        (Kind::Checkpoint, form) => {
            Found::Checkpoint { form: form.unwrap_or(Form::Thread), path: named.path.clone() }
        }
    }
}

/// Returns the thread of a row; one of another worktree belongs to the store that its file is in.
pub(crate) fn of_row(workspace: &Workspace, row: &Row) -> Found {
    let path = PathBuf::from(&row.file);
    match row.kind {
        Kind::Review => {
            let mut reviews = workspace.reviews.clone();
            if row.branch.is_some() {
                let worktrees = workspace.reviews_of_all_worktrees();
                let own = |reviews: &Reviews| path.parent() == Some(reviews.threads().as_path());
                reviews = worktrees.into_iter().find(own).unwrap_or(reviews);
            }
            Found::Review { reviews, path }
        }
        Kind::Session => Found::Session { id: row.id.clone() },
        Kind::Checkpoint => {
            let legacy = path.parent() == Some(workspace.checkpoints.legacy().as_path());
            Found::Checkpoint { form: if legacy { Form::Legacy } else { Form::Thread }, path }
        }
    }
}
