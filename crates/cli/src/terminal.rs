//! What a terminal can show, and what must not reach it.

pub(crate) use skein_model::plain::{one_line, safe, safe_json};

use crate::machine::Machine;

/// Returns whether to use colour on a stream; `wanted` is `auto`, `always` or `never`.
pub(crate) fn color(machine: &Machine, is_terminal: bool, wanted: Option<&str>) -> bool {
    match wanted {
        Some("always") => true,
        Some("never") => false,
        _ => is_terminal && !machine.no_color && !is_dumb(machine),
    }
}

/// Returns whether the terminal shows escapes instead of obeying them.
pub(crate) fn is_dumb(machine: &Machine) -> bool {
    machine.variables.get("TERM").is_some_and(|term| term == "dumb")
}
