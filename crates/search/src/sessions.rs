//! Searches the sessions of a session map, which is one file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_catalog::checkpoint_state::States;
use skein_catalog::rows::session;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_store::{RealFs, read_settled};
use skein_workspace::Workspace;

use super::scan::{Match, MatchOrigin, ThreadMatcher};
use super::thread::Thread;

/// A session map, and the workspace with its settings.
#[derive(Debug)]
pub(super) struct SessionFile {
    pub(super) file: PathBuf,
    pub(super) workspace: Arc<Workspace>,
}

impl SessionFile {
    /// Returns the root of the workspace, if the map is configured for it; the user's own map
    /// belongs to none.
    fn root(&self) -> Option<&Path> {
        let own = self.workspace.settings.session_map();
        own.map(|_| self.workspace.reviews.root.as_path())
    }

    /// Returns the sessions that match, and the errors of the map.
    pub(super) fn matches(
        &self,
        source: usize,
        judge: &ThreadMatcher<'_>,
    ) -> (Vec<Match<'_>>, Vec<FileDiagnostic>) {
        let settings = &self.workspace.settings;
        // Most words are in no session, and checking the bytes is faster than parsing them. A map
        // that does not end with a brace may be incomplete.
        if let Ok(bytes) = read_settled(&RealFs, &self.file, &|bytes| bytes, &|_| true)
            && !judge.matcher().may_match(&[&bytes])
            && bytes.trim_ascii_end().ends_with(b"}")
        {
            return (Vec::new(), Vec::new());
        }
        let mut rows = session::rows_of(&self.file, settings.session_mode(), &|_| true);
        rows.diagnostics.retain(|diag| diag.is_error());
        let found = |row: Box<ThreadRow>| {
            let thread = Thread::session(&row);
            let found = judge.judge(&thread, settings, &States::default())?;
            let (time, name) = (thread.time(), row.id.clone());
            let origin = MatchOrigin::Session(self.root(), row);
            Some(Match { origin, source, name, found, time, score: 0.0 })
        };
        (rows.rows.into_iter().filter_map(found).collect(), rows.diagnostics)
    }
}
