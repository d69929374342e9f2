//! What else belongs to the file of a thread.

use skein_live::TimelineEntry;
use skein_live::links::Links;
use skein_model::view::{RowDetail, ThreadBody, ThreadRow, ThreadView};
use skein_workspace::Actor;

use super::at::at_html;
use super::card::dot;
use super::whose::Whose;
use crate::encode::encode;
use crate::markdown::plain;

/// So many of each are shown.
const MAX_SHOWN: usize = 6;
/// How many digits of a commit are shown.
const DIGITS: usize = 9;
/// How many characters of a title are shown.
const TITLE: usize = 120;

/// What else belongs to a file.
#[derive(Default)]
pub(super) struct RelatedItems {
    pub(super) path: String,
    /// Other open threads on it.
    pub(super) threads: Vec<RelatedLink>,
    pub(super) more_threads: usize,
    /// Checkpoints that touched it.
    pub(super) checkpoints: Vec<RelatedLink>,
    pub(super) more_checkpoints: usize,
    /// The commit that it was written at, and checkpoints that made it.
    pub(super) commit: String,
    pub(super) made: Vec<RelatedLink>,
}

/// A link to a thread of any kind.
pub(super) struct RelatedLink {
    pub(super) href: String,
    /// The colour of its dot.
    pub(super) dot: &'static str,
    /// Where it is, as HTML.
    pub(super) at: String,
    pub(super) title: String,
    pub(super) whose: Whose,
    pub(super) updated: String,
}

impl RelatedItems {
    pub(super) fn from_view(view: &ThreadView, links: &Links, reader: &Actor) -> Self {
        let Some(path) = view.path() else { return Self::default() };
        let is_other = |one: &&std::sync::Arc<ThreadView>| one.row.id != view.row.id;
        let threads: Vec<_> = links.threads_on(path).iter().filter(is_other).collect();
        let checkpoints = links.touched(path);
        let commit = match &view.body {
            ThreadBody::Review(body) => body.base_commit.as_deref().unwrap_or_default(),
            _ => "",
        };
        let made = links.made(commit);
        Self {
            path: path.to_owned(),
            more_threads: threads.len().saturating_sub(MAX_SHOWN),
            threads: threads
                .iter()
                .take(MAX_SHOWN)
                .map(|view| RelatedLink::to_thread(view, reader))
                .collect(),
            more_checkpoints: checkpoints.len().saturating_sub(MAX_SHOWN),
            checkpoints: checkpoints
                .iter()
                .take(MAX_SHOWN)
                .map(|entry| RelatedLink::to_checkpoint(entry))
                .collect(),
            commit: commit.chars().take(DIGITS).collect(),
            made: made
                .iter()
                .take(MAX_SHOWN)
                .map(|entry| RelatedLink::to_checkpoint(entry))
                .collect(),
        }
    }

    /// Returns the address of all checkpoints that touched the file.
    pub(super) fn all(&self) -> String {
        format!("/work?file={}", encode(&self.path))
    }
}

impl RelatedLink {
    pub(super) fn to_thread(view: &ThreadView, reader: &Actor) -> Self {
        let at = match &view.row.detail {
            RowDetail::Review(detail) => detail.at.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let dot = dot(&view.row, reader);
        let whose = Whose::new(&view.row, &reader.name);
        Self {
            dot,
            whose,
            ..Self::new(&view.row, format!("/thread/{}", encode(&view.row.id)), &at)
        }
    }

    pub(super) fn to_checkpoint(entry: &TimelineEntry) -> Self {
        let at = match &entry.row.detail {
            RowDetail::Checkpoint(detail) => {
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                branch.map(|branch| branch.redacted().into_owned()).unwrap_or_default()
            }
            _ => String::new(),
        };
        Self::new(&entry.row, format!("/work/{}", encode(&entry.row.id)), &at)
    }

    fn new(row: &ThreadRow, href: String, at: &str) -> Self {
        let updated = row.updated_at.map(|at| at.to_string()).unwrap_or_default();
        let (title, whose) = (plain(&row.title, TITLE), Whose::default());
        Self { href, dot: "none", at: at_html(at), title, whose, updated }
    }
}
