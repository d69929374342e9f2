//! How many entries of the session map a finding is about.

use std::fmt;

use skein_model::view::FileDiagnostic;

/// The finding that stands for those of a file that are not listed.
pub(super) const TOO_MANY: &str = "too-many-findings";

/// A number of entries, of which not all may be listed.
#[derive(Clone, Copy)]
pub(crate) struct Entries {
    listed: usize,
    more: bool,
}

impl Entries {
    /// Counts the entries that are left out because they break the contract.
    pub(crate) fn left_out(diagnostics: &[FileDiagnostic]) -> Self {
        Self::with(diagnostics, "session-entry")
    }

    /// Counts the entries that have a finding.
    pub(super) fn with(diagnostics: &[FileDiagnostic], code: &str) -> Self {
        Self::from_rows(diagnostics, |diag| diag.code == code)
    }

    /// Counts the findings that are wanted.
    pub(super) fn from_rows(
        diagnostics: &[FileDiagnostic],
        wanted: impl Fn(&FileDiagnostic) -> bool,
    ) -> Self {
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

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.more { write!(f, "At least {}", self.listed) } else { write!(f, "{}", self.listed) }
    }
}
