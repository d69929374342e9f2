use std::path::PathBuf;

use skein_catalog::{FindError, ShortIds, ShowError, WorktreeScope, list, names, show};
use skein_model::Filter;

use skein_fixtures::{Fixture, Review, session};

/// Returns the file or session that an id refers to, or why there is none.
fn found(fixture: &Fixture, dir: &str, text: &str) -> String {
    let workspace = fixture.open(dir);
    match show(&workspace, text) {
        Ok(view) if view.row.file.ends_with("mattermost-threads.json") => view.row.id,
        Ok(view) => fixture.shorten(&view.row.file.display().to_string()),
        Err(ShowError::Find(FindError::None { near, .. })) => {
            format!("none, near: {}", near.join(" "))
        }
        Err(ShowError::Find(FindError::Ambiguous { mut candidates, .. })) => {
            candidates.sort();
            let ids: Vec<String> = candidates.into_iter().map(|(id, _)| id).collect();
            format!("ambiguous: {}", ids.join(" "))
        }
        Err(error) => fixture.shorten(&error.to_string()),
    }
}

#[track_caller]
fn check(fixture: &Fixture, dir: &str, text: &str, expected: &str) {
    assert_eq!(found(fixture, dir, text), expected, "{text} in {dir}");
}

fn workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.dir("repo/src/deep");
    let on = |id: &str, path: &str, lines: Option<(u32, u32)>| {
        drop(fixture.review("repo", id, &Review { path, lines, ..Review::default() }));
    };
    on("abc", "src/a.rs", Some((11, 13)));
    on("abc-longer", "src/b.rs", Some((11, 13)));
    on("abd", "src/b.rs", Some((12, 19)));
    on("file-level", "src/b.rs", None);
    on("whole", "src/whole.rs", None);
    let title = "  \"updated_at\": \"2026-01-22T10:00:00Z\"";
    fixture.checkpoint("repo", "T-20260119-100000-cache-eviction", title);
    fixture.checkpoint("repo", "T-20260118-100000-cache-spike", "  \"type\": \"checkpoint\"");
    fixture.checkpoint("repo", "T-20260117-100000-twice", "  \"type\": \"checkpoint\"");
    fixture.checkpoint("repo", "T-20260116-100000-twice", "  \"type\": \"checkpoint\"");
    fixture.file("repo/workspace/checkpoints/old-task.json", "{\"task_id\": \"old-task\"}");
    fixture.file("repo/workspace/threads/handoff.json", "{\"last_thread\": \"x\"}");
    fixture.sessions(&[
        session("ses_1f0c", "active", "2026-01-16T10:00:00.000Z"),
        session("ses_1f0c99", "ended", "2026-01-15T10:00:00.000Z"),
        session("ses_2a", "ended", "2026-01-15T10:00:00.000Z"),
    ]);
    fixture
}

const REVIEWS: &str = "repo/.code-review/threads";
const CHECKPOINTS: &str = "repo/workspace/threads";

#[test]
fn an_exact_id_wins_over_a_prefix_of_another() {
    let fixture = workspace();
    check(&fixture, "repo", "abc", &format!("{REVIEWS}/abc.md"));
    check(&fixture, "repo", "ses_1f0c", "ses_1f0c");
    check(&fixture, "repo", "old-task", "repo/workspace/checkpoints/old-task.json");
    let id = "T-20260119-100000-cache-eviction";
    check(&fixture, "repo", id, &format!("{CHECKPOINTS}/{id}.json"));
}

#[test]
fn a_unique_prefix_of_an_id_is_enough() {
    let fixture = workspace();
    check(&fixture, "repo", "abc-", &format!("{REVIEWS}/abc-longer.md"));
    check(&fixture, "repo", "abd", &format!("{REVIEWS}/abd.md"));
    check(&fixture, "repo", "ses_2", "ses_2a");
    check(&fixture, "repo", "old-", "repo/workspace/checkpoints/old-task.json");
    check(&fixture, "repo", "ab", "ambiguous: abc abc-longer abd");
    check(&fixture, "repo", "ses_", "ambiguous: ses_1f0c ses_1f0c99 ses_2a");
}

#[test]
fn a_checkpoint_is_found_by_its_slug() {
    let fixture = workspace();
    let file = format!("{CHECKPOINTS}/T-20260119-100000-cache-eviction.json");
    check(&fixture, "repo", "cache-eviction", &file);
    check(&fixture, "repo", "cache-e", &file);
    check(
        &fixture,
        "repo",
        "cache",
        "ambiguous: T-20260118-100000-cache-spike T-20260119-100000-cache-eviction",
    );
    check(&fixture, "repo", "twice", "ambiguous: T-20260116-100000-twice T-20260117-100000-twice");
}

#[test]
fn a_thread_and_its_legacy_checkpoint_are_found_as_one() {
    let fixture = workspace();
    let id = "T-20260119-100000-cache-eviction";
    fixture.file(&format!("repo/workspace/checkpoints/{id}.json"), "{}");
    let file = format!("{CHECKPOINTS}/{id}.json");
    check(&fixture, "repo", id, &file);
    check(&fixture, "repo", "cache-eviction", &file);
    check(&fixture, "repo", "T-20260119", &file);
    check(
        &fixture,
        "repo",
        "cache",
        "ambiguous: T-20260118-100000-cache-spike T-20260119-100000-cache-eviction",
    );
}

#[test]
fn other_files_in_the_thread_directory_are_not_threads() {
    let fixture = workspace();
    fixture.file("repo/workspace/threads/T-20260117-100000-twice.changeset.json", "{}");
    check(&fixture, "repo", "handoff", "none, near: ");
    check(&fixture, "repo", "T-20260117-100000-twice.changeset", "none, near: ");
    check(&fixture, "repo", "workspace/threads/handoff.json", "none, near: ");
}

#[test]
fn a_thread_is_found_by_its_location() {
    let fixture = workspace();
    let abc = format!("{REVIEWS}/abc.md");
    for text in
        ["src/a.rs:12", "src/a.rs:13", "src/a.rs:14", "src/a.rs:12-14", "src/a.rs", "./src/a.rs:12"]
    {
        check(&fixture, "repo", text, &abc);
    }
    check(&fixture, "repo", "src/a.rs:11", "none, near: ");
    check(&fixture, "repo", "src/a.rs:15", "none, near: ");
    check(&fixture, "repo", "src/a.rs:12:1", &abc);
    check(&fixture, "repo", "src/whole.rs", &format!("{REVIEWS}/whole.md"));
    check(&fixture, "repo", "src/whole.rs:3", "none, near: ");
}

#[test]
fn a_location_is_relative_to_the_current_directory() {
    let fixture = workspace();
    let abc = format!("{REVIEWS}/abc.md");
    check(&fixture, "repo/src", "a.rs:12", &abc);
    check(&fixture, "repo/src", "src/a.rs:12", &abc);
    check(&fixture, "repo/src/deep", "../a.rs:12", &abc);
    check(&fixture, "repo/src", "./a.rs", &abc);
    let absolute = fixture.path("repo/src/a.rs").display().to_string();
    check(&fixture, "repo/src", &format!("{absolute}:12"), &abc);
}

#[test]
fn a_location_as_printed_by_a_list_finds_its_thread() {
    let fixture = workspace();
    check(&fixture, "repo", "src/b.rs:14", "ambiguous: abc-longer abd");
    check(&fixture, "repo", "src/b.rs:12-14", &format!("{REVIEWS}/abc-longer.md"));
    check(&fixture, "repo", "src/b.rs:13-20", &format!("{REVIEWS}/abd.md"));
    check(&fixture, "repo", "src/b.rs", &format!("{REVIEWS}/file-level.md"));
}

#[test]
fn the_last_thread_is_the_one_changed_last() {
    let fixture = workspace();
    let file = format!("{CHECKPOINTS}/T-20260119-100000-cache-eviction.json");
    check(&fixture, "repo", "@last", &file);
    fixture.dir("empty");
    std::fs::remove_dir_all(fixture.path("home")).unwrap();
    check(&fixture, "empty", "@last", "there is no thread here yet");
}

#[test]
fn the_path_of_a_thread_file_is_an_id() {
    let fixture = workspace();
    fixture.review("other", "elsewhere", &Review::default());
    fixture.file("other/.code-review/threads/notes.txt", "");
    fixture.file("other/notes.md", "# Notes\n");
    check(&fixture, "repo", ".code-review/threads/abc.md", &format!("{REVIEWS}/abc.md"));
    let other = "other/.code-review/threads/elsewhere.md";
    check(&fixture, "repo", &format!("../{other}"), other);
    let absolute = fixture.path(other).display().to_string();
    check(&fixture, "repo", &absolute, other);
    check(
        &fixture,
        "repo/workspace",
        "threads/T-20260117-100000-twice.json",
        &format!("{CHECKPOINTS}/T-20260117-100000-twice.json"),
    );
    check(&fixture, "repo", "../other/notes.md", "none, near: ");
    check(&fixture, "repo", "../other/.code-review/threads/notes.txt", "none, near: ");
}

#[test]
fn path_traversal_and_special_characters_find_nothing() {
    let fixture = workspace();
    fixture.file("secret.md", "# Secret\n");
    fixture.file("repo/.code-review/secret.md", "# Secret\n");
    fixture.file("repo/workspace/secret.json", "{}");
    let absolute = fixture.path("secret").display().to_string();
    for text in [
        "../secret",
        "../../secret",
        "../../../secret.md",
        &absolute,
        "..",
        ".",
        "/",
        "",
        "\0",
        "*",
    ] {
        check(&fixture, "repo", text, "none, near: ");
    }
}

#[test]
fn an_unknown_id_lists_similar_ids() {
    let fixture = workspace();
    check(&fixture, "repo", "LONGER", "none, near: abc-longer");
    check(&fixture, "repo", "evict", "none, near: T-20260119-100000-cache-eviction");
    check(&fixture, "repo", "zzz", "none, near: ");
}

#[test]
fn a_thread_file_that_is_a_symlink_is_found_by_id_and_by_path() {
    let fixture = workspace();
    let target: PathBuf = fixture.file("kept/real.md", fixture.read(&format!("{REVIEWS}/abc.md")));
    fixture.link(&format!("{REVIEWS}/linked.md"), target);
    let linked = format!("{REVIEWS}/linked.md");
    check(&fixture, "repo", "linked", &linked);
    check(&fixture, "repo", ".code-review/threads/linked.md", &linked);
}

#[test]
fn a_thread_of_another_worktree_is_found_when_this_one_has_no_match() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    fixture.worktree("repo", "third", "third");
    fixture.review("repo", "here", &Review::default());
    fixture.review("beside", "here-too", &Review::default());
    fixture.review("beside", "there", &Review::default());
    fixture.review("beside", "there-too", &Review::default());
    fixture.review("third", "there-too", &Review::default());
    check(&fixture, "repo", "her", &format!("{REVIEWS}/here.md"));
    check(&fixture, "repo", "there", "beside/.code-review/threads/there.md");
    check(&fixture, "third", "here-", "beside/.code-review/threads/here-too.md");
    let many = found(&fixture, "repo", "there-too");
    assert_eq!(
        fixture.shorten(&many),
        "ambiguous: beside/.code-review/threads/there-too.md third/.code-review/threads/there-too.md"
    );
}

#[test]
fn every_short_id_finds_its_thread() {
    let fixture = workspace();
    fixture.review("repo", "twice", &Review::default());
    fixture.review("repo", "cache-123", &Review::default());
    fixture.review("repo", "solo", &Review::default());
    fixture.checkpoint("repo", "T-20260115-100000-solo", "  \"type\": \"checkpoint\"");
    let workspace = fixture.open("repo");
    let short_ids = ShortIds::new(&names(&workspace));
    let rows = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
    for row in rows {
        let short_id_of_row = short_ids.short_id(&row);
        let found = show(&workspace, &short_id_of_row).unwrap().row;
        assert_eq!((found.kind, found.id), (row.kind, row.id), "{short_id_of_row}");
    }
}

#[test]
fn an_unreadable_thread_with_the_exact_id_wins_over_the_slug_of_another() {
    let fixture = workspace();
    fixture.dir("repo/.code-review/threads/twin.md");
    fixture.checkpoint("repo", "T-20260115-100000-twin", "  \"type\": \"checkpoint\"");
    check(&fixture, "repo", "twin", &format!("{REVIEWS}/twin.md"));
}
