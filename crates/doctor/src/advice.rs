//! What to do when a repair fails.

use skein_model::{Advice, FailureKind, Retype, UserError};

use crate::RepairError;

impl UserError for RepairError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Tables { .. } => FailureKind::Conflict.plain(),
            Self::Session(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
        }
    }
}
