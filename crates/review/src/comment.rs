//! Replies, and edits of what one said.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use skein_catalog::rows::review;
use skein_catalog::{WorktreeScope, list};
use skein_format::diagnostic::Code;
use skein_format::redact;
use skein_format::review::{Comment, EditError, NewComment, ReviewDoc, Status};
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::person_names::is_name_of;
use skein_model::view::{FileDiagnostic, RowDetail, WriteResult};
use skein_model::{Filter, Kind};
use skein_workspace::agent_names::is_agent;
use skein_workspace::{Actor, Env, ReviewStore, Workspace};

use super::index::{self, Event, Following};
use super::permission::{may_resolve, proposal};
use super::update::{WrittenThread, load, update};
use super::write_error::WriteError;
use super::{open, write_result};

/// Why a comment was not edited.
#[derive(Debug, thiserror::Error)]
pub enum CommentError {
    /// The thread has no such comment.
    #[error("the thread has no comment {id}")]
    None {
        /// The comment.
        id: String,
        /// Those that the thread has, with their authors.
        have: Vec<(String, String)>,
    },
    /// There is nothing of one's own to edit.
    #[error("{author} has said nothing in this thread")]
    NothingOwn {
        /// Who asks.
        author: String,
        /// Who has said something.
        have: Vec<(String, String)>,
        /// The names that the author may have signed with before.
        signed: Vec<String>,
        /// The thread.
        thread: String,
    },
    /// Somebody else wrote it.
    #[error("the comment {id} is by {author}")]
    NotYours {
        /// The comment.
        id: String,
        /// Who wrote it.
        author: String,
        /// Whether the one who asks may have signed so before.
        may_be_own: bool,
        /// The thread.
        thread: String,
    },
    /// It says something else than it did when the edit began.
    #[error("the comment {id} was changed meanwhile")]
    Changed {
        /// The comment.
        id: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What a reply does to the status of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyOptions {
    /// Resolves the thread too; an agent that may not resolve proposes it.
    pub resolve: bool,
    /// Leaves a resolved thread resolved; else a person's reply opens it again, because it may be an objection.
    pub keep_resolved: bool,
}

/// Adds a comment at the end of a thread, and changes its status as the options say.
pub fn reply(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: &str,
    options: ReplyOptions,
) -> Result<WriteResult, WriteError> {
    reply_following(workspace, env, actor, id, body, (options, Following::Now))
}

/// Replies, and lets the index follow now or later.
pub(super) fn reply_following(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: &str,
    (options, following): (ReplyOptions, Following),
) -> Result<WriteResult, WriteError> {
    // What is added to a draft is submitted with it, but its status must be one that an agent sees.
    let find = if options.resolve { open::published } else { open::thread };
    let (reviews, path) = find(workspace, env, id)?;
    let guard = open::of_thread(env, &reviews, &path)?;
    let resolves = options.resolve && may_resolve(workspace, actor);
    let before = load(&reviews, &path)?.0;
    let is_resolved = |doc: &ReviewDoc| doc.head().status == Status::Resolved;
    let proposes = options.resolve && !resolves && !is_resolved(&before);
    let text = if proposes { proposal(Some(body)) } else { body.to_owned() };
    let comment = new_comment(env, actor, &text, &before);
    let reopens = !actor.agent && !options.resolve && !options.keep_resolved;
    let changes = Cell::new(false);
    let done = update(env, &reviews, &guard, &path, &|doc| {
        let reopens = reopens && is_resolved(doc);
        changes.set(resolves || reopens);
        append(doc, &comment)?;
        match (resolves, reopens) {
            (true, _) => doc.set_status(Status::Resolved, comment.created_at),
            (_, true) => doc.set_status(Status::Open, comment.created_at),
            // One time for the comment and the change would mean that the agent has resolved it.
            _ if actor.agent && is_resolved(doc) => doc.touch(just_after(comment.created_at)),
            _ => Ok(()),
        }
    })?;
    let WrittenThread { doc, diagnostics } = done;
    let event = if changes.get() { Event::Changed(&doc) } else { Event::Touched(&doc) };
    let stale = match following {
        Following::Now => {
            index::follow_one(env, &reviews, &workspace.settings, &guard, &path, event)
        }
        Following::Later => None,
    };
    let action = match (resolves, proposes, changes.get()) {
        (true, ..) => "resolved",
        (_, true, _) => "proposed",
        (_, _, true) => "reopened",
        _ => "replied",
    };
    let mut written = write_result::from_doc(&path, &doc, action);
    written.comment = Some(comment.id);
    written.diagnostics.extend(diagnostics);
    written.diagnostics.extend(secret(body, &path));
    written.diagnostics.extend(unknown_name(workspace, env, (&reviews, &path), &doc));
    written.diagnostics.extend(stale);
    Ok(written)
}

fn just_after(time: Time) -> Time {
    Time::from_millis(time.as_millis() + 1)
}

/// Replaces the text of a comment of one's own that [`editable`] gave.
///
/// A comment that says something else by now, other than this very text, stays as it is.
pub fn edit(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    old: &EditableComment,
    body: &str,
) -> Result<WriteResult, CommentError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let guard = open::of_thread(env, &reviews, &path)?;
    let is_meant = |other: &Comment| other.id == old.comment && other.author == actor.name;
    let changed = Cell::new(false);
    let now = env.clock.now();
    let done = update(env, &reviews, &guard, &path, &|doc| {
        let comments = doc.comments();
        let index = comments.iter().position(is_meant).ok_or(EditError::NoComment { index: 0 })?;
        let said = comments.get(index).map(|comment| comment.body.as_str());
        changed.set(said != Some(&old.body) && said != Some(body));
        if changed.get() {
            Err(EditError::NoComment { index })
        } else {
            doc.edit_body(index, body, now)
        }
    });
    if changed.get() {
        return Err(CommentError::Changed { id: old.comment.clone() });
    }
    let WrittenThread { doc, diagnostics } = done?;
    let event = Event::Touched(&doc);
    let stale = index::follow_one(env, &reviews, &workspace.settings, &guard, &path, event);
    let mut written = write_result::from_doc(&path, &doc, "edited");
    written.comment = Some(old.comment.clone());
    written.diagnostics.extend(diagnostics);
    written.diagnostics.extend(secret(body, &path));
    written.diagnostics.extend(unknown_name(workspace, env, (&reviews, &path), &doc));
    written.diagnostics.extend(stale);
    Ok(written)
}

/// A comment that may be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditableComment {
    /// Its id.
    pub comment: String,
    /// What it says.
    pub body: String,
}

/// Finds a comment of one's own: the one named, else the last.
pub fn editable(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    comment: Option<&str>,
) -> Result<EditableComment, CommentError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    // A person may have another name in git by now. An agent has one name, and is never a person.
    let may_be_own = |author: &str| !actor.agent && !is_agent(author, &workspace.settings);
    own((&load(&reviews, &path)?.0, &stem(&path)), actor, comment, &may_be_own)
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
        // Of several with one id the first is the one that an edit finds.
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

/// Makes a comment with an id that the thread does not have.
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

/// Appends a comment, unless it is there already.
pub(super) fn append(doc: &mut ReviewDoc, comment: &NewComment) -> Result<(), EditError> {
    match doc.append_comment(comment) {
        Err(EditError::TakenId { .. }) => Ok(()),
        done => done,
    }
}

/// Warns of a text that looks as if it held a secret.
pub(super) fn secret(body: &str, path: &Path) -> Option<FileDiagnostic> {
    let found = redact::find(body).into_iter().next()?;
    let message = format!("the comment looks as if it held a secret (rule `{}`)", found.rule);
    Some(FileDiagnostic::new(Code::Secret, &path.display().to_string(), None, message))
}

/// Warns where a thread waits on a name that has written nothing here: it may be a word of code, or mistyped.
pub(super) fn unknown_name(
    workspace: &Workspace,
    env: &Env,
    (reviews, path): (&ReviewStore, &Path),
    doc: &ReviewDoc,
) -> Option<FileDiagnostic> {
    let file = path.display().to_string();
    let row = review::row(doc.to_bytes(), &stem(path), &file, reviews, &workspace.settings);
    let RowDetail::Review(detail) = row.detail else { return None };
    let name = detail.waiting_on_name.filter(|_| detail.waiting_on == Some("reviewer"))?;
    let is_known = |author: &str| is_name_of(&name, author);
    if doc.comments().iter().any(|comment| is_known(&comment.author)) {
        return None;
    }
    let by =
        Filter { kind: Some(Kind::Review), author: Some(name.to_string()), ..Filter::default() };
    if !list(workspace, env, &by, WorktreeScope::AllWorktrees).threads.is_empty() {
        return None;
    }
    let message = format!(
        "the thread waits on {name}, who has written nothing here; in backticks it is no name, and `@agent` asks an agent"
    );
    Some(FileDiagnostic::new(Code::ReviewUnknownName, &file, None, message))
}
