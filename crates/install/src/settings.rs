//! Hooks in the settings files of agents.

use super::agent::{AgentEvent, Syntax};
use super::error::HooksError;
use super::program::HookProgram;
use super::{json_hooks, toml_hooks};

impl Syntax {
    /// Adds our hooks; existing ones are updated in place.
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

    /// Removes our hooks, and the groups and lists that become empty.
    pub(super) fn remove(self, old: &[u8], agent: &str) -> Result<Vec<u8>, HooksError> {
        match self {
            Self::Json => json_hooks::remove_ours(old, agent),
            Self::Toml => toml_hooks::remove_ours(old, agent),
        }
    }

    /// Returns whether a settings file has a hook of ours.
    pub(super) fn has(self, bytes: &[u8], agent: &str) -> bool {
        self.remove(bytes, agent).is_ok_and(|rest| rest != bytes)
    }

    /// Returns whether a settings file has no settings.
    pub(super) fn is_empty(self, bytes: &[u8]) -> bool {
        match self {
            Self::Json => json_hooks::is_empty(bytes),
            Self::Toml => bytes.trim_ascii().is_empty(),
        }
    }
}
