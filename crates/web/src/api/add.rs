//! New threads and drafts.

use serde::Deserialize;
use serde_json::json;
use skein_model::view::WriteResult;
use skein_review::{AddOptions, CodeLocation, NewThread};

use super::{JsonResult, WithNotes, conflict};
use crate::app_state::AppState;
use crate::auth::Signer;
use crate::error::WebError;
use crate::request::{JsonBody, bad_request};

/// A comment that starts a thread.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstComment {
    path: String,
    /// The first and the last line, counted from 1; none for a comment on the file.
    lines: Option<(u32, u32)>,
    body: String,
    suggestion: Option<String>,
    /// The text of the lines as the author saw them.
    expect: Option<String>,
    #[serde(default)]
    draft: bool,
}

/// Starts a thread, or saves it as a draft.
pub(super) fn add(
    app: &AppState,
    (Signer(actor), JsonBody(new)): (Signer, JsonBody<FirstComment>),
) -> JsonResult<WithNotes<WriteResult>> {
    if actor.agent && new.draft {
        return Err(bad_request("only the user has drafts", "leave out `draft`"));
    }
    check_lines(app, &new)?;
    let workspace = app.live.workspace();
    let place = CodeLocation::new(&workspace, &new.path, new.lines)?;
    // The first line is checked again when the thread is written.
    let expect = new.lines.and(new.expect.as_deref()).and_then(|text| text.lines().next());
    let thread = NewThread {
        place,
        body: new.body,
        suggestion: new.suggestion,
        expect: expect.map(str::to_owned),
    };
    let changed_only = skein_review::changed_only(&workspace);
    let options = AddOptions { draft: new.draft, changed_only };
    let added = skein_review::add(&workspace, &actor, &[thread], options);
    app.reviews_changed();
    let added = added?;
    WithNotes::first(added.threads, added.notes)
}

/// Refuses an invalid path, and lines that have changed since the author saw them.
fn check_lines(app: &AppState, new: &FirstComment) -> Result<(), WebError> {
    let text = app.live.file(&new.path)?;
    let (Some((first, last)), Some(was)) = (new.lines, &new.expect) else { return Ok(()) };
    let numbered = (1..).zip(&text.lines).filter(|(number, _)| (first..=last).contains(number));
    let now: Vec<&str> = numbered.map(|(_, line): (u32, _)| line.as_str()).collect();
    let split = was.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    // A program may end the last line with a newline. A page does not, so there a final newline is an empty line.
    if split.eq(now.iter().copied()) || was.lines().eq(now.iter().copied()) {
        return Ok(());
    }
    let message = "the lines have changed since they were shown, so the comment was not added";
    let error = conflict(message, "look at the lines as they are now, and comment on those");
    Err(error.conflict(json!({ "was": was, "now": now.join("\n") })))
}
