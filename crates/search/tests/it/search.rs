//! Finding threads.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use skein_catalog::{WorktreeScope, list, refresh_copies};
use skein_model::Filter;
use skein_search::{Hits, Page, Query, SearchCache, SearchHit, SearchScope, Searcher};
use skein_workspace::registry;

use skein_fixtures::{Fixture, NOW, Review, at, git, session};

const PAGE: Page = Page { offset: 0, limit: 100, width: 60 };

fn searcher(fixture: &Fixture) -> Searcher {
    Searcher::new(fixture.open("repo"), SearchScope::Here, false)
}

#[track_caller]
fn search(fixture: &Fixture, query: &str) -> Hits {
    let searcher = searcher(fixture);
    let query = Query::parse(query, at(NOW)).unwrap();
    searcher.query(&query, PAGE, &())
}

#[track_caller]
fn ids(fixture: &Fixture, query: &str) -> String {
    let hits = search(fixture, query);
    assert_eq!(hits.total, hits.hits.len(), "{query}");
    let ids: Vec<&str> = hits.hits.iter().map(|hit| hit.row.id.as_str()).collect();
    ids.join(" ")
}

#[track_caller]
fn check(fixture: &Fixture, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(&ids(fixture, query), expected, "{query}");
    }
}

#[test]
fn filters_find_the_same_threads_as_a_list() {
    let fixture = skein_fixtures::filterable();
    let words = [
        "kind:review",
        "kind:checkpoints",
        "kind:session",
        "status:open",
        "status:resolved",
        "status:ended",
        "status:error",
        "file:src/cache.rs",
        "file:src",
        "file:./src/net/",
        "file:http.rs",
        "file:src/c",
        "file:/srv/lantern",
        "author:mira",
        "author:claude",
        "since:2026-01-21",
        "until:2026-01-18",
        "after:2026-01-21",
        "before:2026-01-18",
        "tag:http",
        "type:auto",
        "type:handoff",
        "waiting:agent",
        "waiting:reviewer",
        "waiting:agent tag:http",
        "kind:review file:http.rs status:open",
    ];
    for text in words {
        let workspace = fixture.open("repo");
        let mut filter = Filter::default();
        text.split(' ').for_each(|word| filter.word(word, at(NOW)).unwrap());
        let listed = list(&workspace, &filter, WorktreeScope::ThisWorktree).threads;
        let listed: Vec<&str> = listed.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids(&fixture, text), listed.join(" "), "{text}");
    }
}

#[test]
fn words_phrases_prefixes_and_exclusions_are_matched() {
    let fixture = Fixture::new();
    let says = |id: &str, path: &str, text: &str| {
        let says = [("Mira", text)];
        drop(fixture.review("repo", id, &Review { path, says: &says, ..Review::default() }));
    };
    says("r-a", "apps/function/src/mrr.ts", "The mutex is held while we wait");
    says("r-b", "src/b.rs", "Held by nobody: the MUTEX is poisoned. Café and naïve");
    says("r-c", "src/c.rs", "排他制御が必要です。データベース接続");
    check(
        &fixture,
        &[
            ("poisoned mutex", "r-b"),
            ("\"mutex is held\"", "r-a"),
            ("\"is mutex held\"", ""),
            ("mut* wait", "r-a"),
            ("mutex -poisoned", "r-a"),
            ("held -\"by nobody\"", "r-a"),
            ("cafe NAIVE", "r-b"),
            ("mrr.ts", "r-a"),
            ("function", "r-a"),
            ("src/mrr", "r-a"),
            ("mrr/src", ""),
            ("src/mrr.ts", "r-a"),
            ("制御", "r-c"),
            ("御制", ""),
            ("データ", "r-c"),
            ("nothing-of-the-kind", ""),
            ("author:mira poisoned", "r-b"),
            ("poisoned -author:mira", ""),
        ],
    );
}

#[test]
fn a_commit_is_found_by_a_shorter_or_a_longer_hash() {
    let fixture = Fixture::new();
    fixture.checkpoint(
        "repo",
        "T-20260119-100000-short",
        r#"  "type": "checkpoint", "git": {"branch": "feature/xyz", "current_commit": "1a2b3c4", "commits_made": ["9f8e7d6: say why"]}"#,
    );
    fixture.checkpoint(
        "repo",
        "T-20260118-100000-long",
        r#"  "type": "checkpoint", "git": {"branch": "main", "current_commit": "5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80"}"#,
    );
    let (short, long) = ("T-20260119-100000-short", "T-20260118-100000-long");
    check(
        &fixture,
        &[
            ("1a2b3c4", short),
            ("1A2B3C4D5E6F", short),
            ("9f8e7d6c5b4a", short),
            ("5d6e7f8", long),
            ("5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80", long),
            ("5d6e7f9", ""),
            ("5d6e7f", ""),
            ("xyz", short),
            ("feature/xyz", short),
            ("commit:1a2b3c4d5e", short),
            ("branch:xyz", short),
            ("branch:main", long),
        ],
    );
}

#[test]
fn unusable_files_are_found_by_their_name_and_their_text() {
    let fixture = Fixture::new();
    fixture.file("repo/.code-review/threads/broken-zebra.md", "no metadata, but a giraffe");
    fixture.file("repo/.code-review/threads/empty-okapi.md", "");
    fixture.file("repo/workspace/threads/T-20260119-100000-torn.json", "{\"summary\": \"a walrus");
    fixture.dir("repo/.code-review/threads/folder-llama.md");
    let odd = OsStr::from_bytes(b"odd-tapir-\xff.md");
    fs::write(fixture.path("repo/.code-review/threads").join(odd), "").unwrap();
    fixture.review("repo", "r-fine", &Review { says: &[("Mira", "zebra")], ..Review::default() });
    let torn = "T-20260119-100000-torn";
    check(
        &fixture,
        &[
            ("zebra -giraffe", "r-fine"),
            ("broken", "broken-zebra"),
            ("giraffe", "broken-zebra"),
            ("okapi", "empty-okapi"),
            ("llama", "folder-llama"),
            ("tapir", "odd-tapir-\u{fffd}"),
            ("walrus", torn),
            ("torn", torn),
            ("zebra status:open", "r-fine"),
        ],
    );
}

#[test]
fn secrets_of_checkpoints_are_neither_found_nor_shown() {
    let fixture = Fixture::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let id = "T-20260119-100000-token";
    let members = format!(r#"  "conversation_summary": "the token {secret} was rotated""#);
    fixture.checkpoint("repo", id, &members);
    check(&fixture, &[(&secret, ""), ("rotated", id), ("redacted", id)]);
    let shown = serde_json::to_string(&search(&fixture, "rotated")).unwrap();
    assert!(!shown.contains(&secret) && shown.contains("REDACTED"), "{shown}");
}

#[test]
fn changed_threads_are_found_and_deleted_ones_are_not() {
    let fixture = Fixture::new();
    let says = |id: &str, text: &str| {
        let says = [("Mira", text)];
        fixture.review("repo", id, &Review { says: &says, ..Review::default() })
    };
    let changed = says("r-a", "an apple here");
    let gone = says("r-b", "an apple there");
    says("r-c", "an apple everywhere");
    let searcher = searcher(&fixture);
    let cache = SearchCache::default();
    let found = |query: &str| {
        let query = Query::parse(query, at(NOW)).unwrap();
        let found = searcher.query(&query, PAGE, &()).hits;
        let cached = searcher.query_cached(&query, PAGE, &cache, &|_| None).hits;
        let ids =
            |hits: Vec<SearchHit>| hits.into_iter().map(|hit| hit.row.id).collect::<BTreeSet<_>>();
        let found = ids(found);
        assert_eq!(found, ids(cached));
        found
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(found("apple"), ids(&["r-a", "r-b", "r-c"]));
    let time = changed.metadata().unwrap().modified().unwrap();
    says("r-a", "a melon, here");
    // As after the restore of a backup, the size and the time are the same.
    fs::File::options().write(true).open(&changed).unwrap().set_modified(time).unwrap();
    fs::remove_file(gone).unwrap();
    says("r-d", "an apple again");
    assert_eq!(found("apple"), ids(&["r-c", "r-d"]));
    assert_eq!(found("melon"), ids(&["r-a"]));
}

#[test]
fn everywhere_means_the_registered_workspaces() {
    let fixture = Fixture::new();
    for (repository, id) in [("repo", "one"), ("other", "far")] {
        fixture.repository(repository);
        let says = [("Ann", "A lantern.")];
        fixture.review(repository, id, &Review { says: &says, ..Review::default() });
    }
    let found = |reach| {
        let workspace = fixture.open("repo");
        let query = Query::parse("lantern", at(NOW)).unwrap();
        let hits = Searcher::new(workspace, reach, false).query(&query, PAGE, &()).hits;
        hits.into_iter().map(|hit| hit.row.id).collect::<BTreeSet<_>>()
    };
    assert_eq!(found(SearchScope::Everywhere), ["one".to_owned()].into());
    let other = fixture.open("other");
    registry::remember(&other);
    assert_eq!(found(SearchScope::Everywhere), ["one", "far"].map(str::to_owned).into());
    assert_eq!(found(SearchScope::Here), ["one".to_owned()].into());
}

#[test]
fn words_of_a_removed_worktree_are_found_with_those_of_all_worktrees() {
    let fixture = Fixture::new();
    let top = fixture.repository("repo");
    fixture.worktree("repo", "feat", "feat");
    let says = [("Mira", "A walrus.")];
    fixture.review("feat", "t1", &Review { says: &says, ..Review::default() });
    assert_eq!(refresh_copies(&fixture.open("repo")).len(), 0);
    let path = fixture.path("feat").display().to_string();
    git(&top, &["worktree", "remove", "--force", &path]);
    let query = Query::parse("walrus", at(NOW)).unwrap();
    let branches = |all_worktrees: bool| {
        let searcher = Searcher::new(fixture.open("repo"), SearchScope::Here, all_worktrees);
        let hits = searcher.query(&query, PAGE, &()).hits;
        hits.into_iter().map(|hit| hit.row.branch.unwrap()).collect::<Vec<String>>()
    };
    assert_eq!(branches(true), ["feat (removed)"]);
    assert_eq!(branches(false), [""; 0]);
}

#[test]
fn a_thread_of_a_shared_store_is_found_once() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.file("repo/.code-review/.gitattributes", "threads/*.md merge=skein\n");
    let says = [("Mira", "A walrus.")];
    fixture.review("repo", "t1", &Review { says: &says, ..Review::default() });
    fixture.commit("repo", "share");
    fixture.worktree("repo", "feat", "feat");
    fixture.review("feat", "t2", &Review { says: &says, ..Review::default() });
    let query = Query::parse("walrus", at(NOW)).unwrap();
    let threads = |all_worktrees: bool| {
        let searcher = Searcher::new(fixture.open("repo"), SearchScope::Here, all_worktrees);
        let hits = searcher.query(&query, PAGE, &());
        assert_eq!(hits.total, hits.hits.len());
        let place = |file: &Path| fixture.shorten(&file.display().to_string());
        hits.hits.iter().map(|hit| place(&hit.row.file)).collect::<BTreeSet<String>>()
    };
    let own = "repo/.code-review/threads/t1.md".to_owned();
    let other = "feat/.code-review/threads/t2.md".to_owned();
    assert_eq!(threads(false), [own.clone()].into());
    assert_eq!(threads(true), [own, other].into());
}

#[test]
fn the_best_match_comes_first_and_recent_threads_before_old_ones() {
    let fixture = Fixture::new();
    let checkpoint = |id: &str, day: u32, title: &str, summary: &str| {
        let members = format!(
            r#"  "updated_at": "2026-01-{day}T10:00:00Z", "conversation_summary": "{summary}", "metadata": {{"title": "{title}"}}"#
        );
        drop(fixture.checkpoint("repo", id, &members));
    };
    let (in_title, old, new) =
        ("T-20260110-100000-a", "T-20260111-100000-b", "T-20260112-100000-c");
    checkpoint(in_title, 10, "parser", "something else entirely");
    checkpoint(old, 11, "other work", "about the parser today");
    checkpoint(new, 12, "other work", "about the parser today");
    check(&fixture, &[("parser", &format!("{in_title} {new} {old}"))]);
}

#[test]
fn a_hit_has_its_location_and_the_text_with_marks() {
    let fixture = Fixture::new();
    let says = [("Mira", "Why?"), ("Claude Code", "The retry budget\n\nis spent here.")];
    let review =
        Review { path: "src/net.rs", lines: Some((11, 11)), says: &says, ..Review::default() };
    fixture.review("repo", "r-a", &review);
    let members = r#"  "next_steps": ["one", "raise the retry budget"]"#;
    fixture.checkpoint("repo", "T-20260110-100000-a", members);
    fixture.sessions(&[session("ses_one", "active", NOW)]);
    let hits = serde_json::to_value(search(&fixture, "retry budget")).unwrap();
    let hit = |id: &str| {
        let hits = hits["hits"].as_array().unwrap();
        hits.iter().find(|hit| hit["id"] == id).unwrap().clone()
    };
    let review = hit("r-a");
    assert_eq!(review["at"], "src/net.rs:12");
    assert_eq!((&review["in"], &review["by"]), (&"comment".into(), &"Claude Code".into()));
    let text = review["snippet"].as_str().unwrap();
    let marks = review["marks"].as_array().unwrap();
    let marked: Vec<&str> = marks
        .iter()
        .map(|mark| {
            let at = |key: &str| usize::try_from(mark[key].as_u64().unwrap()).unwrap();
            text.get(at("start")..at("end")).unwrap()
        })
        .collect();
    assert_eq!(marked, ["retry", "budget"]);
    let checkpoint = hit("T-20260110-100000-a");
    assert_eq!((&checkpoint["in"], &checkpoint["at"]), (&"step".into(), &"step 2".into()));
    assert_eq!(ids(&fixture, "lantern"), "ses_one");
}

#[test]
fn archived_checkpoints_are_found_and_replaced_ones_are_not() {
    let fixture = Fixture::new();
    let text = r#"{"thread_id": "T-20250101-100000-old", "conversation_summary": "a glacier"}"#;
    fixture.file("repo/workspace/threads/archive/2025-01/T-20250101-100000-old.json", text);
    fixture.checkpoint("repo", "one", "");
    fixture.file("repo/workspace/checkpoints/same.json", r#"{"summary": "a glacier"}"#);
    // A thread with the same id replaces it, so it is not counted on any page.
    fixture.file(
        "repo/workspace/checkpoints/T-20260101-100000-new.json",
        r#"{"summary": "a glacier"}"#,
    );
    fixture.checkpoint("repo", "T-20260101-100000-new", r#"  "conversation_summary": "a river""#);
    check(&fixture, &[("glacier", "T-20250101-100000-old same")]);
    let searcher = searcher(&fixture);
    let query = Query::parse("glacier", at(NOW)).unwrap();
    assert_eq!(searcher.query(&query, Page { limit: 1, ..PAGE }, &()).total, 2);
}

#[test]
fn a_directory_that_cannot_be_searched_is_reported() {
    let fixture = Fixture::new();
    fixture.checkpoint(
        "repo",
        "T-20260119-100000-fine",
        r#"  "conversation_summary": "a glacier""#,
    );
    fixture.file("repo/workspace/checkpoints", "a file where the folder should be");
    let hits = search(&fixture, "glacier");
    assert_eq!(hits.total, 1);
    let named: Vec<&str> = hits.diagnostics.iter().map(|diag| diag.code).collect();
    assert_eq!(named, ["store-unreadable"], "{hits:?}");
}

#[test]
fn a_search_waits_for_a_thread_that_is_being_written() {
    let fixture = Fixture::new();
    let path =
        fixture.review("repo", "r-a", &Review { says: &[("Mira", "walrus")], ..Review::default() });
    let whole = fs::read(&path).unwrap();
    fs::write(&path, "").unwrap();
    let writing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        fs::write(&path, whole).unwrap();
    });
    assert_eq!(ids(&fixture, "walrus"), "r-a");
    writing.join().unwrap();
}

#[test]
fn equal_matches_are_sorted_by_name() {
    let fixture = Fixture::new();
    let same = Review { says: &[("Ann", "The same word.")], ..Review::default() };
    // They are written in another order than that of their names, and read by several threads.
    let names: Vec<String> = (0..1200).map(|n| format!("{:04}", n * 7 % 1200)).collect();
    names.iter().for_each(|name| drop(fixture.review("repo", name, &same)));
    let expected: Vec<String> = (0..1200).map(|n| format!("{n:04}")).collect();
    let searcher = searcher(&fixture);
    let query = Query::parse("same", at(NOW)).unwrap();
    let page = |offset| Page { offset, limit: 100, width: 60 };
    let pages = (0..1200).step_by(100).map(|at| searcher.query(&query, page(at), &()));
    let found: Vec<String> = pages.flat_map(|hits| hits.hits).map(|hit| hit.row.id).collect();
    assert_eq!(found, expected);
}
