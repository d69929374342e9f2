//! Resolves and reopens threads.

use skein_format::review::Status;

use super::comment::{append, new_comment, secret};
use super::index::{self, Event};
use super::update::{WrittenThread, load, update};
use super::write_error::WriteError;
use super::{open, written};
use crate::actor::Actor;
use crate::discover::Workspace;
use crate::env::Env;
use crate::view::Written;

/// Resolves a thread.
///
/// An agent's resolve carries a comment, so that the reviewer sees who thinks it settled; where agents may not
/// resolve, the comment is all that it leaves.
pub fn resolve(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    id: &str,
    body: Option<&str>,
) -> Result<Written, WriteError> {
    let may = !actor.agent || workspace.settings.agents_may_resolve();
    let said = Said {
        body,
        otherwise: match (actor.agent, may) {
            (true, true) => Some("Resolved."),
            (true, false) => Some("I think that this is settled."),
            (false, _) => None,
        },
    };
    set(workspace, env, actor, id, said, may.then_some(Status::Resolved))
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
    set(workspace, env, actor, id, said, Some(Status::Open))
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
    status: Option<Status>,
) -> Result<Written, WriteError> {
    let (reviews, path) = open::thread(workspace, env, id)?;
    let guard = open::of_thread(env, &reviews, &path)?;
    let before = load(&reviews, &path)?.0;
    let action = match status {
        None => "proposed",
        Some(status) if status == before.head().status && said.body.is_none() => {
            return Ok(written::of(&path, &before, "unchanged"));
        }
        Some(Status::Resolved) => "resolved",
        Some(Status::Open) => "reopened",
    };
    let body = said.body.or(said.otherwise);
    let comment = body.map(|body| new_comment(env, actor, body, &before));
    let now = comment.as_ref().map_or_else(|| env.clock.now(), |comment| comment.created_at);
    let done = update(env, &reviews, &guard, &path, &|doc| {
        if let Some(comment) = &comment {
            append(doc, comment)?;
        }
        match status {
            Some(status) => doc.set_status(status, now),
            None => Ok(()),
        }
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
