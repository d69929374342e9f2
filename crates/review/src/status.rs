//! Resolves and reopens threads.

use std::slice;

use skein_catalog::{FindError, ThreadRef};
use skein_format::review::{RESOLVE_PROPOSAL, ReviewDoc, Status};
use skein_model::view::{WriteAction, WriteResult};
use skein_workspace::{Actor, Workspace};

use super::comment::{ReplyOptions, append, new_comment, secret, write_reply};
use super::find::check_published;
use super::permission::may_resolve;
use super::update::{load, update};
use super::write_error::WriteError;
use super::write_result::{Written, placed};
use super::{index, open};

/// Resolves or reopens a thread.
///
/// An agent that resolves adds a comment, so that the reviewer sees it. If agents may not resolve, the comment is a proposal, and the
/// reviewer accepts it by resolving the thread.
pub fn set_status(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    body: Option<&str>,
    status: Status,
) -> Result<WriteResult, WriteError> {
    let settled = settle(workspace, actor, slice::from_ref(thread), body, status);
    let SettleResult { mut written, error } = settled;
    match (written.pop(), error) {
        (Some(written), None) => Ok(written),
        (_, Some(error)) => Err(error),
        (None, None) => Err(FindError::Nothing.into()),
    }
}

/// The result of changing the status of several threads.
#[derive(Debug)]
pub struct SettleResult {
    /// The threads that were written, in order.
    pub written: Vec<WriteResult>,
    /// The error of the next thread, if any.
    pub error: Option<WriteError>,
}

/// Resolves or reopens threads in order until one cannot be written; updates the index once.
pub fn settle(
    workspace: &Workspace,
    actor: &Actor,
    threads: &[ThreadRef],
    body: Option<&str>,
    status: Status,
) -> SettleResult {
    let (mut all, mut error) = (Vec::new(), None);
    for thread in threads {
        match write_status(workspace, actor, thread, (body, status)) {
            Ok(one) => all.push(one),
            Err(failed) => {
                error = Some(failed);
                break;
            }
        }
    }
    let followed = index::follow_all(workspace, &mut all);
    SettleResult { written: placed(workspace, &all), error: error.or(followed.err()) }
}

fn write_status(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    (body, status): (Option<&str>, Status),
) -> Result<Written, WriteError> {
    let env = &workspace.env;
    check_published(thread)?;
    let guard = open::of_written_thread(env, thread)?;
    let before = load(thread)?.0;
    let is_same = before.head().status == status;
    let unwritten = |action| Ok(Written::new(thread.clone(), before.clone(), action));
    if is_same && body.is_none() {
        return unwritten(WriteAction::Unchanged);
    }
    if status == Status::Resolved && !may_resolve(workspace, actor) {
        if body.is_none() && proposes(&before) {
            return unwritten(WriteAction::Proposed);
        }
        let options = ReplyOptions { resolve: true, keep_resolved: true };
        let body = body.unwrap_or_default();
        return write_reply(workspace, actor, (thread, &guard), body, options);
    }
    let action = match status {
        _ if is_same => WriteAction::Replied,
        Status::Resolved => WriteAction::Resolved,
        Status::Open => WriteAction::Reopened,
    };
    let default = match status {
        // Without a comment after it, an accepted proposal would be pending again.
        Status::Open => proposes(&before).then_some("Reopened."),
        Status::Resolved => actor.agent.then_some("Resolved."),
    };
    let body = body.or(default);
    let comment = body.map(|body| new_comment(env, actor, body, &before));
    let now = comment.as_ref().map_or_else(|| env.clock.now(), |comment| comment.created_at);
    let (doc, diagnostics) = update(env, thread, &guard, &|doc| {
        if let Some(comment) = &comment {
            append(doc, comment)?;
        }
        doc.set_status(status, now)
    })?;
    let mut written = Written::new(thread.clone(), doc, action);
    written.report(diagnostics);
    written.report(body.and_then(|body| secret(body, &thread.path)));
    written.result.comment = comment.map(|comment| comment.id);
    Ok(written)
}

/// Returns whether the last comment proposes to resolve the thread.
fn proposes(doc: &ReviewDoc) -> bool {
    let comments = doc.comments();
    comments.last().is_some_and(|last| last.body.ends_with(RESOLVE_PROPOSAL))
}
