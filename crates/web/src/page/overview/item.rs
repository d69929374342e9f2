use skein_engine::HandoffRow;
use skein_engine::plain::one_line;
use skein_engine::view::{Detail, Row};
use skein_format::time::Time;

use super::super::at::at_html;
use super::super::card::{dot, turn_text};
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
    /// What is to be said besides.
    pub(super) fact: String,
    pub(super) who: String,
    pub(super) updated: String,
}

impl Item {
    pub(super) fn new(row: &Row) -> Self {
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
            who: String::new(),
            updated: row.updated_at.or(row.created_at).map(|at| at.to_string()).unwrap_or_default(),
        };
        match &row.detail {
            Detail::Review(detail) => {
                item.href = format!("/thread/{id}");
                item.dot = dot(&item.status, detail.waiting_on);
                item.at = at_html(detail.at.as_deref().unwrap_or_default());
                item.who = detail.last_author.clone().unwrap_or_default();
            }
            Detail::Checkpoint(detail) => {
                item.href = format!("/work/{id}");
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                item.at = branch.map(|branch| at_html(&branch.shown())).unwrap_or_default();
                if detail.open_steps > 0 {
                    item.fact = count(detail.open_steps, "open step");
                }
            }
            Detail::Session(detail) => {
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

    /// Shows a handoff with its place and the one that has taken it.
    pub(super) fn handoff(handoff: &HandoffRow<'_>) -> Self {
        let mut item = Self::new(handoff.row);
        let taken = handoff.taken.as_ref().map(|holder| format!("taken {holder}"));
        let fact = Some(std::mem::take(&mut item.fact)).filter(|fact| !fact.is_empty());
        let facts = fact.into_iter().chain(handoff.origin.name()).chain(taken);
        item.fact = one_line(&facts.collect::<Vec<_>>().join(", "));
        item
    }

    /// Says what happened to a thread since a moment, and to how many more that it stands for.
    pub(super) fn happened(row: &Row, since: Time, more: usize) -> Self {
        let mut item = Self::new(row);
        let is_new = row.created_at.is_some_and(|at| at >= since);
        item.fact = match (&row.detail, is_new) {
            (Detail::Review(detail), _) => {
                let turn = turn_text(&item.status, detail.waiting_on, detail.resolved_by_agent);
                let said = count(detail.comment_count, "comment");
                // Who resolved it is in no file, unless it was an agent.
                if item.status == "resolved" && !detail.resolved_by_agent {
                    item.who.clear();
                }
                if turn.is_empty() { said } else { turn.to_owned() }
            }
            (Detail::Checkpoint(_), true) => "saved".to_owned(),
            (Detail::Session(_), true) => "began".to_owned(),
            (_, false) => "changed".to_owned(),
        };
        if more > 0 {
            item.fact = format!("{}, {more} more of its session", item.fact);
        }
        item
    }
}
