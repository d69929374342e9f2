//! Colours of the output.

use anstyle::{AnsiColor, Style};

/// The id of a thread.
pub(crate) const HANDLE: Style = AnsiColor::Cyan.on_default();
pub(crate) const TITLE: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
pub(crate) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Green.on_default();

pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const HUNK: Style = AnsiColor::Cyan.on_default();

/// Applies a style to a text, if colour is used.
pub(crate) fn paint(color: bool, style: Style, text: &str) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
