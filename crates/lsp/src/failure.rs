//! Errors that the user can do something about.

use skein_model::UserError;
use skein_model::advice::with_causes;

/// Why a command could not be executed: a sentence, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    pub(crate) fn new(message: &str, hint: &str) -> Self {
        Self(format!("{message}. Hint: {hint}"))
    }
}

impl<E: UserError> From<E> for Failure {
    fn from(error: E) -> Self {
        let message = with_causes(&error);
        match error.advice(&|_, id| id.to_owned()).hint {
            Some(hint) => Self::new(&message, &hint),
            None => Self(message),
        }
    }
}
