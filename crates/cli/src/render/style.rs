use anstyle::{AnsiColor, Style};

/// What names a thread.
pub(crate) const HANDLE: Style = AnsiColor::Cyan.on_default();
/// The title of a section.
pub(crate) const TITLE: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What looks odd.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// What was looked for.
pub(crate) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
/// What to do.
pub(crate) const HINT: Style = AnsiColor::Green.on_default();

/// A line that is only on the new side.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// A line that is only on the old side.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// The header of a changed place.
pub(crate) const HUNK: Style = AnsiColor::Cyan.on_default();
