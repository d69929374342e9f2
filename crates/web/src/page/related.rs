//! What else belongs to the file of a thread.

use skein_engine::links::{Links, Tie};
use skein_engine::view::{Detail, View};

use crate::encode::encode;
use crate::markdown::plain;

/// So many of each are shown.
const SHOWN: usize = 6;
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
}

/// A link to a thread of any kind.
pub(super) struct Way {
    pub(super) href: String,
    pub(super) at: String,
    pub(super) title: String,
    pub(super) updated: String,
}

impl Related {
    pub(super) fn of(view: &View, links: &Links) -> Self {
        let Some(path) = view.path() else { return Self::default() };
        let is_other = |one: &&std::sync::Arc<View>| one.row.id != view.row.id;
        let threads: Vec<_> = links.threads_on(path).iter().filter(is_other).collect();
        let checkpoints = links.touched(path);
        Self {
            path: path.to_owned(),
            more_threads: threads.len().saturating_sub(SHOWN),
            threads: threads.iter().take(SHOWN).map(|view| Way::to_thread(view)).collect(),
            more_checkpoints: checkpoints.len().saturating_sub(SHOWN),
            checkpoints: checkpoints
                .iter()
                .take(SHOWN)
                .map(|tie| Way::to_checkpoint(tie))
                .collect(),
        }
    }

    /// Returns the address that finds all checkpoints of the file.
    pub(super) fn search(&self) -> String {
        format!("/search?q={}", encode(&format!("kind:checkpoint file:\"{}\"", self.path)))
    }
}

impl Way {
    fn to_thread(view: &View) -> Self {
        let at = match &view.row.detail {
            Detail::Review(detail) => detail.at.clone().unwrap_or_default(),
            _ => String::new(),
        };
        Self::new(view, format!("/thread/{}", encode(&view.row.id)), at)
    }

    fn to_checkpoint(tie: &Tie) -> Self {
        let at = match &tie.row.detail {
            Detail::Checkpoint(detail) => {
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                branch.map(|branch| branch.shown().into_owned()).unwrap_or_default()
            }
            _ => String::new(),
        };
        Self {
            href: format!("/work/{}", encode(&tie.row.id)),
            at,
            title: plain(&tie.row.title, TITLE),
            updated: tie.row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
        }
    }

    fn new(view: &View, href: String, at: String) -> Self {
        let updated = view.row.updated_at.map(|at| at.to_string()).unwrap_or_default();
        Self { href, at, title: plain(&view.row.title, TITLE), updated }
    }
}
