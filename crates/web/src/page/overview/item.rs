use skein_format::time::Time;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_summary::WorkRow;

use super::super::at::at_html;
use super::super::card::{Viewer, dot};
use super::super::whose::Whose;
use crate::encode::encode;
use crate::markdown::plain;
use crate::page::count;

/// How many characters of a title are shown.
const TITLE: usize = 160;

/// A thread of any kind as a line of the overview.
pub(super) struct Item {
    pub(super) key: String,
    pub(super) kind: &'static str,
    pub(super) href: String,
    /// Whose turn it is, as the colour of a dot.
    pub(super) dot: &'static str,
    /// Where it is, as HTML.
    pub(super) at: String,
    pub(super) title: String,
    pub(super) status: String,
    /// What else is known.
    pub(super) fact: String,
    pub(super) whose: Whose,
    /// The id of a review thread.
    pub(super) thread: Option<String>,
    pub(super) can_accept: bool,
    pub(super) who: String,
    pub(super) updated: String,
}

impl Item {
    pub(super) fn new(row: &ThreadRow, viewer: Viewer<'_>) -> Self {
        let id = encode(&row.id);
        let mut item = Self {
            key: format!("{}-{}", row.kind.as_str(), row.id),
            kind: row.kind.as_str(),
            href: String::new(),
            dot: "none",
            at: String::new(),
            title: plain(&row.title, TITLE),
            status: row.status.as_deref().unwrap_or_default().to_owned(),
            fact: String::new(),
            whose: Whose::new(row, &viewer.actor.name).under_heading(),
            thread: None,
            can_accept: viewer.can_accept(row),
            who: String::new(),
            updated: row.updated_at.or(row.created_at).map(|at| at.to_string()).unwrap_or_default(),
        };
        match &row.detail {
            RowDetail::Review(detail) => {
                item.href = format!("/thread/{id}");
                item.dot = dot(row, viewer.actor);
                item.at = at_html(detail.at.as_deref().unwrap_or_default());
                item.thread = Some(row.id.clone());
                let branch = detail.other_branch().map(|branch| format!("on {}", one_line(branch)));
                item.fact = branch.unwrap_or_default();
                // Who proposes to resolve it is named beside that.
                let author = detail.last_author.clone().filter(|_| !detail.proposed_resolved);
                item.who = author.map(|author| one_line(&author)).unwrap_or_default();
            }
            RowDetail::Checkpoint(detail) => {
                item.href = format!("/work/{id}");
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                item.at = branch.map(|branch| at_html(&branch.redacted())).unwrap_or_default();
                if detail.open_steps > 0 {
                    item.fact = count(detail.open_steps, "open step");
                }
            }
            RowDetail::Session(detail) => {
                item.href = format!("/sessions?id={id}");
                item.at = at_html(&detail.project_name);
                if detail.directory_exists == Some(false) {
                    item.fact = "directory gone".to_owned();
                }
            }
        }
        item
    }

    /// Shows something else than what the thread is about.
    pub(super) fn with_title(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// Shows work with its place and the one that has taken it.
    pub(super) fn work(work: &WorkRow<&ThreadRow>, viewer: Viewer<'_>) -> Self {
        let mut item = Self::new(work.row, viewer);
        let fact = Some(std::mem::take(&mut item.fact)).filter(|fact| !fact.is_empty());
        let facts = fact.into_iter().chain(work.remarks(viewer.clock));
        item.fact = one_line(&facts.collect::<Vec<_>>().join(", "));
        item
    }

    /// Says what happened to a thread since a moment, and to how many more that it represents.
    pub(super) fn happened(row: &ThreadRow, viewer: Viewer<'_>, since: Time, more: usize) -> Self {
        let mut item = Self::new(row, viewer);
        let is_new = row.created_at.is_some_and(|at| at >= since);
        item.fact = match (&row.detail, is_new) {
            (RowDetail::Review(detail), _) => {
                item.whose = Whose::new(row, &viewer.actor.name);
                let said = count(detail.comment_count, "comment");
                // Who resolved it is in no file, unless it was an agent.
                if item.status == "resolved" && !detail.resolved_by_agent {
                    item.who.clear();
                }
                if item.whose.has_turn() { String::new() } else { said }
            }
            (RowDetail::Checkpoint(_), true) => "saved".to_owned(),
            (RowDetail::Session(_), true) => "began".to_owned(),
            (_, false) => "changed".to_owned(),
        };
        if more > 0 {
            item.fact = format!("{}, {more} more of its session", item.fact);
        }
        item
    }
}
