//! Advice for documents that cannot be imported.

use skein_model::FailureKind::Invalid;
use skein_model::{Advice, Retype, UserError};

use crate::ImportError;

impl UserError for ImportError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Json { .. } => {
                Invalid.hint("give a SARIF document, or a list of comments as JSON")
            }
            Self::Sarif { .. } => Invalid
                .hint("most analysers can write SARIF 2.1; for a plain list use `--format json`"),
            Self::Items(error) => error.advice(retype),
            Self::Write(error) => error.advice(retype),
        }
    }
}
