//! Writes suggestions into the files, and replies in their threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skein_catalog::source_text::{lines, real_file};
use skein_format::json::bom_len;
use skein_format::review::{Anchor, AppliedNote, GitAnchor};
use skein_model::view::PlacementState;
use skein_store::{DirLock, Fs, ReplaceError, Revision, Snapshot, check_len, replace_from};
use skein_workspace::{Actor, ReviewStore, Workspace};

use super::change::SuggestedChange;
use super::{Applied, ApplyError, ApplyOptions, applied};
use crate::comment::{ReplyOptions, write_reply};
use crate::target::CodeLocation;
use crate::update::update;
use crate::write_error::WriteError;
use crate::write_result::{Written, placed};
use crate::{index, open};

/// Returns the revision of a file under review.
pub(super) fn revision(reviews: &ReviewStore, path: &str) -> Result<Revision, ApplyError> {
    Ok(snapshot(reviews, path)?.1.revision)
}

/// Writes each file once, with all of its changes, and replies in their threads before the next file.
///
/// If a revision is expected, the files must have it.
pub(super) fn write(
    workspace: &Workspace,
    actor: &Actor,
    changes: &[SuggestedChange],
    options: ApplyOptions,
    expected: Option<&Revision>,
) -> Result<Vec<Applied>, ApplyError> {
    let mut files: BTreeMap<&str, Vec<&SuggestedChange>> = BTreeMap::new();
    for change in changes {
        files.entry(&change.path).or_default().push(change);
    }
    for change in changes {
        check_room(change)?;
    }
    let mut ready = Vec::new();
    for (path, changes) in &files {
        let prepared = prepare(&workspace.reviews, path, changes)?;
        if expected.is_some_and(|expected| *expected != prepared.1) {
            let (file, found, ..) = prepared;
            let source = ReplaceError::Conflict { path: file, found: Some(found), kept: None };
            return Err(ApplyError::File { path: (*path).to_owned(), source });
        }
        ready.push((*path, changes, prepared));
    }
    let git = GitState::read(workspace, changes);
    let (mut done, mut replies) = (Vec::new(), Vec::new());
    let written = write_files(workspace, actor, ready, (&git, options), (&mut done, &mut replies));
    // Other files may have been written before an error.
    let followed = index::follow_all(workspace, &mut replies);
    written?;
    followed?;
    let mut placed = placed(workspace, &replies).into_iter();
    let with_reply = |(change, outcome, has_reply): (&SuggestedChange, _, bool)| {
        applied(change, outcome, has_reply.then(|| placed.next()).flatten())
    };
    Ok(done.into_iter().map(with_reply).collect())
}

/// Maximum length of what is added to a thread beside the new lines: a comment of one line with its metadata.
const MAX_NOTE_LEN: u64 = 64 * 1024;

/// The longest form of a byte of the new lines in the metadata of a thread: an escape such as `\u0000`.
const MAX_ESCAPE_LEN: u64 = 6;

/// Refuses a change whose thread has no room for a note about it, before the code is changed.
fn check_room(change: &SuggestedChange) -> Result<(), ApplyError> {
    let path = &change.thread.path;
    let failed = |source| ApplyError::File {
        path: path.display().to_string(),
        source: ReplaceError::Failed { path: path.clone(), kept: None, source },
    };
    let thread_len = path.metadata().map_err(failed)?.len();
    let lines_len: usize = change.new.iter().map(|line| line.len() + 1).sum();
    let lines_len = u64::try_from(lines_len).unwrap_or(u64::MAX);
    let added = lines_len.saturating_mul(MAX_ESCAPE_LEN).saturating_add(MAX_NOTE_LEN);
    check_len(thread_len.saturating_add(added)).map_err(failed)
}

/// A change with its outcome, and whether there is a reply about it.
type Made<'a> = (&'a SuggestedChange, &'static str, bool);

fn write_files<'a>(
    workspace: &Workspace,
    actor: &Actor,
    ready: Vec<(&str, &Vec<&'a SuggestedChange>, Ready)>,
    (git, options): (&GitState, ApplyOptions),
    (done, replies): (&mut Vec<Made<'a>>, &mut Vec<Written>),
) -> Result<(), ApplyError> {
    for (path, changes, (file, revision, bytes)) in ready {
        let Some(first) = changes.first() else { continue };
        let guard = open::of_thread(&workspace.env, &first.thread)?;
        let fs = &workspace.env.fs;
        let holding = holding_parent(&**fs, &workspace.reviews, &file);
        let holding = holding.ok_or_else(|| ApplyError::Outside { path: path.to_owned() })?;
        let fs = holding.as_deref().unwrap_or(&**fs);
        replace_from(fs, &guard, guard.dir(), &file, &revision, &bytes)
            .map_err(|source| ApplyError::File { path: path.to_owned(), source })?;
        drop(guard);
        for (change, start) in changes.iter().zip(starts_after(changes)) {
            let is_made = change.old == change.new;
            // An applied and answered suggestion needs no further reply.
            let needs_reply = !(change.answered && is_made);
            if needs_reply {
                replies.push(reply(workspace, actor, (change, start), git, options)?);
            }
            done.push((change, if is_made { "there already" } else { "applied" }, needs_reply));
        }
    }
    Ok(())
}

/// The state of the repository before a file is written.
struct GitState {
    head: Option<String>,
    /// The files that differ from HEAD, or will.
    dirty: BTreeSet<String>,
}

impl GitState {
    /// Reads the state only if a change is already present, because it may be committed.
    fn read(workspace: &Workspace, changes: &[SuggestedChange]) -> Self {
        let none = Self { head: None, dirty: BTreeSet::new() };
        if changes.iter().all(|change| change.old != change.new) {
            return none;
        }
        let asked = workspace.repo().and_then(|repo| {
            let head = repo.head_commit().ok()??.short().to_owned();
            let dirty = repo.status_paths(&[]).ok()?.into_iter().collect();
            Some(Self { head: Some(head), dirty })
        });
        let mut state = asked.unwrap_or(none);
        let written = changes.iter().filter(|change| change.old != change.new);
        state.dirty.extend(written.map(|change| format!("{}{}", workspace.prefix(), change.path)));
        state
    }
}

/// Returns the first line of each change after all changes of the file; they are ordered from the bottom up.
fn starts_after(changes: &[&SuggestedChange]) -> Vec<usize> {
    let (mut added, mut removed) = (0, 0);
    let start = |change: &&SuggestedChange| {
        let start = change.start + added - removed;
        added += change.new.len();
        removed += change.old.len();
        start
    };
    let mut starts: Vec<usize> = changes.iter().rev().map(start).collect();
    starts.reverse();
    starts
}

type Ready = (PathBuf, Revision, Vec<u8>);

fn snapshot(reviews: &ReviewStore, path: &str) -> Result<(PathBuf, Snapshot), ApplyError> {
    let outside = || ApplyError::Outside { path: path.to_owned() };
    let file = real_file(reviews, path).ok_or_else(outside)?;
    let snapshot = skein_store::read(&file).map_err(WriteError::from)?;
    Ok((file, snapshot))
}

/// Holds the directory of a file, without following a link that has replaced one of its parents since.
fn holding_parent(fs: &dyn Fs, reviews: &ReviewStore, file: &Path) -> Option<Option<Box<dyn Fs>>> {
    let root = reviews.root.canonicalize().ok()?;
    let below = file.parent()?.strip_prefix(&root).ok()?;
    fs.holding(&root, below).ok()
}

fn prepare(
    reviews: &ReviewStore,
    path: &str,
    changes: &[&SuggestedChange],
) -> Result<Ready, ApplyError> {
    let (file, snapshot) = snapshot(reviews, path)?;
    let (bom, text) = snapshot.bytes.split_at(bom_len(&snapshot.bytes));
    let text = spliced(text, changes).map_err(|change| ApplyError::Changed {
        id: change.id.clone(),
        at: path.to_owned(),
        state: PlacementState::Edited,
        was: change.old.join("\n"),
        now: None,
        answered: change.answered,
    })?;
    Ok((file, snapshot.revision, [bom, &text].concat()))
}

/// Returns a text with the changed lines; new lines get the line end of the file.
///
/// The changes are ordered from the bottom up. The error is the change whose old lines do not match.
fn spliced<'a>(
    text: &[u8],
    changes: &[&'a SuggestedChange],
) -> Result<Vec<u8>, &'a SuggestedChange> {
    let old: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let crlf = old.iter().any(|line| line.ends_with(b"\r\n"));
    let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let mut new: Vec<u8> = Vec::with_capacity(text.len());
    let mut done = 0;
    for change in changes.iter().rev().filter(|change| change.old != change.new) {
        let kept = old.get(done..change.start).ok_or(*change)?;
        let replaced = old.get(change.start..=change.end).ok_or(*change)?;
        let is_same = |(there, expected): (&&[u8], &String)| {
            lines(there).pop().unwrap_or_default() == *expected
        };
        if replaced.len() != change.old.len() || !replaced.iter().zip(&change.old).all(is_same) {
            return Err(change);
        }
        new.extend(kept.concat());
        new.extend(change.new.iter().flat_map(|line| [line.as_bytes(), end].concat()));
        let is_open = replaced.last().is_some_and(|line| !line.ends_with(b"\n"));
        if is_open && !change.new.is_empty() {
            new.truncate(new.len() - end.len());
        }
        done = change.end + 1;
    }
    new.extend(old.get(done..).unwrap_or_default().concat());
    Ok(new)
}

fn reply(
    workspace: &Workspace,
    actor: &Actor,
    (change, start): (&SuggestedChange, usize),
    git: &GitState,
    options: ApplyOptions,
) -> Result<Written, ApplyError> {
    let made = change.old == change.new;
    let path = format!("{}{}", workspace.prefix(), change.path);
    let commit = git.head.as_ref().filter(|_| !git.dirty.contains(&path));
    let note = match (made, commit) {
        (true, Some(commit)) => AppliedNote::Committed(commit),
        (true, None) => AppliedNote::There,
        (false, _) => AppliedNote::Changed,
    };
    let options = ReplyOptions { resolve: options.resolve, keep_resolved: true };
    let guard = open::of_written_thread(&workspace.env, &change.thread)?;
    follow(workspace, &guard, change, start)?;
    Ok(write_reply(workspace, actor, (&change.thread, &guard), &note.text(), options)?)
}

/// Moves the thread to the changed lines.
///
/// They may have been changed by others, such as the editor of the user. A thread whose lines were removed keeps its
/// location and text.
fn follow(
    workspace: &Workspace,
    guard: &DirLock,
    change: &SuggestedChange,
    start: usize,
) -> Result<(), ApplyError> {
    let Some(shift) = change.new.len().checked_sub(1) else { return Ok(()) };
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    let lines = Some((number(start), number(start + shift)));
    let Ok(place) = CodeLocation::below_root(workspace, &change.path, lines) else { return Ok(()) };
    let Some((range, context)) =
        place.open(workspace).ok().and_then(|source| source.select(&place))
    else {
        return Ok(());
    };
    let anchor = Anchor { context: Some(context.clone()), git: GitAnchor::default() };
    let now = workspace.env.clock.now();
    update(&workspace.env, &change.thread, guard, &|doc| {
        let is_there = doc.context().is_some_and(|there| there.selection == context.selection);
        if is_there && change.old == change.new {
            return Ok(());
        }
        if doc.head().path.as_ref() != Some(&place.path) {
            doc.set_path(&place.path, now)?;
        }
        doc.set_place(Some(range), &anchor, now)
    })?;
    Ok(())
}
