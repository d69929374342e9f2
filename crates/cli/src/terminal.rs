//! What a terminal can show, and what must not reach it.

pub(crate) use skein_engine::plain::{one_line, safe};

use skein_engine::plain::is_unsafe;

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

/// Escapes in a JSON document what must not reach a terminal; it can only be inside of strings.
pub(crate) fn safe_json(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        // All of them lie below U+10000.
        c if is_unsafe(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    shown.collect()
}
