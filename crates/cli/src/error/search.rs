//! What to do about a query that cannot be understood.

use skein_search::QueryError;

use crate::terminal::one_line;

/// A longer query is not shown again.
const MAX_QUERY_LEN: usize = 200;

/// Shows where the query is wrong, and what to do.
pub(super) fn hint(text: &str, error: &QueryError) -> String {
    let todo = error.hint();
    match pointed(text, error) {
        Some(pointed) => format!("{todo}\n{pointed}"),
        None => todo,
    }
}

/// Returns the query with a line of marks below what is wrong.
fn pointed(text: &str, error: &QueryError) -> Option<String> {
    if text.len() > MAX_QUERY_LEN || text.chars().any(char::is_control) {
        return None;
    }
    let before = unicode_width::UnicodeWidthStr::width(text.get(..error.at.start)?);
    let wrong = unicode_width::UnicodeWidthStr::width(text.get(error.at.clone())?).max(1);
    Some(format!("  {}\n  {}{}", one_line(text), " ".repeat(before), "^".repeat(wrong)))
}
