//! Changes of the branch, the store and the settings.

use std::fs;

use skein_model::view::ThreadBody;
use skein_review::ChangesQuery;

use super::{comment, open, paths, shown, until, until_true, workspace};
use skein_fixtures::{Fixture, git};

#[test]
fn a_switch_to_another_branch_updates_everything() {
    let fixture = workspace();
    let top = fixture.path("w");
    git(&top, &["checkout", "--quiet", "-b", "topic/one"]);
    fixture.file("w/a.rs", "// new\nfn one() {}\nfn two() {}\nfn three() {}\n");
    let author =
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-am", "more"];
    git(&top, &author);
    let live = open(&fixture);
    assert_eq!(shown(&live), ["first: shifted a.rs:2", "second: shifted a.rs:3"]);
    assert_eq!(paths(&live), ["modified a.rs"]);
    let mut before = live.last_event_number();
    git(&top, &["checkout", "--quiet", "main"]);
    before = until(&live, before, |event| event.repository).number;
    until_true(|| shown(&live) == ["first: exact a.rs:1", "second: exact a.rs:2"]);
    until_true(|| paths(&live).is_empty());
    // After a commit there are no changes.
    fixture.file("w/a.rs", "fn one() {}\nfn two() {}\n");
    before = until(&live, before, |event| event.files.contains(&"a.rs".to_owned())).number;
    git(&top, &author);
    until(&live, before, |event| event.repository);
    until_true(|| paths(&live).is_empty());
}

#[test]
fn a_linked_worktree_follows_its_own_head() {
    let fixture = Fixture::new();
    fixture.file("main/a.rs", "one\n");
    fixture.repository("main");
    fixture.worktree("main", "w", "topic");
    let live = open(&fixture);
    assert_eq!(paths(&live), [""; 0]);
    let mut before = live.last_event_number();
    fixture.file("w/a.rs", "two\n");
    before = until(&live, before, |event| event.files == ["a.rs"]).number;
    git(&fixture.path("w"), &["checkout", "--quiet", "-b", "other"]);
    before = until(&live, before, |event| event.repository).number;
    git(&fixture.path("w"), &["add", "a.rs"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "more"];
    git(&fixture.path("w"), &author);
    until(&live, before, |event| event.repository);
    until_true(|| live.changes(&ChangesQuery::default()).unwrap().title.contains("Nothing"));
}

#[test]
fn a_store_that_is_created_later_is_found() {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\n");
    fixture.repository("w");
    let live = open(&fixture);
    assert!(live.threads().views.is_empty() && !live.workspace().reviews.exists);
    let mut before = live.last_event_number();
    comment(&fixture, "a.rs:1", "first", false);
    before = until(&live, before, |event| event.everything).number;
    until_true(|| shown(&live) == ["first: exact a.rs:1"]);
    let second = comment(&fixture, "a.rs:1", "second", false);
    before = until(&live, before, |event| event.threads == [second.as_str()]).number;
    fs::remove_dir_all(fixture.path("w/.code-review")).unwrap();
    before = until(&live, before, |event| event.everything).number;
    until_true(|| live.threads().views.is_empty());
    comment(&fixture, "a.rs:1", "third", false);
    until(&live, before, |event| event.everything);
    until_true(|| shown(&live) == ["third: exact a.rs:1"]);
}

#[test]
fn changed_settings_are_applied() {
    let fixture = workspace();
    let live = open(&fixture);
    let id = live.threads().views[0].row.id.clone();
    let agent = || match &live.threads().get(&id).unwrap().body {
        ThreadBody::Review(body) => body.comments[0].agent,
        _ => panic!(),
    };
    assert!(!agent());
    let before = live.last_event_number();
    fixture.file("w/.skein.toml", "[review]\nagents = [\"Mira\"]\n");
    until(&live, before, |event| event.everything);
    until_true(agent);
}
