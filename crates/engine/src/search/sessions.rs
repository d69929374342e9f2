//! The sessions of a map, which is one file and never indexed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_index::Found;
use skein_store::{RealFs, read_settled};

use super::facts::Around;
use super::scan::Judge;
use super::thread::Thread;
use crate::discover::Workspace;
use crate::read::session;
use crate::view::{Body, Diag, Row, View};

/// A session map, and the workspace whose settings say how it is read.
#[derive(Debug)]
pub(super) struct SessionFile {
    pub(super) file: PathBuf,
    pub(super) workspace: Arc<Workspace>,
}

/// A session that matches.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) view: View,
    pub(super) found: Found,
    /// When it was last active, in milliseconds.
    pub(super) time: i64,
}

impl SessionFile {
    /// Returns the root of the workspace that has this map for itself; one of the user belongs to none.
    pub(super) fn root(&self) -> Option<&Path> {
        let own = self.workspace.settings.session_map();
        own.map(|_| self.workspace.reviews.root.as_path())
    }

    /// Returns the sessions that match, and what keeps the map from being read.
    pub(super) fn matches(&self, judge: &Judge<'_>) -> (Vec<Shown>, Vec<Diag>) {
        let settings = &self.workspace.settings;
        // Most words are in no session, and a look at the bytes tells so sooner than reading them. A map that breaks off is
        // perhaps in writing.
        if let Ok(bytes) = read_settled(&RealFs, &self.file, &|bytes| bytes, &|_| true)
            && !judge.matcher().may_match(&bytes)
            && bytes.trim_ascii_end().ends_with(b"}")
        {
            return (Vec::new(), Vec::new());
        }
        let mut rows = session::rows_of(&self.file, settings.session_mode(), &|_| true);
        rows.diagnostics.retain(|diag| diag.severity == "error");
        let shown = |row: Box<Row>| {
            let scanned =
                judge.scanned("", &Thread::session(&row), Around { settings, states: None })?;
            let view = View { row: *row, body: Body::Session {} };
            Some(Shown { time: scanned.time, found: scanned.found, view })
        };
        (rows.rows.into_iter().filter_map(shown).collect(), rows.diagnostics)
    }
}
