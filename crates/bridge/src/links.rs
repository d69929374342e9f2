//! Describes the threads of a directory for a post.

use std::path::Path;

use skein_catalog::{WorktreeScope, list};
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, discover_in};

/// Maximum number of threads that are named.
const MAX_THREADS: usize = 10;

/// Returns the open review threads of a directory as a Markdown list.
pub(crate) fn open_reviews(env: &Env, directory: &Path) -> String {
    let workspace = discover_in(env, directory);
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..Filter::default() };
    let rows = list(&workspace, &filter, WorktreeScope::ThisWorktree).threads;
    if rows.is_empty() {
        return "No open review threads.".to_owned();
    }
    let mut lines: Vec<_> = rows.iter().take(MAX_THREADS).map(|row| describe(row)).collect();
    let left = rows.len().saturating_sub(MAX_THREADS);
    if left > 0 {
        lines.push(format!("- and {left} more: `skein review list`"));
    }
    lines.join("\n")
}

fn describe(row: &ThreadRow) -> String {
    let title = one_line(&row.title);
    match &row.detail {
        RowDetail::Review(review) => {
            let at = review.at.as_deref().unwrap_or("?");
            format!("- `{}` {title}", one_line(at))
        }
        _ => format!("- {title}"),
    }
}

#[cfg(test)]
mod tests {
    use skein_fixtures::{Fixture, Review};

    use super::open_reviews;

    fn reviews(fixture: &Fixture) -> String {
        open_reviews(&fixture.env(""), &fixture.path("repo"))
    }

    #[test]
    fn open_reviews_are_listed_with_their_place_and_the_rest_is_counted() {
        let fixture = Fixture::new();
        fixture.repository("repo");
        assert_eq!(reviews(&fixture), "No open review threads.");
        fixture.file("repo/src/a.rs", "fn a() {}\n");
        let thread = Review { says: &[("Mira", "Why?\nReally.")], ..Review::default() };
        fixture.review("repo", "one", &thread);
        fixture.review("repo", "two", &Review { status: "resolved", ..thread });
        assert_eq!(reviews(&fixture), "- `src/a.rs:1` Why?");
        for number in 0..11 {
            let thread = Review { says: &[("Mira", "Why?")], ..Review::default() };
            fixture.review("repo", &format!("more-{number}"), &thread);
        }
        let text = reviews(&fixture);
        assert_eq!(text.lines().count(), 11, "{text}");
        assert!(text.ends_with("- and 2 more: `skein review list`"), "{text}");
    }

    #[test]
    fn a_directory_without_a_store_has_no_reviews() {
        let fixture = Fixture::new();
        fixture.dir("repo");
        assert_eq!(reviews(&fixture), "No open review threads.");
    }
}
