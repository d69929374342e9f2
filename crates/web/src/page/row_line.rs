//! A thread of any kind as a line of a list.

use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};

use super::location::location_html;
use super::turn_label::TurnLabel;
use super::{count, time};
use crate::encode::encode;
use crate::markdown::plain;
use crate::viewer::PageViewer;

/// The maximum number of characters of a title.
pub(super) const MAX_TITLE_LEN: usize = 160;

/// A thread of any kind as a line of a list.
pub(super) struct RowLine {
    pub(super) key: String,
    pub(super) kind: &'static str,
    pub(super) href: String,
    /// The colour of the dot: whose turn it is.
    pub(super) dot: &'static str,
    /// The location, branch or project, as HTML.
    pub(super) at: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) fact: String,
    pub(super) turn: TurnLabel,
    /// The id of a review thread.
    pub(super) thread: Option<String>,
    pub(super) can_accept: bool,
    pub(super) who: String,
    pub(super) updated: String,
}

impl RowLine {
    pub(super) fn new(row: &ThreadRow, viewer: PageViewer<'_>) -> Self {
        let id = encode(&row.id);
        let mut line = Self {
            key: format!("{}-{}", row.kind.as_str(), row.id),
            kind: row.kind.as_str(),
            href: String::new(),
            dot: viewer.dot(row),
            at: String::new(),
            title: one_line(&plain(&row.title, MAX_TITLE_LEN)),
            status: row.status.as_deref().unwrap_or_default().to_owned(),
            fact: String::new(),
            turn: TurnLabel::new(row, &viewer.actor.name),
            thread: None,
            can_accept: viewer.can_accept(row),
            who: String::new(),
            updated: time(row.updated_at.or(row.created_at)),
        };
        match &row.detail {
            RowDetail::Review(detail) => {
                line.href = format!("/thread/{id}");
                line.at = location_html(detail.at.as_deref().unwrap_or_default());
                line.thread = Some(row.id.clone());
                let branch = detail.other_branch().map(|branch| format!("on {}", one_line(branch)));
                line.fact = branch.unwrap_or_default();
                // The author of a proposal to resolve is shown with the proposal.
                let author = detail.last_author.as_deref().filter(|_| !detail.proposed_resolved);
                line.who = author.map(one_line).unwrap_or_default();
            }
            RowDetail::Checkpoint(detail) => {
                line.href = format!("/work/{id}");
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                line.at =
                    branch.map(|branch| location_html(&branch.redacted())).unwrap_or_default();
                if detail.open_steps > 0 {
                    line.fact = count(detail.open_steps, "open step");
                }
            }
            RowDetail::Session(detail) => {
                line.href = format!("/sessions?id={id}");
                line.at = location_html(&detail.project_name);
                if detail.directory_exists == Some(false) {
                    line.fact = "directory gone".to_owned();
                }
            }
        }
        line
    }

    /// Replaces the title.
    pub(super) fn with_title(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }
}
