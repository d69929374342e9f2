//! Searching files in memory.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use skein_fixtures::{Fixture, NOW, Review, at};
use skein_search::{Page, Query, SearchCache, SearchScope, Searcher};

const PAGE: Page = Page { offset: 0, limit: 100, width: 60 };

const QUERIES: &[&str] = &[
    "a",
    "e*",
    "the",
    "retry",
    "cache",
    "re* -retry",
    "\"the cache\"",
    "\"in the\"",
    "src/cache",
    "redacted",
    "caf\u{e9}",
    "zeb*",
    "walrus",
    "zebra",
    "zebra -walrus",
    "walrus tusk",
    "kind:review",
    "kind:checkpoint the",
    "status:open",
    "status:open the",
    "author:mira",
    "-author:mira the",
    "file:src",
    "file:src the",
    "type:handoff",
    "tag:http",
    "waiting:agent",
    "before:2026-01-21",
    "0",
    "nothing-of-the-kind",
];

/// Checks that all queries have the same result in memory as on disk, twice.
#[track_caller]
fn check_all(fixture: &Fixture, dir: &str) {
    let searcher = Searcher::new(fixture.open(dir), SearchScope::Here, false).with_drafts(false);
    let cache = SearchCache::default();
    for (version, query) in [QUERIES, QUERIES].concat().into_iter().enumerate() {
        let parsed = Query::parse(query, at(NOW)).unwrap();
        let on_disk = searcher.query(&parsed, PAGE, &());
        let version = u64::try_from(version / 7).unwrap();
        let in_memory = searcher.query_cached(&parsed, PAGE, &cache, &|_| Some(version));
        let [on_disk, in_memory] =
            [on_disk, in_memory].map(|hits| serde_json::to_value(hits).unwrap());
        assert_eq!(in_memory, on_disk, "{query}");
    }
}

#[test]
fn the_demo_has_the_same_hits_in_memory_as_on_disk() {
    let fixture = Fixture::new();
    let dir = fixture.dir("demo");
    skein_demo::write(&fixture.env("demo"), &dir).unwrap();
    let parsed = Query::parse("the", at(NOW)).unwrap();
    let searcher = Searcher::new(fixture.open("demo"), SearchScope::Here, false);
    assert!(searcher.query(&parsed, PAGE, &()).total > 3);
    check_all(&fixture, "demo");
}

#[test]
fn ugly_files_have_the_same_hits_in_memory_as_on_disk() {
    let fixture = skein_fixtures::filterable();
    let threads = |name: &str| format!("repo/.code-review/threads/{name}");
    let whole = fixture.review(
        "repo",
        "r-x",
        &Review { says: &[("Mira", "A walrus.")], ..Review::default() },
    );
    let whole = fs::read_to_string(whole).unwrap();
    fixture.file(&threads("crlf.md"), whole.replace('\n', "\r\n"));
    fixture.file(&threads("bom.md"), format!("\u{feff}{whole}"));
    fixture.file(&threads("latin.md"), [whole.as_bytes(), b"caf\xe9 walrus\xff"].concat());
    fixture.file(&threads("cut.md"), "---\nwalrus: tusk");
    fixture.file(&threads("empty.md"), "");
    fixture.file(&threads(".hidden.md"), &whole);
    fixture.dir(&threads("walrus.md"));
    fixture.link(&threads("zebra.md"), "nowhere");
    fixture.link(&threads("linked.md"), "r-x.md");
    let name = OsStr::from_bytes(b"walrus-\xff.md");
    fs::write(fixture.path("repo/.code-review/threads").join(name), &whole).unwrap();
    let checkpoint = |name: &str, text: &str| {
        drop(fixture.file(&format!("repo/workspace/threads/T-20260101-100000-{name}.json"), text));
    };
    checkpoint("cut", r#"{"conversation_summary": "a walrus"#);
    checkpoint("escaped", r#"{"conversation_summary": "a \u0077alrus, the caf\u00e9"}"#);
    checkpoint(
        "capital",
        r#"{"conversation_summary": "THE WALRUS", "next_steps": ["Tusk", {"step": 1}]}"#,
    );
    checkpoint(
        "secret",
        r#"{"conversation_summary": "the walrus has ghp_0123456789abcdefghijABCDEFGHIJ012345 today"}"#,
    );
    checkpoint("empty", "");
    fixture.file(
        "repo/workspace/threads/archive/2025-01/T-20250101-100000-old.json",
        r#"{"summary": "a walrus"}"#,
    );
    fixture.file("repo/workspace/checkpoints/zebra.json", r#"{"summary": "a walrus"}"#);
    check_all(&fixture, "repo");
}

#[test]
fn a_folder_is_checked_again_when_its_version_is_another_one_or_unknown() {
    let fixture = Fixture::new();
    let says = |id: &str, text: &str| {
        fixture.review("repo", id, &Review { says: &[("Mira", text)], ..Review::default() })
    };
    says("r-a", "apple");
    let searcher = Searcher::new(fixture.open("repo"), SearchScope::Here, false);
    let (cache, version) = (SearchCache::default(), Cell::new(Some(1)));
    let query = Query::parse("apple", at(NOW)).unwrap();
    let found = || {
        let hits = searcher.query_cached(&query, PAGE, &cache, &|_| version.get()).hits;
        let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.row.id).collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(found(), "r-a");
    let added = says("r-b", "apple");
    assert_eq!(found(), "r-a");
    version.set(Some(2));
    assert_eq!(found(), "r-a r-b");
    fs::rename(&added, added.with_file_name("r-c.md")).unwrap();
    version.set(None);
    assert_eq!(found(), "r-a r-c");
    says("r-a", "melon");
    assert_eq!(found(), "r-c");
    fs::remove_file(added.with_file_name("r-c.md")).unwrap();
    assert_eq!(found(), "");
}

#[test]
fn files_that_are_too_large_for_memory_are_read_for_each_query() {
    let fixture = Fixture::new();
    let says = |id: &str| {
        let says = [("Mira", "apple")];
        fixture.review("repo", id, &Review { says: &says, ..Review::default() })
    };
    let len = fs::metadata(says("r-a")).unwrap().len();
    let searcher = Searcher::new(fixture.open("repo"), SearchScope::Here, false);
    let cache = SearchCache::with_max_file_bytes(len + 1);
    let query = Query::parse("apple", at(NOW)).unwrap();
    let total = |version| searcher.query_cached(&query, PAGE, &cache, &|_| version).total;
    assert_eq!(total(Some(1)), 1);
    says("r-b");
    // In memory, it would be missing.
    assert_eq!((total(Some(1)), total(Some(2))), (1, 2));
    says("r-c");
    assert_eq!(total(Some(2)), 3);
}
