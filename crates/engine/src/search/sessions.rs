//! The sessions of a map, which is one file and never indexed.

use std::path::PathBuf;
use std::sync::Arc;

use skein_format::session::Mode;
use skein_index::Found;
use skein_store::{RealFs, read_settled};

use super::folder::ReadThread;
use super::scan::{Judge, time_of};
use crate::discover::Workspace;
use crate::read::session;
use crate::view::{Body, Diag, View};

/// A session map, and the workspace whose settings say how it is read.
#[derive(Debug)]
pub(super) struct SessionFile {
    pub(super) file: PathBuf,
    pub(super) workspace: Arc<Workspace>,
}

/// A session that matches.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) read: ReadThread,
    pub(super) found: Found,
    /// When it was last active, in milliseconds.
    pub(super) time: i64,
}

impl SessionFile {
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
        let mode = if settings.lenient() { Mode::Lenient } else { Mode::Strict };
        let mut rows = session::rows_of(&self.file, mode, &|_| true);
        rows.diagnostics.retain(|diag| diag.severity == "error");
        let read = rows.rows.into_iter().map(|row| ReadThread {
            view: View { row: *row, body: Body::Session {} },
            commit: None,
        });
        let shown = |read: ReadThread| {
            let scanned = judge.scanned("", &read, &[], settings)?;
            Some(Shown { time: time_of(&read), found: scanned.found, read })
        };
        (read.filter_map(shown).collect(), rows.diagnostics)
    }
}
