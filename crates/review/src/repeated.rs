//! Recognises a reply that is sent again, because its sender got no answer the first time.

use std::time::Duration;

use skein_catalog::ThreadRef;
use skein_format::review::{Comment, NewComment, ReviewDoc, Status};
use skein_format::time::Time;
use skein_workspace::{Actor, Env};

use super::permission::proposal;
use super::update::load;
use super::write_error::WriteError;

/// Time within which the same reply again is a repetition.
const REPEAT_INTERVAL: Duration = Duration::from_secs(10 * 60);

/// Returns whether a thread already has this reply, with its effect on the status, if any.
pub fn is_repeated(
    env: &Env,
    actor: &Actor,
    thread: &ThreadRef,
    body: &str,
    status: Option<Status>,
) -> Result<bool, WriteError> {
    let doc = load(thread)?.0;
    let now = env.clock.now();
    let age = |at: Time| Duration::from_millis(now.as_millis().abs_diff(at.as_millis()));
    let is_recent = |one: &Comment| one.created_at.is_some_and(|at| age(at) <= REPEAT_INTERVAL);
    let comments = doc.comments();
    // What others wrote since can be a reason to say the same again.
    let own = comments.iter().rev().take_while(|one| one.author == actor.name && is_recent(one));
    // A change of the status belongs to the last comment.
    let own = own.take(if status.is_some() { 1 } else { usize::MAX });
    let own: Vec<&str> = own.map(|one| one.body.as_str()).collect();
    let has = |body: &str| own.contains(&as_written(&doc, actor, body, now).as_str());
    let is_proposed = status == Some(Status::Resolved) && has(&proposal(Some(body)));
    let has_status = status.is_none_or(|status| doc.head().status == status);
    Ok(is_proposed || (has_status && has(body)))
}

/// Returns a text as the thread would have it: line ends and empty lines are normalised.
fn as_written(doc: &ReviewDoc, actor: &Actor, body: &str, now: Time) -> String {
    let mut copy = doc.clone();
    let (id, author) = ("repeated".to_owned(), actor.name.clone());
    let comment = NewComment { id, author, created_at: now, body: body.to_owned() };
    match copy.append_comment(&comment) {
        Ok(()) => copy.comments().last().map(|last| last.body.clone()).unwrap_or_default(),
        Err(_) => body.to_owned(),
    }
}
