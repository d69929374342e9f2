//! Counts the entries of the session map that have a diagnostic.

use std::fmt;

use skein_model::view::FileDiagnostic;

/// The code of the diagnostic for further diagnostics that are not listed.
const TOO_MANY: &str = "too-many-findings";

/// A number of entries, of which some may not be listed.
#[derive(Clone, Copy)]
pub(crate) struct EntryCount {
    listed: usize,
    more: bool,
}

impl EntryCount {
    /// Counts the entries that are skipped because they are invalid.
    pub(crate) fn skipped(diagnostics: &[FileDiagnostic]) -> Self {
        Self::count(diagnostics, |diag| diag.code == "session-entry")
    }

    /// Counts the entries that are shown although they are invalid.
    pub(super) fn shown(diagnostics: &[FileDiagnostic]) -> Self {
        Self::count(diagnostics, |diag| diag.code == "session-lenient")
    }

    pub(super) fn warnings(diagnostics: &[FileDiagnostic]) -> Self {
        Self::count(diagnostics, |diag| !diag.is_error() && diag.code != TOO_MANY)
    }

    fn count(diagnostics: &[FileDiagnostic], wanted: impl Fn(&FileDiagnostic) -> bool) -> Self {
        let listed = diagnostics.iter().filter(|diag| wanted(diag)).count();
        Self { listed, more: diagnostics.iter().any(|diag| diag.code == TOO_MANY) }
    }

    pub(crate) fn is_none(self) -> bool {
        self.listed == 0
    }

    pub(crate) fn is_one(self) -> bool {
        self.listed == 1 && !self.more
    }
}

impl fmt::Display for EntryCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.more { write!(f, "At least {}", self.listed) } else { write!(f, "{}", self.listed) }
    }
}
