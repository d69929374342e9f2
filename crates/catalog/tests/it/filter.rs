use skein_catalog::{WorktreeScope, list};
use skein_model::Filter;

use skein_fixtures::{Fixture, NOW, at};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.checkpoint(
        "r",
        "T-1",
        "  \"updated_at\": \"2026-01-01T00:00:00Z\",\n  \"git\": {\"branch\": \"feature/xyz\", \"initial_commit\": \"aaaa111\", \"current_commit\": \"bbbb222cccc\", \"commits_made\": [\"dddd333: add it\"]}",
    );
    fixture.checkpoint(
        "r",
        "T-2",
        "  \"updated_at\": \"2026-01-10T00:00:00Z\",\n  \"git\": {\"branch\": \"main\", \"current_commit\": \"bbb\"},\n  \"files_touched\": [\"src/a.rs\"]",
    );
    fixture.review("r", "7f3a", &skein_fixtures::Review::default());
    fixture
}

#[track_caller]
fn check(words: &str, expected: &[&str]) {
    let fixture = fixture();
    let workspace = fixture.open("r");
    let mut filter = Filter::default();
    for word in words.split_whitespace() {
        filter.word(word, at(NOW)).unwrap();
    }
    let rows = list(&workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, expected, "{words}");
}

#[test]
fn a_branch_matches_by_its_whole_name_or_one_component() {
    for word in ["feature/xyz", "xyz", "feature"] {
        check(&format!("branch:{word}"), &["T-1"]);
    }
    check("branch:xy", &[]);
    check("branch:main", &["T-2"]);
}

#[test]
fn a_commit_matches_by_its_prefix_in_any_field() {
    for word in ["bbbb222", "BBBB222CCCCDDDD", "aaaa", "dddd333eee", "dddd"] {
        check(&format!("commit:{word}"), &["T-1"]);
    }
    check("commit:eeee", &[]);
    check("commit:dddd333 file:src", &[]);
    check("checkpoint file:src", &["T-2"]);
    let mut filter = Filter::default();
    for word in ["bbb", "main", "bbbg"] {
        assert!(filter.set("commit", word, at(NOW)).is_err(), "{word}");
    }
}

#[test]
fn a_time_filter_may_have_an_end() {
    check("checkpoint until:2026-01-05", &["T-1"]);
    check("checkpoint before:2026-01-10T00:00:00Z", &["T-1"]);
    check("checkpoint since:2026-01-02 until:2026-01-11", &["T-2"]);
}
