//! Test inputs and results as text.

use skein_anchor::Placement;

/// Returns a text without the marks of its lines, and the first and last line marked with `>`.
pub(crate) fn marked(text: &str) -> (String, (u32, u32)) {
    let is_marked = |line: &&str| line.starts_with('>');
    let first = text.lines().position(|line| is_marked(&line)).unwrap();
    let count = text.lines().filter(is_marked).count();
    let plain = text.lines().map(|line| format!("{}\n", line.get(1..).unwrap_or_default()));
    let line = |line: usize| u32::try_from(line).unwrap();
    (plain.collect(), (line(first), line(first + count - 1)))
}

/// Formats the state and the lines.
pub(crate) fn shown(found: &Placement) -> String {
    match found.lines {
        Some((first, last)) if first == last => format!("{} {first}", found.state),
        Some((first, last)) => format!("{} {first}-{last}", found.state),
        None => found.state.to_string(),
    }
}
