//! Settings files of agents, which hooks of ours stand in among other things.

use super::agent::{AgentEvent, Syntax};
use super::error::HooksError;
use super::program::HookProgram;
use super::{json_hooks, toml_hooks};

impl Syntax {
    /// Puts the hooks in; those of ours that are there already are brought up to date where they stand.
    pub(super) fn add(
        self,
        old: &[u8],
        agent: &str,
        events: &[AgentEvent],
        program: &HookProgram,
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
