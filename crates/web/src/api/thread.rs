//! Writes to one thread.

use serde::Deserialize;
use serde_json::json;
use skein_catalog::ThreadRef;
use skein_format::id::is_file_stem;
use skein_format::review::Status;
use skein_model::view::{ThreadView, WriteResult};
use skein_review::{CommentError, EditableComment, ReplyOptions, set_status};
use skein_workspace::Actor;

use super::{JsonResult, NoFields, WithNotes, conflict, find};
use crate::app_state::AppState;
use crate::auth::Signer;
use crate::error::WebError;
use crate::request::{JsonBody, PathParams, bad_request};

type Written = JsonResult<WithNotes<WriteResult>>;
type IdOnly = (PathParams<String>, JsonBody<NoFields>);
type SignedIdOnly = (Signer, PathParams<String>, JsonBody<NoFields>);

/// Writes to a thread, and returns it with the current location of its code.
fn write(
    app: &AppState,
    id: &str,
    operation: impl FnOnce(&ThreadView, &ThreadRef) -> Result<WriteResult, WebError>,
) -> Written {
    let view = find(app, id)?;
    let thread = ThreadRef::from_row(&app.live.workspace(), &view.row);
    let written = operation(&view, &thread);
    app.reviews_changed();
    WithNotes::first(vec![written?], Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyRequest {
    body: String,
    #[serde(default)]
    resolve: bool,
    #[serde(default)]
    keep_resolved: bool,
}

pub(super) fn reply(
    app: &AppState,
    (Signer(actor), PathParams(id), JsonBody(sent)): (
        Signer,
        PathParams<String>,
        JsonBody<ReplyRequest>,
    ),
) -> Written {
    write(app, &id, |view, thread| {
        check_draft(view, &actor)?;
        let body = comment_text(&sent.body)?;
        let workspace = app.live.workspace();
        let options = ReplyOptions { resolve: sent.resolve, keep_resolved: sent.keep_resolved };
        Ok(skein_review::reply(&workspace, &actor, thread, body, options)?)
    })
}

pub(super) fn resolve(app: &AppState, (Signer(actor), PathParams(id), _): SignedIdOnly) -> Written {
    write(app, &id, |view, thread| {
        check_published(view)?;
        let workspace = app.live.workspace();
        let status = Status::Resolved;
        Ok(set_status(&workspace, &actor, thread, None, status)?)
    })
}

pub(super) fn reopen(app: &AppState, (Signer(actor), PathParams(id), _): SignedIdOnly) -> Written {
    write(app, &id, |view, thread| {
        check_published(view)?;
        let workspace = app.live.workspace();
        Ok(set_status(&workspace, &actor, thread, None, Status::Open)?)
    })
}

/// Moves a thread or a draft to the trash.
pub(super) fn delete(app: &AppState, (Signer(actor), PathParams(id), _): SignedIdOnly) -> Written {
    write(app, &id, |_, thread| {
        let threads = std::slice::from_ref(thread);
        skein_review::check_delete(&actor, threads)?;
        let written = skein_review::delete(&app.live.workspace(), threads)?;
        written.into_iter().next().ok_or_else(WebError::broken)
    })
}

/// Restores a thread or a draft from the trash.
pub(super) fn restore(app: &AppState, (PathParams(id), _): IdOnly) -> Written {
    if !is_file_stem(&id) {
        return Err(WebError::no_thread(&id));
    }
    let mut written = Vec::new();
    let done = skein_review::restore(&app.live.workspace(), &[id], &mut written);
    app.reviews_changed();
    done?;
    WithNotes::first(written, Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditRequest {
    /// The text of the comment when the edit began.
    was: String,
    body: String,
}

/// Edits a comment of the reader, if it still has the text that the edit began with.
pub(super) fn edit(
    app: &AppState,
    (Signer(actor), PathParams((id, comment)), JsonBody(sent)): (
        Signer,
        PathParams<(String, String)>,
        JsonBody<EditRequest>,
    ),
) -> Written {
    write(app, &id, |view, thread| {
        check_draft(view, &actor)?;
        let body = comment_text(&sent.body)?;
        let (workspace, actor) = (app.live.workspace(), &actor);
        let current = || skein_review::editable(&workspace, actor, thread, Some(&comment));
        // Fails if there is no such comment, or if it is by another author.
        current()?;
        let old = EditableComment { comment: comment.clone(), body: sent.was };
        match skein_review::edit(&workspace, actor, thread, &old, body) {
            Err(error @ CommentError::Changed { .. }) => {
                let theirs = current()?.body;
                let texts = json!({ "yours": body, "theirs": theirs, "was": old.body });
                Err(WebError::from(error).conflict(texts))
            }
            done => Ok(done?),
        }
    })
}

fn comment_text(body: &str) -> Result<&str, WebError> {
    if body.trim().is_empty() {
        return Err(bad_request("the comment is empty", "enter a text or cancel"));
    }
    Ok(body.trim_end())
}

/// Refuses a program or agent the drafts of the user.
fn check_draft(view: &ThreadView, actor: &Actor) -> Result<(), WebError> {
    if actor.agent { check_published(view) } else { Ok(()) }
}

fn check_published(view: &ThreadView) -> Result<(), WebError> {
    if view.row.status.as_deref() == Some("draft") {
        let hint = "submit the review first, or delete the draft";
        return Err(conflict("this comment is still a draft", hint));
    }
    Ok(())
}
