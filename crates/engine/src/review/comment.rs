//! Replies, and edits of what one said.

use std::path::Path;

use skein_format::diagnostic::Code;
use skein_format::redact;
use skein_format::review::{EditError, NewComment, ReviewDoc, Status};

use super::index::{self, Event};
use super::update::{load, update};
use super::write_error::WriteError;
use super::{open, written};
use crate::actor::Actor;
use crate::discover::Workspace;
use crate::env::Env;
use crate::view::{Diag, Written};

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
    },
    /// Somebody else wrote it.
    #[error("the comment {id} is by {author}")]
    NotYours {
        /// The comment.
        id: String,
        /// Who wrote it.
        author: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Adds a comment at the end of a thread, and resolves it if that is asked for.
///
/// An agent that may not resolve only says that it would.
pub fn reply(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: &str,
    resolve: bool,
) -> Result<Written, WriteError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let guard = open::of_thread(&reviews, &path)?;
    let resolves = resolve && (!actor.agent || workspace.settings.agents_may_resolve());
    let comment = new_comment(env, actor, body, &load(&reviews, &path)?.0);
    let doc = update(&reviews, &guard, &path, &|doc| {
        append(doc, &comment)?;
        if resolves { doc.set_status(Status::Resolved, comment.created_at) } else { Ok(()) }
    })?;
    let event = if resolves { Event::Changed(&doc) } else { Event::Touched(&doc) };
    let stale = index::follow_one(&reviews, &workspace.settings, &guard, &path, event);
    let action = match (resolve, resolves) {
        (true, true) => "resolved",
        (true, false) => "proposed",
        (false, _) => "replied",
    };
    let mut written = written::of(&path, &doc, action);
    written.comment = Some(comment.id);
    written.diagnostics.extend(secret(body, &path));
    written.diagnostics.extend(stale);
    Ok(written)
}

/// Replaces the text of a comment of one's own: the one named, else the last.
pub fn edit(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    comment: Option<&str>,
    body: &str,
) -> Result<Written, CommentError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let guard = open::of_thread(&reviews, &path)?;
    let meant = own(&load(&reviews, &path)?.0, actor, comment)?;
    let now = env.clock.now();
    let doc = update(&reviews, &guard, &path, &|doc| {
        let index = doc.comments().iter().position(|other| other.id == meant);
        doc.edit_body(index.ok_or(EditError::NoComment { index: 0 })?, body, now)
    })?;
    let event = Event::Touched(&doc);
    let stale = index::follow_one(&reviews, &workspace.settings, &guard, &path, event);
    let mut written = written::of(&path, &doc, "edited");
    written.comment = Some(meant);
    written.diagnostics.extend(secret(body, &path));
    written.diagnostics.extend(stale);
    Ok(written)
}

/// Returns the text of the comment that [`edit`] would change.
pub fn editable(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    comment: Option<&str>,
) -> Result<String, CommentError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let doc = load(&reviews, &path)?.0;
    let meant = own(&doc, actor, comment)?;
    let found = doc.comments().into_iter().find(|comment| comment.id == meant);
    Ok(found.map(|comment| comment.body).unwrap_or_default())
}

fn own(doc: &ReviewDoc, actor: &Actor, wanted: Option<&str>) -> Result<String, CommentError> {
    let comments = doc.comments();
    let have = || comments.iter().map(|one| (one.id.clone(), one.author.clone())).collect();
    let Some(wanted) = wanted else {
        let last = comments.iter().rev().find(|one| one.author == actor.name);
        let author = actor.name.clone();
        let last = last.ok_or_else(|| CommentError::NothingOwn { author, have: have() })?;
        return Ok(last.id.clone());
    };
    let found = comments.iter().find(|one| one.id == wanted);
    let found = found.ok_or_else(|| CommentError::None { id: wanted.to_owned(), have: have() })?;
    if found.author == actor.name {
        return Ok(found.id.clone());
    }
    Err(CommentError::NotYours { id: found.id.clone(), author: found.author.clone() })
}

/// Makes a comment with an id that the thread does not have.
pub(super) fn new_comment(env: &Env, actor: &Actor, body: &str, doc: &ReviewDoc) -> NewComment {
    let taken = doc.comments();
    let mut id = env.ids.next();
    while taken.iter().any(|comment| comment.id == id) {
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
pub(super) fn secret(body: &str, path: &Path) -> Option<Diag> {
    let found = redact::find(body).into_iter().next()?;
    let message = format!("the comment looks as if it held a secret (rule `{}`)", found.rule);
    Some(Diag::new(Code::Secret, &path.display().to_string(), None, message))
}

pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
