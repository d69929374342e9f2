//! Finds the thread that an id means.

use std::path::Path;

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::id::{is_file_stem, is_plain_name};
use skein_format::review::Status;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, ReviewStore, Workspace};

use crate::checkpoint_lookup::{self, CheckpointFile, is_checkpoint, near};
use crate::deleted_reviews::deleted;
use crate::described::{about, described};
use crate::drafts::{self, drafts};
use crate::list::{WorktreeScope, list};
use crate::location::{FindError, ThreadLocation, of_row};
use crate::other_stores;
use crate::placed::place_rows;
use crate::short_ids::slug_of;
use crate::thread_names::{ThreadName, checkpoint_names, names, review_names};
use crate::typed_path::lines_of_address;

/// Finds the review thread that `text` means; a thread of another kind only where no review thread can be meant.
///
/// Of several threads at the place that `text` names, the only one with the preferred status is meant.
pub fn find_review(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    preferred: Option<Status>,
) -> Result<ThreadLocation, FindError> {
    let error = match find_among(workspace, env, text, (Some(Kind::Review), preferred)) {
        Err(error @ FindError::None { .. }) => error,
        found => return found,
    };
    if let Some(id) = deleted_id(workspace, env, text) {
        return Err(FindError::Deleted { text: text.to_owned(), id });
    }
    find(workspace, env, text).map_err(|_| error)
}

/// Returns the id of the one deleted thread that begins so.
fn deleted_id(workspace: &Workspace, env: &Env, text: &str) -> Option<String> {
    const MIN_PREFIX_LEN: usize = 4;
    if text.len() < MIN_PREFIX_LEN {
        return None;
    }
    let mut ids: Vec<String> = deleted(workspace, env).into_iter().map(|one| one.id).collect();
    ids.retain(|id| id.starts_with(text));
    ids.dedup();
    if ids.len() == 1 { ids.pop() } else { None }
}

/// Finds the thread that `text` means: exact ids first, prefixes last; at a place the only open one.
pub(crate) fn find(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<ThreadLocation, FindError> {
    find_among(workspace, env, text, (None, Some(Status::Open)))
}

/// Finds a thread among those of a kind; an exact id may be one of another kind.
fn find_among(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    (kind, preferred): (Option<Kind>, Option<Status>),
) -> Result<ThreadLocation, FindError> {
    if let Some(found) = exact(workspace, text).or_else(|| file(workspace, env, text)) {
        return Ok(found);
    }
    if text == "@last" {
        let filter = Filter { kind, ..Filter::default() };
        let all = list(workspace, env, &filter, WorktreeScope::ThisWorktree);
        let last = all.threads.into_iter().find(|row| row.usable).ok_or(FindError::Nothing)?;
        return Ok(of_row(workspace, &last));
    }
    let mut all = names(workspace);
    if let Some(named) = all.iter().find(|named| named.id == text) {
        return Ok(of_name(workspace, named));
    }
    all.retain(|named| kind.is_none_or(|kind| named.kind == kind));
    if kind.is_none()
        && checkpoint_lookup::is_whole_id(text)
        && let Some(found) = renamed(workspace, text)?
    {
        return Ok(found);
    }
    let at_place = at_position(workspace, env, text);
    if let Some(found) = one_of(workspace, text, &at_place, preferred)? {
        return Ok(found);
    }
    by_prefix(workspace, env, text, &all).or_else(|error| match error {
        FindError::None { .. } => match in_other_worktrees(workspace, env, text)? {
            Some(found) => Ok(found),
            None => match draft(workspace, env, text)? {
                Some(found) => Ok(found),
                None if kind == Some(Kind::Review) => Err(error),
                None => match archived(workspace, text)? {
                    Some(found) => Ok(found),
                    None => renamed(workspace, text)?
                        .ok_or_else(|| in_other_worktree(workspace, text).unwrap_or(error)),
                },
            },
        },
        _ => Err(error),
    })
}

/// Says that a checkpoint is in the store of another worktree, if it is.
fn in_other_worktree(workspace: &Workspace, text: &str) -> Option<FindError> {
    let (id, root) = other_stores::in_other_worktree(workspace, text)?;
    Some(FindError::OtherWorktree { text: text.to_owned(), id, root })
}

/// Looks for a checkpoint among those that were put away.
fn archived(workspace: &Workspace, text: &str) -> Result<Option<ThreadLocation>, FindError> {
    match checkpoint_lookup::archived(&workspace.checkpoints, text) {
        Ok(path) => Ok(Some(ThreadLocation::Checkpoint { form: CheckpointFileKind::Thread, path })),
        Err(FindError::None { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Looks for a checkpoint whose file says that it has, or had, this id.
fn renamed(workspace: &Workspace, text: &str) -> Result<Option<ThreadLocation>, FindError> {
    let place = checkpoint_lookup::renamed(&workspace.checkpoints, text)?;
    Ok(place.map(|(form, path)| ThreadLocation::Checkpoint { form, path }))
}

/// Looks for a file of exactly that name, without listing any directory.
fn exact(workspace: &Workspace, text: &str) -> Option<ThreadLocation> {
    if !is_file_stem(text) {
        return None;
    }
    let path = workspace.reviews.threads().join(format!("{text}.md"));
    if workspace.reviews.exists && is_plain_name(text) && path.is_file() {
        return Some(ThreadLocation::Review { reviews: workspace.reviews.clone(), path });
    }
    let checkpoints = &workspace.checkpoints;
    let name = format!("{text}.json");
    let thread = (CheckpointFileKind::Thread, checkpoints.file(&name));
    let places = [thread, (CheckpointFileKind::Legacy, checkpoints.legacy().join(&name))];
    places.into_iter().find_map(|(form, path)| {
        (is_checkpoint(&name, form) && path.is_file())
            .then_some(ThreadLocation::Checkpoint { form, path })
    })
}

/// Takes the path of a thread file.
fn file(workspace: &Workspace, env: &Env, text: &str) -> Option<ThreadLocation> {
    let path = env.dir.join(text);
    // A thread file that is a symlink belongs to the store that the link is in.
    let dir = path.parent()?.canonicalize().ok()?;
    let path = Some(dir.join(path.file_name()?)).filter(|path| path.is_file())?;
    let extension = path.extension()?.to_str()?;
    let canonical = |dir: &Path| dir.canonicalize().ok();
    if extension == "md" {
        // Whoever writes knows the directory by the name that the workspace has for it.
        let own = [workspace.reviews.threads(), drafts::dir(workspace, env)];
        if let Some(own) = own.iter().find(|own| canonical(own).as_ref() == Some(&dir)) {
            let path = own.join(path.file_name()?);
            return Some(ThreadLocation::Review { reviews: workspace.reviews.clone(), path });
        }
        let store =
            dir.parent().filter(|_| dir.file_name().is_some_and(|name| name == "threads"))?;
        let reviews = ReviewStore {
            root: store.parent()?.to_owned(),
            store_path: store.file_name()?.to_str()?.to_owned(),
            exists: true,
            branch: None,
        };
        return Some(ThreadLocation::Review { reviews, path });
    }
    let name = path.file_name()?.to_str()?;
    let legacy = dir.file_name().is_some_and(|name| name == "checkpoints");
    let form = if legacy { CheckpointFileKind::Legacy } else { CheckpointFileKind::Thread };
    let fits = extension == "json" && is_checkpoint(name, form);
    fits.then_some(ThreadLocation::Checkpoint { form, path })
}

/// Finds the review threads at `src/a.rs:12`, or on `src/a.rs`, where their code is now.
///
/// A thread whose place is printed in just these words goes before those that only cover the line. The place that a
/// thread's file names counts where no code is.
fn at_position(workspace: &Workspace, env: &Env, text: &str) -> Vec<ThreadRow> {
    if !workspace.reviews.exists {
        return Vec::new();
    }
    let (path, lines) = split_place(text);
    let below = workspace.relative_to_root(env, path);
    let at_root = path.trim_start_matches("./").to_owned();
    let is_same = below.as_ref() == Some(&at_root);
    let found = there_on(workspace, env, (below, lines));
    let found = match found.is_empty() && !is_same {
        true => there_on(workspace, env, (Some(at_root), lines)),
        false => found,
    };
    match lines_of_address(text).filter(|_| found.is_empty()) {
        Some((path, lines)) => at_position(workspace, env, &format!("{path}:{lines}")),
        None => found,
    }
}

/// Finds the review threads on a path from the root, at the lines where some are named.
fn there_on(
    workspace: &Workspace,
    env: &Env,
    (path, lines): (Option<String>, Option<&str>),
) -> Vec<ThreadRow> {
    let Some(path) = path.filter(|path| !path.is_empty()) else { return Vec::new() };
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(workspace, env, &filter, WorktreeScope::ThisWorktree).threads;
    let rows: Vec<ThreadRow> = rows.into_iter().filter(|row| row.usable).map(|row| *row).collect();
    let stored: Vec<ThreadRow> =
        rows.iter().filter(|row| is_at(row, &path, lines)).cloned().collect();
    let looks_like_place = lines.is_some() || workspace.reviews.root.join(&path).is_file();
    if stored.is_empty() && !looks_like_place {
        return stored;
    }
    let (mut placed, others): (Vec<ThreadRow>, Vec<ThreadRow>) =
        rows.into_iter().partition(|row| is_at(row, &path, None));
    place_rows(workspace, env, &mut placed);
    placed.retain(|row| is_at(row, &path, lines));
    if placed.is_empty() {
        // Code of other files may have moved here.
        placed = others;
        place_rows(workspace, env, &mut placed);
        placed.retain(|row| is_at(row, &path, lines));
    }
    let mut found = if placed.is_empty() { stored } else { placed };
    let named = |row: &&ThreadRow| place_of(row).is_some_and(|at| split_place(at).1 == lines);
    if let [one] = found.iter().filter(named).collect::<Vec<_>>().as_slice() {
        found = vec![(*one).clone()];
    }
    found
}

/// Returns whether the place of a row is on a path, and covers the first of the lines.
fn is_at(row: &ThreadRow, meant: &str, lines: Option<&str>) -> bool {
    let Some((path, own)) = place_of(row).map(split_place) else { return false };
    let covers = |line: u32| {
        let (first, last) = own?.split_once('-').unwrap_or((own?, own?));
        Some((first.parse().ok()?..=last.parse().ok()?).contains(&line))
    };
    let on_line = match lines.and_then(first_line) {
        Some(line) => covers(line).unwrap_or(false),
        None => true,
    };
    on_line && path == meant
}

fn place_of(row: &ThreadRow) -> Option<&str> {
    match &row.detail {
        RowDetail::Review(detail) => detail.at.as_deref(),
        _ => None,
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

fn one_of(
    workspace: &Workspace,
    text: &str,
    rows: &[ThreadRow],
    preferred: Option<Status>,
) -> Result<Option<ThreadLocation>, FindError> {
    let has_status =
        |row: &&ThreadRow| preferred.is_some_and(|it| row.status.as_deref() == Some(it.as_str()));
    let mut with_status = rows.iter().filter(has_status);
    match (rows, with_status.next(), with_status.next()) {
        ([], ..) => Ok(None),
        ([one], ..) | (_, Some(one), None) => Ok(Some(of_row(workspace, one))),
        _ => {
            let candidates = rows.iter().map(|row| (row.id.clone(), about(row))).collect();
            Err(FindError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

fn by_prefix(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    all: &[ThreadName],
) -> Result<ThreadLocation, FindError> {
    let slug = |named: &ThreadName| slug_of(named.kind, &named.id);
    let mut hits: Vec<&ThreadName> =
        all.iter().filter(|named| slug(named).as_deref() == Some(text)).collect();
    if hits.is_empty() && !text.is_empty() {
        let starts = |named: &&ThreadName| {
            named.id.starts_with(text) || slug(named).is_some_and(|slug| slug.starts_with(text))
        };
        hits = all.iter().filter(starts).collect();
    }
    match hits.as_slice() {
        [one] => Ok(of_name(workspace, one)),
        [] => Err(FindError::None { text: text.to_owned(), near: near(text, all) }),
        many => {
            let candidates = described(workspace, env, &workspace.reviews, many);
            Err(FindError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

/// Looks for a review thread in the other worktrees, whose threads a list may show too.
fn in_other_worktrees(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<Option<ThreadLocation>, FindError> {
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
    let branch = |reviews: &ReviewStore| reviews.branch.clone().unwrap_or_default();
    match hits.as_slice() {
        [] => Ok(None),
        [(reviews, named)] => {
            Ok(Some(ThreadLocation::Review { reviews: reviews.clone(), path: named.path.clone() }))
        }
        many => {
            let candidates = many.iter().map(|(reviews, named)| {
                let about = described(workspace, env, reviews, &[named]);
                let about = about.into_iter().next().map(|(_, about)| about).unwrap_or_default();
                (named.path.display().to_string(), format!("{}, {about}", branch(reviews)))
            });
            Err(FindError::Ambiguous { text: text.to_owned(), candidates: candidates.collect() })
        }
    }
}

/// Looks for a comment that is not submitted yet.
fn draft(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<Option<ThreadLocation>, FindError> {
    let mut hits = drafts::all(workspace, env);
    hits.retain(|draft| !text.is_empty() && draft.id().starts_with(text));
    match hits.as_slice() {
        [] => Ok(None),
        [one] => {
            let (reviews, path) = (workspace.reviews.clone(), one.path.clone());
            Ok(Some(ThreadLocation::Review { reviews, path }))
        }
        many => {
            let rows = drafts(workspace, env);
            let about = |id: &str| {
                let row = rows.iter().find(|row| row.id == id);
                row.map_or_else(|| "draft".to_owned(), |row| format!("draft of a {}", about(row)))
            };
            let candidates = many.iter().map(|draft| (draft.id(), about(&draft.id()))).collect();
            Err(FindError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

fn of_name(workspace: &Workspace, named: &ThreadName) -> ThreadLocation {
    match (named.kind, named.form) {
        (Kind::Review, _) => {
            ThreadLocation::Review { reviews: workspace.reviews.clone(), path: named.path.clone() }
        }
        (Kind::Session, _) => ThreadLocation::Session { id: named.id.clone() },
        (Kind::Checkpoint, form) => ThreadLocation::Checkpoint {
            form: form.unwrap_or(CheckpointFileKind::Thread),
            path: named.path.clone(),
        },
    }
}

/// Finds the checkpoint that `text` means, without reading any.
///
/// An exact id comes first, then the path of a file, a slug, and the start of an id or slug; what was put away counts
/// where nothing else is meant.
pub fn find_checkpoint(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<CheckpointFile, FindError> {
    if let Some(place) = checkpoint_lookup::exact(&workspace.checkpoints, text) {
        return Ok(place);
    }
    if text == "@last" {
        return checkpoint_lookup::changed_last(workspace, env);
    }
    let by_content = || checkpoint_lookup::renamed(&workspace.checkpoints, text);
    if checkpoint_lookup::is_whole_id(text)
        && let Some(place) = by_content()?
    {
        return Ok(place);
    }
    let all = checkpoint_names(&workspace.checkpoints);
    match checkpoint_lookup::among(text, &all) {
        Err(FindError::None { near, .. }) => match by_content()? {
            Some(place) => Ok(place),
            None => checkpoint_elsewhere(workspace, env, text, near),
        },
        found => found,
    }
}

/// Takes the path of a file, or what was put away; says so where a thread of another kind is meant.
fn checkpoint_elsewhere(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    near: Vec<String>,
) -> Result<CheckpointFile, FindError> {
    match find(workspace, env, text) {
        Ok(ThreadLocation::Checkpoint { form, path }) => Ok((form, path)),
        Ok(_) => Err(FindError::NoCheckpoint { text: text.to_owned() }),
        Err(FindError::None { text, .. }) => Err(FindError::None { text, near }),
        Err(error) => Err(error),
    }
}
