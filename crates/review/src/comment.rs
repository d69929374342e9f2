//! Adds replies, and edits comments.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;
use std::slice;
use std::thread::sleep;
use std::time::Duration;

use skein_catalog::rows::review;
use skein_catalog::{ThreadRef, WorktreeScope, list};
use skein_format::diagnostic::Code;
use skein_format::redact;
use skein_format::review::{Comment, NewComment, ReviewDoc, ReviewEditError, Status};
use skein_format::time::Time;
use skein_model::person_names::is_name_of;
use skein_model::view::{FileDiagnostic, RowDetail, WriteAction, WriteResult};
use skein_model::{Filter, Kind, Turn};
use skein_store::{Busy, DirLock, read_written, was_written_in_place};
use skein_workspace::agent_names::is_agent;
use skein_workspace::{Actor, Env, Workspace};

use super::find::check_published;
use super::permission::{may_resolve, proposal};
use super::update::{UpdatedThread, is_complete, load, update};
use super::write_error::WriteError;
use super::write_result::{Written, placed_one};
use super::{index, open};

/// A program that wrote a thread in place within this time may hold it in memory and save it again: the extension saves every second.
const OTHER_WRITER_AGE: Duration = Duration::from_secs(3);
/// How often a reply is looked for if there is such a program: for a second and a half, which includes its next save.
const OTHER_WRITER_CHECKS: usize = 16;
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How often a reply is written that other programs drop.
const MAX_REPLY_WRITES: usize = 4;

/// Why a comment was not edited; `have` lists the comments of the thread with their authors.
#[derive(Debug, thiserror::Error)]
pub enum CommentError {
    #[error("the thread has no comment {id}")]
    None { id: String, have: Vec<(String, String)> },
    /// The author has no comment here; `signed` are names that the author may have used before.
    #[error("{author} has no comment in this thread")]
    NothingOwn { author: String, have: Vec<(String, String)>, signed: Vec<String>, thread: String },
    /// Another author wrote it, who may be the same person under another name.
    #[error("the comment {id} is by {author}")]
    NotYours { id: String, author: String, may_be_own: bool, thread: String },
    #[error("the comment {id} was changed in the meantime")]
    Changed { id: String, thread: String },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The effect of a reply on the status of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyOptions {
    /// Whether the thread is also resolved; an agent without permission proposes it instead.
    pub resolve: bool,
    /// Whether a resolved thread stays resolved; otherwise a person's reply reopens it, because it may be an objection.
    pub keep_resolved: bool,
}

/// Adds a comment at the end of a thread, and changes its status according to the options.
pub fn reply(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    body: &str,
    options: ReplyOptions,
) -> Result<WriteResult, WriteError> {
    let env = &workspace.env;
    let mut has_other_writer = was_written_in_place(&*env.fs, &thread.path, OTHER_WRITER_AGE);
    let mut comment = None;
    for _ in 0..MAX_REPLY_WRITES {
        let guard = open::of_written_thread(env, thread)?;
        let mut written =
            write_comment(workspace, actor, (thread, &guard), body, options, &mut comment)?;
        index::follow_written(workspace, &guard, slice::from_mut(&mut written));
        drop(guard);
        let id = written.result.comment.clone();
        let result = placed_one(workspace, written);
        if stays(env, thread, id.as_deref(), has_other_writer)? {
            return Ok(result);
        }
        has_other_writer = true;
    }
    Err(Busy { path: thread.path.clone() }.into())
}

/// Returns whether a comment is still in the file of its thread.
///
/// If another program seems to save the thread from memory, its next save is awaited.
fn stays(
    env: &Env,
    thread: &ThreadRef,
    comment: Option<&str>,
    has_other_writer: bool,
) -> Result<bool, WriteError> {
    let Some(comment) = comment else { return Ok(true) };
    let checks = if has_other_writer { OTHER_WRITER_CHECKS } else { 1 };
    for check in 0..checks {
        if check > 0 {
            sleep(CHECK_INTERVAL);
        }
        let is_complete = |bytes: &[u8]| is_complete(bytes, thread);
        let bytes = read_written::<WriteError>(&*env.fs, &thread.path, &is_complete)?;
        // A thread that was deleted since has the comment in its copy.
        let Some(bytes) = bytes else { return Ok(true) };
        let (doc, _) = thread.parse(bytes);
        if doc.head().usable && !doc.has_comment(comment) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes a reply under the lock of its thread; the caller updates the index.
pub(super) fn write_reply(
    workspace: &Workspace,
    actor: &Actor,
    (thread, guard): (&ThreadRef, &DirLock),
    body: &str,
    options: ReplyOptions,
) -> Result<Written, WriteError> {
    write_comment(workspace, actor, (thread, guard), body, options, &mut None)
}

/// Writes a reply as [`write_reply`] does, with the id and the time of `comment` if it was written before.
fn write_comment(
    workspace: &Workspace,
    actor: &Actor,
    (thread, guard): (&ThreadRef, &DirLock),
    body: &str,
    options: ReplyOptions,
    earlier: &mut Option<NewComment>,
) -> Result<Written, WriteError> {
    if options.resolve {
        // A draft can have replies, but its status cannot be changed before it is submitted.
        check_published(thread)?;
    }
    let resolves = options.resolve && may_resolve(workspace, actor);
    let may_reopen = !actor.agent && !options.resolve && !options.keep_resolved;
    let (comment, action) = (RefCell::new(earlier.take()), Cell::new(WriteAction::Replied));
    let updated = update(&workspace.env, thread, guard, &|doc| {
        let is_resolved = doc.head().status == Status::Resolved;
        let proposes = options.resolve && !resolves && !is_resolved;
        let reopens = may_reopen && is_resolved;
        let mut comment = comment.borrow_mut();
        let comment = comment.get_or_insert_with(|| new_comment(&workspace.env, actor, body, doc));
        comment.body = if proposes { proposal(Some(body)) } else { body.to_owned() };
        append(doc, comment)?;
        let at = comment.created_at;
        let status = match (resolves, reopens) {
            (true, _) => Some((WriteAction::Resolved, Status::Resolved)),
            (_, true) => Some((WriteAction::Reopened, Status::Open)),
            _ => None,
        };
        action.set(match status {
            Some((action, _)) => action,
            None if proposes => WriteAction::Proposed,
            None => WriteAction::Replied,
        });
        match status {
            Some((_, status)) => doc.set_status(status, at),
            // Equal times of the comment and the change would mean that the agent resolved the thread.
            None if actor.agent && is_resolved => doc.touch(just_after(at)),
            None => Ok(()),
        }
    })?;
    *earlier = comment.into_inner();
    let id = earlier.as_ref().map(|comment| comment.id.clone());
    Ok(commented(workspace, thread, updated, action.get(), (id, body)))
}

/// Returns the result of a comment that was written, with warnings about its text.
fn commented(
    workspace: &Workspace,
    thread: &ThreadRef,
    (doc, diagnostics): UpdatedThread,
    action: WriteAction,
    (comment, body): (Option<String>, &str),
) -> Written {
    let mut written = Written::new(thread.clone(), doc, action);
    written.result.comment = comment;
    written.report(diagnostics);
    written.report(secret(body, &thread.path));
    let unknown = unknown_name(workspace, thread, &written.doc);
    written.report(unknown);
    written
}

fn just_after(time: Time) -> Time {
    Time::from_millis(time.as_millis() + 1)
}

/// Replaces the text of the author's comment that [`editable`] returned.
///
/// Fails if the comment has changed since, unless it already has this text.
pub fn edit(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    old: &EditableComment,
    body: &str,
) -> Result<WriteResult, CommentError> {
    let env = &workspace.env;
    let guard = open::of_written_thread(env, thread)?;
    let is_meant = |other: &Comment| other.id == old.comment && other.author == actor.name;
    let changed = Cell::new(false);
    let now = env.clock.now();
    let done = update(env, thread, &guard, &|doc| {
        let comments = doc.comments();
        let index =
            comments.iter().position(is_meant).ok_or(ReviewEditError::NoComment { index: 0 })?;
        let current = comments.get(index).map(|comment| comment.body.as_str());
        changed.set(current != Some(&old.body) && current != Some(body));
        if changed.get() {
            Err(ReviewEditError::NoComment { index })
        } else {
            doc.edit_body(index, body, now)
        }
    });
    if changed.get() {
        return Err(CommentError::Changed { id: old.comment.clone(), thread: thread.id() });
    }
    let comment = (Some(old.comment.clone()), body);
    let mut written = commented(workspace, thread, done?, WriteAction::Edited, comment);
    index::follow_written(workspace, &guard, slice::from_mut(&mut written));
    drop(guard);
    Ok(placed_one(workspace, written))
}

/// A comment that its author may edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditableComment {
    /// Its id.
    pub comment: String,
    /// Its text.
    pub body: String,
}

/// Finds a comment of the author: the given one, else the last.
pub fn editable(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    comment: Option<&str>,
) -> Result<EditableComment, CommentError> {
    // A person's name in git may have changed. An agent has one name, and never a person's.
    let may_be_own = |author: &str| !actor.agent && !is_agent(author, &workspace.settings);
    own((&load(thread)?.0, &thread.id()), actor, comment, &may_be_own)
}

fn own(
    (doc, thread): (&ReviewDoc, &str),
    actor: &Actor,
    wanted: Option<&str>,
    may_be_own: &dyn Fn(&str) -> bool,
) -> Result<EditableComment, CommentError> {
    let comments = doc.comments();
    let thread_id = || thread.to_owned();
    let have = || comments.iter().map(|one| (one.id.clone(), one.author.clone())).collect();
    let is_own = |one: &&Comment| one.author == actor.name;
    let editable =
        |one: &Comment| EditableComment { comment: one.id.clone(), body: one.body.clone() };
    let Some(wanted) = wanted else {
        // Of several comments with the same id, an edit finds the first.
        let last = comments.iter().rfind(is_own).map(|last| last.id.as_str());
        let nothing = || {
            let authors = comments.iter().map(|one| one.author.clone());
            let signed: BTreeSet<String> = authors.filter(|author| may_be_own(author)).collect();
            let (author, signed) = (actor.name.clone(), signed.into_iter().collect());
            CommentError::NothingOwn { author, have: have(), signed, thread: thread_id() }
        };
        return own((doc, thread), actor, Some(last.ok_or_else(nothing)?), may_be_own);
    };
    let mut named = comments.iter().filter(|one| one.id == wanted).peekable();
    let first = named.peek().map(|one| one.author.clone());
    match (named.find(is_own), first) {
        (Some(found), _) => Ok(editable(found)),
        (None, Some(author)) => {
            let (id, may_be_own) = (wanted.to_owned(), may_be_own(&author));
            Err(CommentError::NotYours { id, author, may_be_own, thread: thread_id() })
        }
        (None, None) => Err(CommentError::None { id: wanted.to_owned(), have: have() }),
    }
}

/// Builds a comment with an id that is unique in the thread.
pub(super) fn new_comment(env: &Env, actor: &Actor, body: &str, doc: &ReviewDoc) -> NewComment {
    let mut id = env.ids.next();
    while doc.has_comment(&id) {
        id = env.ids.next();
    }
    NewComment {
        id,
        author: actor.name.clone(),
        created_at: env.clock.now(),
        body: body.to_owned(),
    }
}

/// Appends a comment, unless the thread already has it.
pub(super) fn append(doc: &mut ReviewDoc, comment: &NewComment) -> Result<(), ReviewEditError> {
    match doc.append_comment(comment) {
        Err(ReviewEditError::TakenId { .. }) => Ok(()),
        done => done,
    }
}

/// Returns a warning if a text seems to contain a secret.
pub(super) fn secret(body: &str, path: &Path) -> Option<FileDiagnostic> {
    let found = redact::find(body).into_iter().next()?;
    let message = format!("the comment seems to contain a secret (rule `{}`)", found.rule);
    Some(FileDiagnostic::new(Code::Secret, path, None, message))
}

/// Returns a warning if a thread waits for a name that has written nothing here: it may be code, or a typo.
pub(super) fn unknown_name(
    workspace: &Workspace,
    thread: &ThreadRef,
    doc: &ReviewDoc,
) -> Option<FileDiagnostic> {
    let of = (&thread.reviews, &workspace.settings);
    let row = review::row(doc.to_bytes(), &thread.path, of);
    let RowDetail::Review(detail) = row.detail else { return None };
    let name = detail.waiting_on_name.filter(|_| detail.waiting_on == Some(Turn::Reviewer))?;
    let is_known = |author: &str| is_name_of(&name, author);
    if doc.comments().iter().any(|comment| is_known(&comment.author)) {
        return None;
    }
    let by =
        Filter { kind: Some(Kind::Review), author: Some(name.to_string()), ..Filter::default() };
    if !list(workspace, &by, WorktreeScope::AllWorktrees).threads.is_empty() {
        return None;
    }
    let message = format!(
        "the thread waits on {name}, who has written nothing here; in backticks it is not a name, and `@agent` asks an agent"
    );
    Some(FileDiagnostic::new(Code::ReviewUnknownName, &thread.path, None, message))
}
