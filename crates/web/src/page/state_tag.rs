//! The state of the code of a thread, as a tag.

use askama::Template;
use skein_model::sanitize::one_line;
use skein_model::view::{PlacementView, ThreadRow};

/// The state of the code of a thread; empty if it is unchanged.
#[derive(Default, Template)]
#[template(path = "state_tag.html")]
pub(crate) struct StateTag {
    class: &'static str,
    text: String,
    /// The branch on which the code may be, if another one is checked out.
    pub(crate) branch: Option<String>,
}

impl StateTag {
    pub(crate) fn new(row: &ThreadRow, state: &'static str) -> Self {
        match row.review().and_then(|detail| detail.other_branch()).map(one_line) {
            Some(branch) => {
                Self { class: "other-branch", text: format!("on {branch}"), branch: Some(branch) }
            }
            None => Self { class: state, text: words(state).to_owned(), branch: None },
        }
    }
}

fn words(state: &str) -> &'static str {
    match state {
        "shifted" => "moved with its lines",
        "edited" => "code was edited",
        "moved" => "code was moved here",
        "gone" => "code is gone",
        "unverified" => "location not verified",
        PlacementView::NOT_CHECKED_OUT => "file is not checked out",
        _ => "",
    }
}
