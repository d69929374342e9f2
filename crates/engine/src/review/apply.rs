//! Puts suggested changes into the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::json::bom_len;
use skein_format::path::WorkspacePath;
use skein_format::review::{Anchor, GitAnchor, Range, ReviewDoc, Suggestion, suggestions};
use skein_store::{Guard, RealFs, ReplaceError, Revision, replace};

use super::source::{cut, lines};
use super::target::Place;
use super::update::{load, update};
use super::write_error::WriteError;
use super::{comment, open};
use crate::actor::Actor;
use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::ids::{review_names, stem};
use crate::placement::Placer;
use crate::read::review::place;
use crate::view::Written;

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
    pub reply: Option<Written>,
}

/// Why a suggestion was not applied; no file was changed.
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

/// Below this confidence a place is only shown.
const CERTAIN: f32 = 0.9;

/// A suggestion at its place.
struct Change {
    id: String,
    file: PathBuf,
    path: String,
    start: usize,
    end: usize,
    old: Vec<String>,
    new: Vec<String>,
    /// Whether something was said after the suggestion.
    answered: bool,
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
    let paths = if ids.is_empty() { all(reviews) } else { named(workspace, env, ids)? };
    let mut placer = Placer::new(workspace, reviews, env);
    let mut changes = Vec::new();
    for path in &paths {
        match change(&mut placer, reviews, path) {
            // What was applied and answered before needs no other answer each time.
            Ok(change) if ids.is_empty() && change.answered && change.old == change.new => {}
            Ok(change) => changes.push(change),
            Err(ApplyError::NoSuggestion { .. }) if ids.is_empty() => {}
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
    write(workspace, env, actor, &changes, options)
}

fn named(workspace: &Workspace, env: &Env, ids: &[String]) -> Result<Vec<PathBuf>, ApplyError> {
    let mut paths = Vec::new();
    for id in ids {
        let (reviews, path) = open::thread(workspace, env, id)?;
        if reviews.root != workspace.reviews.root {
            return Err(ApplyError::Elsewhere { id: id.clone(), root: reviews.root });
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Returns the files of every open thread.
fn all(reviews: &Reviews) -> Vec<PathBuf> {
    let open = |path: &PathBuf| {
        load(reviews, path)
            .is_ok_and(|(doc, _)| doc.head().status == skein_format::review::Status::Open)
    };
    review_names(reviews).into_iter().map(|named| named.path).filter(open).collect()
}

fn change(placer: &mut Placer<'_>, reviews: &Reviews, file: &Path) -> Result<Change, ApplyError> {
    let id = stem(file);
    let doc = load(reviews, file)?.0;
    let latest = latest(&doc).ok_or_else(|| ApplyError::NoSuggestion { id: id.clone() })?;
    let (suggestion, answered) = latest;
    if !suggestion.closed {
        return Err(ApplyError::Unclosed { id });
    }
    let Some(range) = doc.head().range else { return Err(ApplyError::NoLines { id }) };
    let was = doc.context().map(|context| context.selection).unwrap_or_default();
    let placement = placer.place(&doc);
    let changed = |at: String, state, now| ApplyError::Changed {
        id: id.clone(),
        at,
        state,
        was: was.clone(),
        now,
    };
    let Some(placement) = placement else { return Err(changed(String::new(), "unverified", None)) };
    let (Some(start), Some(end)) = (placement.start_line, placement.end_line) else {
        return Err(changed(placement.at(), placement.state, None));
    };
    let source = placer.source(&placement.path);
    let (start, end) = (start as usize, end as usize);
    let old = source.as_ref().and_then(|source| source.lines.get(start..=end));
    let old = old.unwrap_or_default().to_vec();
    let there = old.join("\n");
    let same = there == was || cut(&old, shifted(range, start)) == was;
    let same = same && doc.context().is_some() && placement.confidence >= CERTAIN;
    let made = there == suggestion.lines.join("\n") && !suggestion.lines.is_empty();
    if !same && !made {
        return Err(changed(placement.at(), placement.state, Some(there)));
    }
    Ok(Change {
        id,
        file: file.to_owned(),
        path: placement.path,
        start,
        end,
        old,
        new: suggestion.lines,
        answered,
    })
}

fn shifted(range: Range, start: usize) -> Range {
    let start_line = u32::try_from(start).unwrap_or(u32::MAX);
    Range { start_line, end_line: start_line + (range.end_line - range.start_line), ..range }
}

/// Returns the first suggestion of the latest comment that has one, and whether another comment follows.
fn latest(doc: &ReviewDoc) -> Option<(Suggestion, bool)> {
    let comments = doc.comments();
    let mut latest = comments.iter().rev().enumerate();
    latest.find_map(|(after, comment)| {
        let suggestion = suggestions(&comment.body).into_iter().next()?;
        Some((suggestion, after > 0))
    })
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

/// Writes each file once, with all of its changes, and says so in their threads before it goes on.
fn write(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    changes: &[Change],
    options: ApplyOptions,
) -> Result<Vec<Applied>, ApplyError> {
    let mut files: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        files.entry(&change.path).or_default().push(change);
    }
    let mut ready = Vec::new();
    for (path, changes) in &files {
        ready.push((*path, changes, prepare(&workspace.reviews, path, changes)?));
    }
    let mut done = Vec::new();
    for (path, changes, (file, revision, bytes)) in ready {
        let Some(first) = changes.first() else { continue };
        let guard = open::of_thread(&workspace.reviews, &first.file)?;
        put(&guard, path, &file, &revision, &bytes)?;
        drop(guard);
        for change in changes {
            done.push(reply(workspace, env, actor, change, options)?);
        }
    }
    Ok(done)
}

type Ready = (PathBuf, Revision, Vec<u8>);

fn prepare(reviews: &Reviews, path: &str, changes: &[&Change]) -> Result<Ready, ApplyError> {
    let file =
        real_file(reviews, path).ok_or_else(|| ApplyError::Outside { path: path.to_owned() })?;
    let snapshot = skein_store::read(&file).map_err(WriteError::from)?;
    let (bom, text) = snapshot.bytes.split_at(bom_len(&snapshot.bytes));
    let mut text: Vec<Vec<u8>> =
        text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for change in changes {
        splice(&mut text, change).ok_or_else(|| ApplyError::Changed {
            id: change.id.clone(),
            at: path.to_owned(),
            state: "edited",
            was: change.old.join("\n"),
            now: None,
        })?;
    }
    Ok((file, snapshot.revision, [bom, &text.concat()].concat()))
}

/// Returns the file that a path leads to; none where that is no file that could be commented on by its own name.
///
/// A symbolic link of a stranger's repository may lead into `.git`, whose files name programs to run.
fn real_file(reviews: &Reviews, path: &str) -> Option<PathBuf> {
    let root = reviews.root.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    let below = file.strip_prefix(&root).ok()?.to_str()?;
    WorkspacePath::parse(below, &reviews.store_path).is_ok().then_some(file)
}

/// Replaces lines, keeping the line end that the file has; none where the lines are not the ones expected.
fn splice(text: &mut Vec<Vec<u8>>, change: &Change) -> Option<()> {
    let there = text.get(change.start..=change.end)?;
    let same = there
        .iter()
        .map(|line| lines(line).pop().unwrap_or_default())
        .eq(change.old.iter().cloned());
    if !same {
        return None;
    }
    let crlf = there.iter().any(|line| line.ends_with(b"\r\n"));
    let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let open = there.last().is_some_and(|line| !line.ends_with(b"\n"));
    let mut new: Vec<Vec<u8>> =
        change.new.iter().map(|line| [line.as_bytes(), end].concat()).collect();
    if let Some(last) = new.last_mut().filter(|_| open) {
        last.truncate(last.len() - end.len());
    }
    text.splice(change.start..=change.end, new);
    Some(())
}

fn put(
    guard: &Guard,
    path: &str,
    file: &Path,
    revision: &Revision,
    bytes: &[u8],
) -> Result<(), ApplyError> {
    replace(&RealFs, guard, file, revision, bytes)
        .map(drop)
        .map_err(|source| ApplyError::File { path: path.to_owned(), source })
}

fn reply(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    change: &Change,
    options: ApplyOptions,
) -> Result<Applied, ApplyError> {
    let made = change.old == change.new;
    let commit = workspace.repo().and_then(|repo| {
        let head = repo.head_commit().ok()??;
        let path = format!("{}{}", workspace.prefix(), change.path);
        let dirty = repo.status_paths(&[]).ok()?.contains(&path);
        (!dirty).then(|| head.short().to_owned())
    });
    let body = match (made, commit) {
        (true, Some(commit)) => format!("Applied; it is in {commit}."),
        (true, None) => "Applied already; not committed yet.".to_owned(),
        (false, _) => "Applied; not committed yet.".to_owned(),
    };
    let id = change.file.display().to_string();
    follow(workspace, env, change)?;
    let written = comment::reply(workspace, env, actor, &id, &body, options.resolve)?;
    let outcome = if made { "there already" } else { "applied" };
    Ok(applied(change, outcome, Some(written)))
}

/// Lets the thread follow its code, which nobody knows better than who has just changed it.
///
/// A thread whose lines are gone keeps the place and the text that it had.
fn follow(workspace: &Workspace, env: &Env, change: &Change) -> Result<(), ApplyError> {
    let (Some(shift), false) = (change.new.len().checked_sub(1), change.old == change.new) else {
        return Ok(());
    };
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    let lines = Some((number(change.start), number(change.start + shift)));
    let place = Place::new(workspace, env, &workspace.absolute(&change.path), lines);
    let Some((range, context)) =
        place.ok().and_then(|place| place.open(workspace).ok()?.select(&place))
    else {
        return Ok(());
    };
    let anchor = Anchor { context: Some(context), git: GitAnchor::default() };
    let reviews = &workspace.reviews;
    let guard = open::of_thread(reviews, &change.file)?;
    let now = env.clock.now();
    update(reviews, &guard, &change.file, &|doc| doc.set_place(Some(range), &anchor, now))?;
    Ok(())
}

fn applied(change: &Change, outcome: &'static str, reply: Option<Written>) -> Applied {
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
