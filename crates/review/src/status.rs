//! Resolves and reopens threads.

use skein_format::review::{RESOLVE_PROPOSAL, ReviewDoc, Status};
use skein_model::view::WriteResult;
use skein_workspace::{Actor, Env, Workspace};

use super::comment::{ReplyOptions, append, new_comment, reply_following, secret};
use super::index::{self, Event, Following};
use super::permission::may_resolve;
use super::update::{WrittenThread, load, update};
use super::write_error::WriteError;
use super::{open, write_result};

/// Resolves a thread.
///
/// An agent's resolve carries a comment, so that the reviewer sees who thinks it settled. Where agents may not
/// resolve, that comment proposes it, and the reviewer accepts by resolving the thread.
pub fn resolve(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: Option<&str>,
) -> Result<WriteResult, WriteError> {
    let change = Change { status: Status::Resolved, body, following: Following::Now };
    settle_one(workspace, env, actor, id, change)
}

/// Reopens a thread.
pub fn reopen(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: Option<&str>,
) -> Result<WriteResult, WriteError> {
    let change = Change { status: Status::Open, body, following: Following::Now };
    settle_one(workspace, env, actor, id, change)
}

/// What became of several threads.
#[derive(Debug)]
pub struct Settled {
    /// Those that were written, in their order.
    pub written: Vec<WriteResult>,
    /// Why the next one was not.
    pub error: Option<WriteError>,
}

/// Resolves or reopens threads one after the other, until one cannot be written; the index follows once.
pub fn settle(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    ids: &[String],
    body: Option<&str>,
    status: Status,
) -> Settled {
    let change = Change { status, body, following: Following::Later };
    let mut settled = Settled { written: Vec::new(), error: None };
    for id in ids {
        match settle_one(workspace, env, actor, id, change) {
            Ok(one) => settled.written.push(one),
            Err(error) => {
                settled.error = Some(error);
                break;
            }
        }
    }
    match index::follow_written(workspace, env, &settled.written) {
        Ok(stale) => settled.written.iter_mut().rev().take(1).for_each(|last| {
            last.diagnostics.extend(stale.iter().cloned());
        }),
        Err(error) => settled.error = settled.error.or(Some(error)),
    }
    settled
}

/// What is done with a thread.
#[derive(Clone, Copy)]
struct Change<'a> {
    status: Status,
    /// The last word on it.
    body: Option<&'a str>,
    following: Following,
}

fn settle_one(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    change: Change<'_>,
) -> Result<WriteResult, WriteError> {
    if change.status == Status::Open {
        return set(workspace, env, actor, id, change, None);
    }
    if may_resolve(workspace, actor) {
        let otherwise = actor.agent.then_some("Resolved.");
        return set(workspace, env, actor, id, change, otherwise);
    }
    let (reviews, path) = open::published(workspace, env, id)?;
    let doc = load(&reviews, &path)?.0;
    match (change.body, doc.head().status) {
        (None, Status::Resolved) => Ok(write_result::from_doc(&path, &doc, "unchanged")),
        (None, Status::Open) if proposes(&doc) => {
            Ok(write_result::from_doc(&path, &doc, "proposed"))
        }
        (body, _) => {
            let options = ReplyOptions { resolve: true, keep_resolved: true };
            let (file, body) = (path.display().to_string(), body.unwrap_or_default());
            reply_following(workspace, env, actor, &file, body, (options, change.following))
        }
    }
}

/// Returns whether the last comment proposes to resolve the thread.
fn proposes(doc: &ReviewDoc) -> bool {
    let comments = doc.comments();
    comments.last().is_some_and(|last| last.body.ends_with(RESOLVE_PROPOSAL))
}

/// Sets the status; `otherwise` is what to say where nothing is said and something changes.
fn set(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    change: Change<'_>,
    otherwise: Option<&'static str>,
) -> Result<WriteResult, WriteError> {
    let (reviews, path) = open::to_get_status(workspace, env, id, change.status)?;
    let guard = open::of_thread(env, &reviews, &path)?;
    let before = load(&reviews, &path)?.0;
    let action = match change.status {
        status if status == before.head().status && change.body.is_none() => {
            return Ok(write_result::from_doc(&path, &before, "unchanged"));
        }
        status if status == before.head().status => "replied",
        Status::Resolved => "resolved",
        Status::Open => "reopened",
    };
    // A proposal that was accepted would stand again, if nothing were said against it.
    let declines = change.status == Status::Open && proposes(&before);
    let otherwise = if declines { Some("Reopened.") } else { otherwise };
    let body = change.body.or(otherwise);
    let comment = body.map(|body| new_comment(env, actor, body, &before));
    let now = comment.as_ref().map_or_else(|| env.clock.now(), |comment| comment.created_at);
    let done = update(env, &reviews, &guard, &path, &|doc| {
        if let Some(comment) = &comment {
            append(doc, comment)?;
        }
        doc.set_status(change.status, now)
    })?;
    let WrittenThread { doc, diagnostics } = done;
    let stale = match change.following {
        Following::Now => {
            let event = Event::Changed(&doc);
            index::follow_one(env, &reviews, &workspace.settings, &guard, &path, event)
        }
        Following::Later => None,
    };
    let mut written = write_result::from_doc(&path, &doc, action);
    written.diagnostics.extend(diagnostics);
    written.diagnostics.extend(body.and_then(|body| secret(body, &path)));
    written.diagnostics.extend(stale);
    written.comment = comment.map(|comment| comment.id);
    Ok(written)
}
