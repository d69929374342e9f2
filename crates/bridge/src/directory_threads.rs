//! Describes the reviews and the last checkpoint of a directory, for posts.

use std::path::Path;

use skein_catalog::{ShortIds, WorktreeScope, list, names};
use skein_format::redact::redact;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, Workspace, discover_in};

use crate::core::markdown::{inline_code, shorten};

/// Maximum number of review threads that a list names, and the description of a session.
const MAX_LISTED: usize = 10;
const MAX_NAMED: usize = 3;
/// Maximum length of a title.
const MAX_TITLE_CHARS: usize = 80;

/// Returns the open review threads of a directory as a Markdown list.
pub(crate) fn open_reviews(env: &Env, directory: &Path) -> String {
    let (count, rows) = DirectoryThreads::new(env, directory).open_reviews(MAX_LISTED);
    if count == 0 {
        return "No open review threads.".to_owned();
    }
    let mut lines: Vec<_> = rows.iter().map(|row| format!("- {row}")).collect();
    if let Some(left @ 1..) = count.checked_sub(MAX_LISTED) {
        lines.push(format!("- and {left} more: `skein review list`"));
    }
    lines.join("\n")
}

/// Returns one line for the open review threads and one for the last checkpoint, if there are any.
pub(crate) fn session_links(env: &Env, directory: &Path) -> String {
    let threads = DirectoryThreads::new(env, directory);
    let (count, named) = threads.open_reviews(MAX_NAMED);
    let what = if count == 1 { "thread" } else { "threads" };
    let more = if count > MAX_NAMED { ", …" } else { "" };
    let reviews = format!("{count} open review {what}: {}{more}", named.join(", "));
    let checkpoint = threads.last_checkpoint().map(|row| format!("Last checkpoint: {row}"));
    let lines = [Some(reviews).filter(|_| count > 0), checkpoint];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The threads of a directory, each described by its id and its title.
struct DirectoryThreads {
    workspace: Workspace,
    ids: ShortIds,
}

impl DirectoryThreads {
    fn new(env: &Env, directory: &Path) -> Self {
        let workspace = discover_in(env, directory);
        let ids = ShortIds::new(&names(&workspace));
        Self { workspace, ids }
    }

    /// Returns the number of open review threads, and the first of them.
    fn open_reviews(&self, max: usize) -> (usize, Vec<String>) {
        let status = Some("open".to_owned());
        self.list(&Filter { kind: Some(Kind::Review), status, ..Filter::default() }, max)
    }

    fn last_checkpoint(&self) -> Option<String> {
        let filter = Filter { kind: Some(Kind::Checkpoint), ..Filter::default() };
        self.list(&filter, 1).1.pop()
    }

    fn list(&self, filter: &Filter, max: usize) -> (usize, Vec<String>) {
        let rows = list(&self.workspace, filter, WorktreeScope::ThisWorktree).threads;
        (rows.len(), rows.iter().take(max).map(|row| self.describe(row)).collect())
    }

    /// Returns the id and the title. Both are code, so that they notify no user.
    fn describe(&self, row: &ThreadRow) -> String {
        let id = inline_code(&one_line(&self.ids.short_id(row)));
        let at = match &row.detail {
            RowDetail::Review(review) => one_line(review.at.as_deref().unwrap_or_default()),
            _ => String::new(),
        };
        let title = redact(&format!("{at} {}", one_line(&row.title))).trim().to_owned();
        format!("{id} {}", inline_code(&shorten(&title, MAX_TITLE_CHARS)))
    }
}

#[cfg(test)]
mod tests {
    use skein_fixtures::{Fixture, Review};

    use super::{open_reviews, session_links};

    /// Returns a repository with an open and a resolved thread.
    fn repository() -> Fixture {
        let fixture = Fixture::new();
        fixture.repository("repo");
        fixture.file("repo/src/a.rs", "fn a() {}\n");
        let thread = Review { says: &[("Mira", "Why @here?\nReally.")], ..Review::default() };
        fixture.review("repo", "one", &thread);
        fixture.review("repo", "two", &Review { status: "resolved", ..thread });
        fixture
    }

    fn add_reviews(fixture: &Fixture, count: usize) {
        for number in 0..count {
            let thread = Review { says: &[("Mira", "Why?")], ..Review::default() };
            fixture.review("repo", &format!("more-{number}"), &thread);
        }
    }

    #[test]
    fn open_reviews_are_listed_without_markdown_and_the_rest_is_counted() {
        let fixture = repository();
        let reviews = || open_reviews(&fixture.env(""), &fixture.path("repo"));
        assert_eq!(reviews(), "- `one` `src/a.rs:1 Why @here?`");
        add_reviews(&fixture, 11);
        let text = reviews();
        assert_eq!(text.lines().count(), 11, "{text}");
        assert!(text.ends_with("- and 2 more: `skein review list`"), "{text}");
    }

    #[test]
    fn a_description_counts_the_reviews_and_names_the_first_and_the_last_checkpoint() {
        let fixture = repository();
        let links = || session_links(&fixture.env(""), &fixture.path("repo"));
        assert_eq!(links(), "1 open review thread: `one` `src/a.rs:1 Why @here?`");
        add_reviews(&fixture, 3);
        let text = links();
        assert!(text.starts_with("4 open review threads: "), "{text}");
        assert!(text.ends_with(", …") && text.lines().count() == 1, "{text}");
        let members = "  \"title\": \"Parser done\",\n  \"created_at\": \"2026-01-23T14:30:00Z\"";
        fixture.checkpoint("repo", "T-1", members);
        let text = links();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("Last checkpoint: `") && last.contains("Parser done"), "{text}");
    }

    #[test]
    fn a_directory_without_a_store_has_nothing() {
        let fixture = Fixture::new();
        fixture.dir("repo");
        let (env, repo) = (fixture.env(""), fixture.path("repo"));
        assert_eq!(open_reviews(&env, &repo), "No open review threads.");
        assert_eq!(session_links(&env, &repo), "");
    }
}
