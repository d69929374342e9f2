//! Whose turn it is in a thread, who works on it, and whether it is proposed to resolve it.

use askama::Template;
use skein_model::sanitize::one_line;
use skein_model::view::{ReviewRow, RowDetail, ThreadRow};

/// What a list and a thread say about who is to do something.
#[derive(Default, Template)]
#[template(path = "whose.html")]
pub(crate) struct Whose {
    turn: String,
    /// Whether someone in particular is asked, and not the reader.
    is_named: bool,
    claim: Option<Claim>,
    /// Who proposes to resolve the thread.
    pub(crate) proposer: Option<String>,
}

/// Who works on a thread.
struct Claim {
    by: String,
    until: String,
}

impl Whose {
    /// Says it of a row to a reader; of what is no review thread there is nothing to say.
    pub(crate) fn new(row: &ThreadRow, reader: &str) -> Self {
        let RowDetail::Review(detail) = &row.detail else { return Self::default() };
        let status = row.status.as_deref().unwrap_or_default();
        let claim = detail.claim.as_ref();
        let author = detail.last_author.as_deref();
        let (turn, is_named) = turn(status, detail, reader);
        Self {
            turn,
            is_named,
            claim: claim
                .map(|claim| Claim { by: one_line(&claim.by), until: claim.until.to_string() }),
            proposer: author.filter(|_| detail.proposed_resolved).map(one_line),
        }
    }

    /// Leaves out what the heading of a list says already.
    pub(crate) fn under_heading(mut self) -> Self {
        if !self.is_named {
            self.turn.clear();
        }
        self
    }

    /// Returns whether it says whose turn it is.
    pub(crate) fn has_turn(&self) -> bool {
        !self.turn.is_empty()
    }

    /// Returns whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.turn.is_empty() && self.claim.is_none() && self.proposer.is_none()
    }
}

/// Returns whose turn it is, in words, and whether it is that of someone in particular who is not the reader.
///
/// Where an agent has claimed the thread, the claim says it.
fn turn(status: &str, detail: &ReviewRow, reader: &str) -> (String, bool) {
    let name = detail.waiting_on_name.as_deref();
    let text = match (status, detail.waiting_on, name, &detail.claim) {
        ("draft", ..) => "not submitted yet",
        (_, Some(_), ..) if detail.waits_on(reader) => "waiting on you",
        (_, Some(_), Some(name), Some(claim)) if claim.is_by(name) => "",
        (_, Some(_), Some(name), _) => return (format!("waiting on {}", one_line(name)), true),
        (_, Some(_), None, Some(_)) => "",
        (_, Some(_), None, None) => "waiting on an agent",
        _ if detail.resolved_by_agent => "resolved by an agent",
        _ => "",
    };
    (text.to_owned(), false)
}
