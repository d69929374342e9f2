//! New threads and drafts.

use std::sync::Arc;

use axum::extract::State;
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::json;
use skein_model::view::WriteResult;
use skein_review::{AddOptions, CodeLocation, NewThread};

use super::Done;
use crate::error::WebError;
use crate::json::Json;
use crate::request::JsonBody;
use crate::site::AppState;

/// A comment to start a thread with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewComment {
    path: String,
    /// The first and the last line, counted from 1; none for the whole file.
    lines: Option<(u32, u32)>,
    body: String,
    suggestion: Option<String>,
    /// The text of the commented lines as the writer saw them.
    expect: Option<String>,
    #[serde(default)]
    draft: bool,
}

/// Starts a thread, or keeps it aside as a draft.
pub(super) async fn add(
    State(site): State<Arc<AppState>>,
    JsonBody(new): JsonBody<NewComment>,
) -> Result<Json<Done<WriteResult>>, WebError> {
    site.run(move |site| {
        check(site, &new)?;
        let workspace = site.desk.workspace();
        let place = CodeLocation::new(&workspace, &site.env, &new.path, new.lines)?;
        // The engine looks once more, at the moment of writing, and is content with the first line.
        let expect = new.lines.and(new.expect.as_deref()).and_then(|text| text.lines().next());
        let thread = NewThread {
            place,
            body: new.body,
            suggestion: new.suggestion,
            expect: expect.map(str::to_owned),
        };
        let changed_only = skein_review::changed_only(&workspace);
        let options = AddOptions { draft: new.draft, changed_only };
        let added = skein_review::add(&workspace, &site.env, &site.actor, &[thread], options);
        site.wrote();
        let added = added?;
        Done::one(added.threads, added.notes).map(Json)
    })
    .await
}

/// Makes sure that the path is a plain one, and that the lines are those that the writer saw.
fn check(site: &AppState, new: &NewComment) -> Result<(), WebError> {
    let text = site.desk.file(&new.path)?;
    let (Some((first, last)), Some(was)) = (new.lines, &new.expect) else { return Ok(()) };
    let numbered = (1..).zip(&text.lines).filter(|(number, _)| (first..=last).contains(number));
    let now: Vec<&str> = numbered.map(|(_, line): (u32, _)| line.as_str()).collect();
    let split = was.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    // A program may end the last line too; a page does not, so that a blank line is one.
    if split.eq(now.iter().copied()) || was.lines().eq(now.iter().copied()) {
        return Ok(());
    }
    let message = "the lines were changed since they were shown, so the comment was not added";
    let error = WebError::new(StatusCode::CONFLICT, message)
        .hint("look at the lines as they are now, and comment on those");
    Err(error.conflict(json!({ "was": was, "now": now.join("\n") })))
}
