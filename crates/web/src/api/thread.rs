//! What is done to one thread.

use std::sync::Arc;

use axum::extract::State;
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::json;
use skein_format::id::is_file_stem;
use skein_model::view::{ThreadView, WriteResult};
use skein_review::{CommentError, EditableComment, ReplyOptions};

use super::{Done, Nothing, find};
use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, PathParams};
use crate::site::AppState;

type Answer = Result<Json<Done<WriteResult>>, WebError>;

/// Applies something to a thread and takes in what it did.
async fn act(
    site: Arc<AppState>,
    id: String,
    action: impl FnOnce(&AppState, &ThreadView) -> Result<WriteResult, WebError> + Send + 'static,
) -> Answer {
    site.run(move |site| {
        let view = find(site, &id)?;
        let written = action(site, &view);
        site.wrote();
        placed(site, vec![written?])
    })
    .await
}

/// Answers with a thread that was written, at the place where its code is now.
fn placed(site: &AppState, mut written: Vec<WriteResult>) -> Answer {
    skein_catalog::placed::place_written(&site.desk.workspace(), &site.env, &mut written);
    Done::one(written, Vec::new()).map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    body: String,
    #[serde(default)]
    resolve: bool,
    #[serde(default)]
    keep_resolved: bool,
}

/// Answers in a thread.
pub(super) async fn reply(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(sent): JsonBody<Reply>,
) -> Answer {
    act(site, id, move |site, view| {
        let body = said(&sent.body)?;
        let workspace = site.desk.workspace();
        let options = ReplyOptions { resolve: sent.resolve, keep_resolved: sent.keep_resolved };
        Ok(skein_review::reply(&workspace, &site.env, &site.actor, &view.row.file, body, options)?)
    })
    .await
}

/// Resolves a thread.
pub(super) async fn resolve(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> Answer {
    act(site, id, |site, view| {
        published(view)?;
        let workspace = site.desk.workspace();
        Ok(skein_review::resolve(&workspace, &site.env, &site.actor, &view.row.file, None)?)
    })
    .await
}

/// Reopens a thread.
pub(super) async fn reopen(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> Answer {
    act(site, id, |site, view| {
        published(view)?;
        let workspace = site.desk.workspace();
        Ok(skein_review::reopen(&workspace, &site.env, &site.actor, &view.row.file, None)?)
    })
    .await
}

/// Deletes a thread or a draft; it can be brought back.
pub(super) async fn delete(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> Answer {
    act(site, id, |site, view| {
        let workspace = site.desk.workspace();
        let files = [view.row.file.clone()];
        let written = skein_review::delete(&workspace, &site.env, &files)?;
        written.into_iter().next().ok_or_else(WebError::broken)
    })
    .await
}

/// Brings back a thread or a draft that was deleted.
pub(super) async fn restore(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> Answer {
    site.run(move |site| {
        if !is_file_stem(&id) {
            return Err(WebError::no_thread(&id));
        }
        let mut written = Vec::new();
        let done = skein_review::restore(&site.desk.workspace(), &site.env, &[id], &mut written);
        site.wrote();
        done?;
        placed(site, written)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// What the comment said when the edit began.
    was: String,
    body: String,
}

/// Changes the text of a comment of one's own, if it still says what it did.
pub(super) async fn edit(
    State(site): State<Arc<AppState>>,
    PathParams((id, comment)): PathParams<(String, String)>,
    JsonBody(sent): JsonBody<Edit>,
) -> Answer {
    act(site, id, move |site, view| {
        let body = said(&sent.body)?;
        let (workspace, file) = (site.desk.workspace(), &view.row.file);
        let (env, actor) = (&site.env, &site.actor);
        let current = || skein_review::editable(&workspace, env, actor, file, Some(&comment));
        // Says whether there is such a comment, and whose it is.
        current()?;
        let old = EditableComment { comment: comment.clone(), body: sent.was };
        match skein_review::edit(&workspace, env, actor, file, &old, body) {
            Err(error @ CommentError::Changed { .. }) => {
                let theirs = current()?.body;
                let conflict = json!({ "yours": body, "theirs": theirs, "was": old.body });
                Err(WebError::from(error).conflict(conflict))
            }
            done => Ok(done?),
        }
    })
    .await
}

/// Makes sure that a comment says something.
fn said(body: &str) -> Result<&str, WebError> {
    if body.trim().is_empty() {
        let error = WebError::new(StatusCode::BAD_REQUEST, "the comment is empty");
        return Err(error.hint("say something, or leave it be"));
    }
    Ok(body.trim_end())
}

/// Makes sure that others have seen a thread.
fn published(view: &ThreadView) -> Result<(), WebError> {
    if view.row.status.as_deref() == Some("draft") {
        let error = WebError::new(StatusCode::CONFLICT, "this comment is a draft still");
        return Err(error.hint("submit the review first, or delete the draft"));
    }
    Ok(())
}
