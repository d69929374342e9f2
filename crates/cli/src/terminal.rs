//! What a terminal can show, and what must not reach it.

pub(crate) use skein_model::sanitize::{escape_control, one_line, safe_json};

use crate::machine::ProcessEnv;

/// Returns whether to use colour on a stream; `wanted` is `auto`, `always` or `never`.
pub(crate) fn color(machine: &ProcessEnv, is_terminal: bool, wanted: Option<&str>) -> bool {
    match wanted {
        Some("always") => true,
        Some("never") => false,
        _ => is_terminal && !machine.no_color && !is_dumb(machine),
    }
}

/// Returns whether the terminal shows escapes instead of obeying them.
pub(crate) fn is_dumb(machine: &ProcessEnv) -> bool {
    machine.variables.get("TERM").is_some_and(|term| term == "dumb")
}
