//! The state of the code of a thread, as a tag.

use askama::Template;
use skein_model::sanitize::one_line;
use skein_model::view::{PlacementState, PlacementView, ThreadRow};

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
    pub(crate) fn new(row: &ThreadRow, place: Option<&PlacementView>) -> Self {
        match row.review().and_then(|detail| detail.other_branch()).map(one_line) {
            Some(branch) => {
                Self { class: "other-branch", text: format!("on {branch}"), branch: Some(branch) }
            }
            None => Self {
                class: place.map_or("", |place| place.state.as_str()),
                text: place.map_or_else(String::new, text),
                branch: None,
            },
        }
    }
}

fn text(place: &PlacementView) -> String {
    let words = words(place.state);
    place.certainty().map_or_else(|| words.to_owned(), |certainty| format!("{words}, {certainty}"))
}

fn words(state: PlacementState) -> &'static str {
    match state {
        PlacementState::Exact => "",
        PlacementState::Shifted => "moved with its lines",
        PlacementState::Edited => "code was edited",
        PlacementState::Replaced => "code was replaced",
        PlacementState::Moved => "code was moved here",
        PlacementState::Gone => "code is gone",
        PlacementState::Unverified => "location not verified",
        PlacementState::NotCheckedOut => "file is not checked out",
    }
}
