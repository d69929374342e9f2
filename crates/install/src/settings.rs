//! Our part of the settings files of agents.

use std::path::Path;

use super::agent::{HookFormat, SettingsPart, Syntax};
use super::error::HooksError;
use super::program::HookProgram;
use super::{json_hooks, toml_hooks};

impl SettingsPart {
    /// Adds our part, or updates it in place. Returns none if an entry of the user has its name.
    ///
    /// `top` is the root directory of the worktree, for settings of a worktree.
    pub(super) fn add(
        self,
        old: &[u8],
        agent: &str,
        program: &HookProgram,
        top: &Path,
    ) -> Result<Option<Vec<u8>>, HooksError> {
        match self {
            Self::Hooks(HookFormat::Toml, events) => {
                toml_hooks::add(old, agent, events, program).map(Some)
            }
            Self::Hooks(format, events) => {
                json_hooks::add(old, (agent, format), events, program).map(Some)
            }
            Self::Server(format) => format.add(old, program, top),
        }
    }

    /// Removes our part, and the groups and lists that become empty.
    pub(super) fn remove(self, old: &[u8], agent: &str) -> Result<Vec<u8>, HooksError> {
        match self {
            Self::Hooks(HookFormat::Toml, _) => toml_hooks::remove_ours(old, agent),
            Self::Hooks(format, _) => json_hooks::remove_ours(old, (agent, format)),
            Self::Server(format) => format.remove(old),
        }
    }

    /// Returns whether a settings file has a part of ours.
    pub(super) fn has(self, bytes: &[u8], agent: &str) -> bool {
        self.remove(bytes, agent).is_ok_and(|rest| rest != bytes)
    }

    /// Returns whether a settings file has no settings.
    pub(super) fn is_empty(self, bytes: &[u8]) -> bool {
        match self.syntax() {
            Syntax::Json => json_hooks::is_empty(bytes),
            Syntax::Toml => bytes.trim_ascii().is_empty(),
        }
    }

    fn syntax(self) -> Syntax {
        match self {
            Self::Hooks(HookFormat::Toml, _) => Syntax::Toml,
            Self::Hooks(..) => Syntax::Json,
            Self::Server(format) => format.syntax,
        }
    }
}
