//! What to do about a query that cannot be understood.

use skein_engine::FilterError;
use skein_engine::search::{QueryError, Why, WordsError};

use super::filter_hint;
use crate::terminal::one_line;

/// A longer query is not shown again.
const SHOWN: usize = 200;

/// Shows where the query is wrong, and what to do.
pub(super) fn hint(text: &str, error: &QueryError) -> String {
    let todo = match &error.why {
        Why::Words(words) => words_hint(words).to_owned(),
        Why::Filter(filter @ FilterError::Key { .. }) => {
            let filters = filter_hint(filter);
            let joint = if filters.ends_with('?') { " Or" } else { "; or" };
            format!("{filters}{joint} put it in quotes to look for the text itself")
        }
        Why::Filter(filter) => filter_hint(filter),
    };
    match pointed(text, error) {
        Some(pointed) => format!("{todo}\n{pointed}"),
        None => todo,
    }
}

/// Returns the query with a line of marks below what is wrong.
fn pointed(text: &str, error: &QueryError) -> Option<String> {
    if text.len() > SHOWN || text.chars().any(char::is_control) {
        return None;
    }
    let before = unicode_width::UnicodeWidthStr::width(text.get(..error.at.start)?);
    let wrong = unicode_width::UnicodeWidthStr::width(text.get(error.at.clone())?).max(1);
    Some(format!("  {}\n  {}{}", one_line(text), " ".repeat(before), "^".repeat(wrong)))
}

fn words_hint(error: &WordsError) -> &'static str {
    match error {
        WordsError::Unclosed { .. } => "close the quote, or leave it out",
        WordsError::LoneMinus { .. } => "write it as `-word`, or leave it out",
        WordsError::LoneStar { .. } => "write it as `begin*`, or leave it out",
        WordsError::Nothing { .. } => "leave it out",
        WordsError::TooLong { .. } | WordsError::TooMany { .. } => {
            "look for the few words that matter most"
        }
    }
}
