//! Whose turn it is in a thread, who works on it, and whether a resolution is proposed.

use askama::Template;
use skein_catalog::origins::session_name;
use skein_model::sanitize::one_line;
use skein_model::view::{ReviewRow, ThreadRow};

#[derive(Default, Template)]
#[template(path = "turn_label.html")]
pub(crate) struct TurnLabel {
    turn: String,
    /// Whether it waits on a person by name, who is not the reader.
    is_named: bool,
    /// The agent that works on it, and until when.
    claim: Option<(String, String)>,
    pub(crate) proposer: Option<String>,
}

impl TurnLabel {
    pub(crate) fn new(row: &ThreadRow, reader: &str) -> Self {
        let Some(detail) = row.review() else { return Self::default() };
        let status = row.status.as_deref().unwrap_or_default();
        let claim = detail.claim.as_ref();
        let author = detail.last_author.as_deref();
        let (turn, is_named) = turn(status, detail, reader);
        Self {
            turn,
            is_named,
            claim: claim.map(|claim| (one_line(&claim.claimant()), claim.until.to_string())),
            proposer: author.filter(|_| detail.proposed_resolved).map(one_line),
        }
    }

    /// Removes the parts that the heading of a list already states.
    pub(crate) fn under_heading(mut self) -> Self {
        if !self.is_named {
            self.turn.clear();
        }
        self
    }

    pub(crate) fn has_turn(&self) -> bool {
        !self.turn.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.turn.is_empty() && self.claim.is_none() && self.proposer.is_none()
    }
}

/// Returns whose turn it is, and whether that is a person by name who is not the reader.
///
/// Empty if an agent has claimed the thread, since the claim is shown instead.
fn turn(status: &str, detail: &ReviewRow, reader: &str) -> (String, bool) {
    let name = detail.waiting_on_name.as_deref();
    let text = match (status, detail.waiting_on, name, &detail.claim) {
        ("draft", ..) => "not submitted yet",
        (_, Some(_), ..) if detail.waits_on(reader) => "waiting on you",
        (_, Some(_), Some(name), Some(claim)) if claim.is_by(name) => "",
        (_, Some(_), Some(name), _) => return (format!("waiting on {}", one_line(name)), true),
        (_, Some(_), None, Some(_)) => "",
        (_, Some(_), None, None) => {
            let agent = detail.origin.as_deref().map(session_name);
            return (format!("waiting on {}", agent.as_deref().unwrap_or("an agent")), false);
        }
        _ if detail.resolved_by_agent => "resolved by an agent",
        _ => "",
    };
    (text.to_owned(), false)
}
