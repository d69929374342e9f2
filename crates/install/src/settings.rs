//! Settings files of agents, which hooks of ours stand in among other things.

use super::agent::{Event, Syntax};
use super::program::Program;
use super::{json_hooks, toml_hooks};

/// Why a settings file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HooksError {
    /// It is no JSON.
    #[error("line {line}: expected {expected}")]
    Json {
        /// Where it stops being JSON.
        line: u32,
        /// What should stand there.
        expected: &'static str,
    },
    /// It is no TOML.
    #[error("line {line}: {message}")]
    Toml {
        /// Where it stops being TOML.
        line: u32,
        /// What is wrong there.
        message: String,
    },
    /// It is no text.
    #[error("it is not UTF-8")]
    NotText,
    /// Something else stands where hooks belong.
    #[error("`{name}` is not {expected}")]
    Shape {
        /// What it is called.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl Syntax {
    /// Puts the hooks in; those of ours that are there already are brought up to date where they stand.
    pub(super) fn add(
        self,
        old: &[u8],
        agent: &str,
        events: &[Event],
        program: &Program,
    ) -> Result<Vec<u8>, HooksError> {
        match self {
            Self::Json => json_hooks::add(old, agent, events, program),
            Self::Toml => toml_hooks::add(old, agent, events, program),
        }
    }

    /// Takes every hook of ours out, and what is empty then.
    pub(super) fn take(self, old: &[u8], agent: &str) -> Result<Vec<u8>, HooksError> {
        match self {
            Self::Json => json_hooks::take(old, agent),
            Self::Toml => toml_hooks::take(old, agent),
        }
    }

    /// Returns whether a settings file holds a hook of ours.
    pub(super) fn has(self, bytes: &[u8], agent: &str) -> bool {
        self.take(bytes, agent).is_ok_and(|taken| taken != bytes)
    }

    /// Returns whether nothing is set in a settings file.
    pub(super) fn is_empty(self, bytes: &[u8]) -> bool {
        match self {
            Self::Json => json_hooks::is_empty(bytes),
            Self::Toml => bytes.trim_ascii().is_empty(),
        }
    }
}
