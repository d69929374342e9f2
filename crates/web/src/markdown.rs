//! What people wrote, as HTML.

use crate::code::escape;
use crate::highlight::Language;

/// Writes a comment as paragraphs of plain text.
pub(crate) fn html_for(text: &str, _language: Option<Language>) -> String {
    let mut html = String::new();
    for part in text.split("\n\n") {
        html.push_str("<p>");
        for (index, line) in part.lines().enumerate() {
            html.push_str(if index > 0 { "<br>" } else { "" });
            escape(&mut html, line);
        }
        html.push_str("</p>");
    }
    html
}

/// Returns the first line of a comment, for a list.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    text.lines().next().unwrap_or_default().chars().take(limit).collect()
}
