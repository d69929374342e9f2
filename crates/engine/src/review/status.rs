//! Resolves and reopens threads.

use skein_format::review::{RESOLVE_PROPOSAL, ReviewDoc, Status};

use super::comment::{ReplyOptions, append, new_comment, reply, secret};
use super::index::{self, Event};
use super::permission::may_resolve;
use super::update::{WrittenThread, load, update};
use super::write_error::WriteError;
use super::{open, written};
use crate::actor::Actor;
use crate::discover::Workspace;
use crate::env::Env;
use crate::view::Written;

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
) -> Result<Written, WriteError> {
    if may_resolve(workspace, actor) {
        let otherwise = actor.agent.then_some("Resolved.");
        let said = Said { body, otherwise };
        return set(workspace, env, actor, id, said, Status::Resolved);
    }
    let (reviews, path) = open::thread(workspace, env, id)?;
    let doc = load(&reviews, &path)?.0;
    match (body, doc.head().status) {
        (None, Status::Resolved) => Ok(written::of(&path, &doc, "unchanged")),
        (None, Status::Open) if proposes(&doc) => Ok(written::of(&path, &doc, "proposed")),
        _ => {
            let options = ReplyOptions { resolve: true, keep_resolved: true };
            let file = path.display().to_string();
            reply(workspace, env, actor, &file, body.unwrap_or_default(), options)
        }
    }
}

/// Returns whether the last comment proposes to resolve the thread.
fn proposes(doc: &ReviewDoc) -> bool {
    let comments = doc.comments();
    comments.last().is_some_and(|last| last.body.ends_with(RESOLVE_PROPOSAL))
}

/// Reopens a thread.
pub fn reopen(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: Option<&str>,
) -> Result<Written, WriteError> {
    let said = Said { body, otherwise: None };
    set(workspace, env, actor, id, said, Status::Open)
}

/// The last word on a thread.
#[derive(Clone, Copy)]
struct Said<'a> {
    body: Option<&'a str>,
    /// What to say where nothing is said and something changes.
    otherwise: Option<&'static str>,
}

fn set(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    said: Said<'_>,
    status: Status,
) -> Result<Written, WriteError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let guard = open::of_thread(env, &reviews, &path)?;
    let before = load(&reviews, &path)?.0;
    let action = match status {
        status if status == before.head().status && said.body.is_none() => {
            return Ok(written::of(&path, &before, "unchanged"));
        }
        Status::Resolved => "resolved",
        Status::Open => "reopened",
    };
    // A proposal that was accepted would stand again, if nothing were said against it.
    let declines = status == Status::Open && proposes(&before);
    let otherwise = if declines { Some("Reopened.") } else { said.otherwise };
    let body = said.body.or(otherwise);
    let comment = body.map(|body| new_comment(env, actor, body, &before));
    let now = comment.as_ref().map_or_else(|| env.clock.now(), |comment| comment.created_at);
    let done = update(env, &reviews, &guard, &path, &|doc| {
        if let Some(comment) = &comment {
            append(doc, comment)?;
        }
        doc.set_status(status, now)
    })?;
    let WrittenThread { doc, diagnostics } = done;
    let event = Event::Changed(&doc);
    let stale = index::follow_one(env, &reviews, &workspace.settings, &guard, &path, event);
    let mut written = written::of(&path, &doc, action);
    written.diagnostics.extend(diagnostics);
    written.diagnostics.extend(body.and_then(|body| secret(body, &path)));
    written.diagnostics.extend(stale);
    written.comment = comment.map(|comment| comment.id);
    Ok(written)
}
