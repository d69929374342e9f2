//! Describes the reviews and the last checkpoint of a directory, for the description of a session.

use std::path::Path;

use skein_catalog::{ShortIds, WorktreeScope, list, names};
use skein_format::redact::redact;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, Workspace, discover_in};

use crate::core::markdown::{inline_code, shorten};

/// Maximum number of review threads that are named.
const MAX_THREADS: usize = 3;
/// Maximum length of a title.
const MAX_TITLE_CHARS: usize = 80;

/// Returns one line for the open review threads and one for the last checkpoint, if there are any.
pub(crate) fn session_links(env: &Env, directory: &Path) -> String {
    let workspace = discover_in(env, directory);
    let ids = ShortIds::new(&names(&workspace));
    let lines = [reviews(&workspace, &ids), checkpoint(&workspace, &ids)];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn reviews(workspace: &Workspace, ids: &ShortIds) -> Option<String> {
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let count = match rows.len() {
        0 => return None,
        1 => "1 open review thread".to_owned(),
        count => format!("{count} open review threads"),
    };
    let named: Vec<_> = rows.iter().take(MAX_THREADS).map(|row| describe(row, ids)).collect();
    let more = if rows.len() > MAX_THREADS { ", …" } else { "" };
    Some(format!("{count}: {}{more}", named.join(", ")))
}

fn checkpoint(workspace: &Workspace, ids: &ShortIds) -> Option<String> {
    let filter = Filter { kind: Some(Kind::Checkpoint), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    Some(format!("Last checkpoint: {}", describe(rows.first()?, ids)))
}

/// Returns the id of a thread and its title. Both are code, so that they notify no user.
fn describe(row: &ThreadRow, ids: &ShortIds) -> String {
    let id = inline_code(&one_line(&ids.short_id(row)));
    let title = match &row.detail {
        RowDetail::Review(review) => format!(
            "{} {}",
            one_line(review.at.as_deref().unwrap_or_default()),
            one_line(&row.title)
        ),
        _ => one_line(&row.title),
    };
    format!("{id} {}", inline_code(&shorten(redact(title.trim()).trim(), MAX_TITLE_CHARS)))
}

#[cfg(test)]
mod tests {
    use skein_fixtures::{Fixture, Review};

    use super::session_links;

    #[test]
    fn open_reviews_are_counted_and_the_first_are_named_without_markdown() {
        let fixture = Fixture::new();
        fixture.repository("repo");
        let links = || session_links(&fixture.env(""), &fixture.path("repo"));
        assert_eq!(links(), "");
        fixture.file("repo/src/a.rs", "fn a() {}\n");
        let thread = Review { says: &[("Mira", "Why @here?\nReally.")], ..Review::default() };
        fixture.review("repo", "one", &thread);
        fixture.review("repo", "two", &Review { status: "resolved", ..thread });
        let text = links();
        assert!(text.starts_with("1 open review thread: `"), "{text}");
        assert!(text.ends_with(" `src/a.rs:1 Why @here?`"), "{text}");
        for number in 0..3 {
            let thread = Review { says: &[("Mira", "Why?")], ..Review::default() };
            fixture.review("repo", &format!("more-{number}"), &thread);
        }
        let text = links();
        assert!(text.starts_with("4 open review threads: "), "{text}");
        assert!(text.ends_with(", …") && text.lines().count() == 1, "{text}");
        let members = "  \"title\": \"Parser done\",\n  \"created_at\": \"2026-01-23T14:30:00Z\"";
        fixture.checkpoint("repo", "T-1", members);
        let text = links();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("Last checkpoint: `") && last.contains("Parser done"), "{text}");
    }
}
