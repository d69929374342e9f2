//! What else belongs to the file of a thread.

use skein_live::Entry;
use skein_live::links::Links;
use skein_model::view::{Body, Detail, Row, View};
use skein_workspace::Actor;

use super::at::at_html;
use super::card::dot;
use super::whose::Whose;
use crate::encode::encode;
use crate::markdown::plain;

/// So many of each are shown.
const SHOWN: usize = 6;
/// How many digits of a commit are shown.
const DIGITS: usize = 9;
/// How many characters of a title are shown.
const TITLE: usize = 120;

/// What else belongs to a file.
#[derive(Default)]
pub(super) struct Related {
    pub(super) path: String,
    /// Other open threads on it.
    pub(super) threads: Vec<Way>,
    pub(super) more_threads: usize,
    /// Checkpoints that touched it.
    pub(super) checkpoints: Vec<Way>,
    pub(super) more_checkpoints: usize,
    /// The commit that it was written at, and checkpoints that made it.
    pub(super) commit: String,
    pub(super) made: Vec<Way>,
}

/// A link to a thread of any kind.
pub(super) struct Way {
    pub(super) href: String,
    /// The colour of its dot.
    pub(super) dot: &'static str,
    /// Where it is, as HTML.
    pub(super) at: String,
    pub(super) title: String,
    pub(super) whose: Whose,
    pub(super) updated: String,
}

impl Related {
    pub(super) fn of(view: &View, links: &Links, reader: &Actor) -> Self {
        let Some(path) = view.path() else { return Self::default() };
        let is_other = |one: &&std::sync::Arc<View>| one.row.id != view.row.id;
        let threads: Vec<_> = links.threads_on(path).iter().filter(is_other).collect();
        let checkpoints = links.touched(path);
        let commit = match &view.body {
            Body::Review(body) => body.base_commit.as_deref().unwrap_or_default(),
            _ => "",
        };
        let made = links.made(commit);
        Self {
            path: path.to_owned(),
            more_threads: threads.len().saturating_sub(SHOWN),
            threads: threads.iter().take(SHOWN).map(|view| Way::to_thread(view, reader)).collect(),
            more_checkpoints: checkpoints.len().saturating_sub(SHOWN),
            checkpoints: checkpoints
                .iter()
                .take(SHOWN)
                .map(|entry| Way::to_checkpoint(entry))
                .collect(),
            commit: commit.chars().take(DIGITS).collect(),
            made: made.iter().take(SHOWN).map(|entry| Way::to_checkpoint(entry)).collect(),
        }
    }

    /// Returns the address of all checkpoints that touched the file.
    pub(super) fn all(&self) -> String {
        format!("/work?file={}", encode(&self.path))
    }
}

impl Way {
    pub(super) fn to_thread(view: &View, reader: &Actor) -> Self {
        let at = match &view.row.detail {
            Detail::Review(detail) => detail.at.clone().unwrap_or_default(),
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

    pub(super) fn to_checkpoint(entry: &Entry) -> Self {
        let at = match &entry.row.detail {
            Detail::Checkpoint(detail) => {
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                branch.map(|branch| branch.shown().into_owned()).unwrap_or_default()
            }
            _ => String::new(),
        };
        Self::new(&entry.row, format!("/work/{}", encode(&entry.row.id)), &at)
    }

    fn new(row: &Row, href: String, at: &str) -> Self {
        let updated = row.updated_at.map(|at| at.to_string()).unwrap_or_default();
        let (title, whose) = (plain(&row.title, TITLE), Whose::default());
        Self { href, dot: "none", at: at_html(at), title, whose, updated }
    }
}
