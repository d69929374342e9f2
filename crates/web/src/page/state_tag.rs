//! The state of the code of a thread, as a tag.

use askama::Template;
use skein_model::sanitize::one_line;
use skein_model::view::{PlacementState, ThreadRow};

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
    pub(crate) fn new(row: &ThreadRow, state: Option<PlacementState>) -> Self {
        match row.review().and_then(|detail| detail.other_branch()).map(one_line) {
            Some(branch) => {
                Self { class: "other-branch", text: format!("on {branch}"), branch: Some(branch) }
            }
            None => Self {
                class: state.map_or("", PlacementState::as_str),
                text: state.map_or("", words).to_owned(),
                branch: None,
            },
        }
    }
}

fn words(state: PlacementState) -> &'static str {
    match state {
        PlacementState::Exact => "",
        PlacementState::Shifted => "moved with its lines",
        PlacementState::Edited => "code was edited",
        PlacementState::Moved => "code was moved here",
        PlacementState::Gone => "code is gone",
        PlacementState::Unverified => "location not verified",
        PlacementState::NotCheckedOut => "file is not checked out",
    }
}
