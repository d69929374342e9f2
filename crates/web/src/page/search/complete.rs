//! Completions of the last word of a query.

use std::collections::BTreeSet;

use skein_model::sanitize::hidden;
use skein_search::SearchScope;

use super::address;
use crate::app_state::AppState;

const MAX_SUGGESTIONS: usize = 8;

/// The filters, and their descriptions.
const FILTERS: [(&str, &str); 11] = [
    ("kind:", "reviews, checkpoints or sessions"),
    ("status:", "open, resolved, active…"),
    ("author:", "who wrote a comment"),
    ("file:", "a file or a folder"),
    ("branch:", "a branch, or a part of its name"),
    ("commit:", "four or more digits"),
    ("tag:", "a tag of a checkpoint"),
    ("type:", "checkpoint, handoff or auto"),
    ("waiting:", "whose turn it is"),
    ("before:", "a date, or how long ago"),
    ("after:", "a date, or how long ago"),
];

const DATES: &[&str] = &["1d", "1w", "yesterday"];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Completion {
    /// The text that replaces the last word.
    pub(super) shown: String,
    pub(super) about: &'static str,
    /// The whole query with the completion, and its address.
    pub(super) query: String,
    pub(super) href: String,
}

/// Returns completions of the last word of a query; for an empty query, all filters.
pub(super) fn completions(app: &AppState, q: &str, scope: SearchScope) -> Vec<Completion> {
    let mut all = complete(q, &|key| match key {
        "author" => authors(app),
        "file" => files(app),
        _ => BTreeSet::new(),
    });
    for one in &mut all {
        one.href = address(&one.query, scope);
    }
    all
}

fn complete(q: &str, known: &dyn Fn(&str) -> BTreeSet<String>) -> Vec<Completion> {
    let start = q.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, word) = q.split_at_checked(start).unwrap_or((q, ""));
    let (minus, word) = match word.strip_prefix('-') {
        Some(word) => ("-", word),
        None => ("", word),
    };
    let new = |shown: String, about, end: &str| Completion {
        query: format!("{before}{minus}{shown}{end}"),
        shown: format!("{minus}{shown}"),
        about,
        href: String::new(),
    };
    // A word in quotes is not a filter.
    if before.matches('"').count() % 2 == 1 {
        return Vec::new();
    }
    match word.split_once(':') {
        None => {
            let fits = |name: &str| name.starts_with(word) && name.len() > word.len();
            let fits = FILTERS.iter().filter(|(name, _)| fits(name));
            fits.map(|(name, about)| new((*name).to_owned(), about, "")).collect()
        }
        Some((key, value)) => {
            let value = value.trim_start_matches('"').to_lowercase();
            let all = fixed(key).iter().map(|one| (*one).to_owned()).chain(known(key));
            let fits = |one: &String| one.to_lowercase().contains(&value) && *one != value;
            let quoted = |one: String| match one.contains(char::is_whitespace) {
                true => format!("{key}:\"{one}\""),
                false => format!("{key}:{one}"),
            };
            all.filter(fits).take(MAX_SUGGESTIONS).map(|one| new(quoted(one), "", " ")).collect()
        }
    }
}

fn fixed(key: &str) -> &'static [&'static str] {
    match key {
        "kind" => &["review", "checkpoint", "session"],
        "status" => &["open", "resolved", "draft", "active", "disconnected", "orphaned", "ended"],
        "waiting" => &["reviewer", "agent"],
        "type" => &["checkpoint", "auto-checkpoint", "handoff"],
        "before" | "after" | "since" | "until" => DATES,
        _ => &[],
    }
}

fn authors(app: &AppState) -> BTreeSet<String> {
    let index = app.thread_index();
    let bodies = index.threads.iter().filter_map(|thread| thread.review_body());
    let names = bodies.flat_map(|body| &body.comments).map(|comment| comment.author.as_str());
    // Each name is copied once.
    let names: BTreeSet<&str> = names.filter(|name| can_be_typed(name)).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// Returns whether a value can be typed in quotes: it has no quotes and no invisible characters.
fn can_be_typed(value: &str) -> bool {
    !value.contains('"') && hidden(value).next().is_none()
}

fn files(app: &AppState) -> BTreeSet<String> {
    let index = app.thread_index();
    index.paths().filter(|path| can_be_typed(path)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(q: &str, expected: &str) {
        let known = |key: &str| match key {
            "author" => BTreeSet::from(["Claude Code".to_owned(), "Mira".to_owned()]),
            _ => BTreeSet::new(),
        };
        let all: Vec<String> = complete(q, &known).into_iter().map(|one| one.query).collect();
        assert_eq!(all.join("|"), expected, "{q}");
    }

    #[test]
    fn a_word_is_completed_to_a_filter_and_a_filter_to_its_values() {
        check("sta", "status:");
        check("retry be", "retry before:");
        check("retry -wait", "retry -waiting:");
        check("kind:re", "kind:review ");
        check("kind:review", "");
        check("x waiting:", "x waiting:reviewer |x waiting:agent ");
        check("author:cl", "author:\"Claude Code\" ");
        check("author:m", "author:Mira ");
        check("\"kind:", "");
        check("zebra", "");
    }
}
