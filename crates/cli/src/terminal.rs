//! Detects the features of a terminal.

use crate::machine::ProcessEnv;

/// Returns whether to use colour on a stream; `wanted` is `auto`, `always` or `never`.
pub(crate) fn color(machine: &ProcessEnv, is_terminal: bool, wanted: Option<&str>) -> bool {
    match wanted {
        Some("always") => true,
        Some("never") => false,
        _ => is_terminal && !machine.no_color && !is_dumb(machine),
    }
}

/// Returns whether the terminal does not support escape sequences.
pub(crate) fn is_dumb(machine: &ProcessEnv) -> bool {
    machine.variables.get("TERM").is_some_and(|term| term == "dumb")
}
