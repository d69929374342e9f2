//! What is around the files changes: the branch, the store, the settings.

use std::fs;

use skein_model::view::ThreadBody;
use skein_review::ChangesQuery;

use super::{comment, open, paths, shown, until, until_true, workspace};
use skein_fixtures::{Fixture, git};

#[test]
fn another_branch_moves_everything() {
    let fixture = workspace();
    let top = fixture.path("w");
    git(&top, &["checkout", "--quiet", "-b", "topic/one"]);
    fixture.file("w/a.rs", "// new\nfn one() {}\nfn two() {}\nfn three() {}\n");
    let author =
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-am", "more"];
    git(&top, &author);
    let desk = open(&fixture);
    assert_eq!(shown(&desk), ["first: shifted a.rs:2", "second: shifted a.rs:3"]);
    assert_eq!(paths(&desk), ["modified a.rs"]);
    let mut before = desk.last_event_number();
    git(&top, &["checkout", "--quiet", "main"]);
    before = until(&desk, before, |event| event.repository).number;
    until_true(|| shown(&desk) == ["first: exact a.rs:1", "second: exact a.rs:2"]);
    until_true(|| paths(&desk).is_empty());
    // A commit makes what was changed unchanged.
    fixture.file("w/a.rs", "fn one() {}\nfn two() {}\n");
    before = until(&desk, before, |event| event.files.contains(&"a.rs".to_owned())).number;
    git(&top, &author);
    until(&desk, before, |event| event.repository);
    until_true(|| paths(&desk).is_empty());
}

#[test]
fn a_linked_worktree_has_a_head_of_its_own() {
    let fixture = Fixture::new();
    fixture.file("main/a.rs", "one\n");
    fixture.repository("main");
    fixture.worktree("main", "w", "topic");
    let desk = open(&fixture);
    assert_eq!(paths(&desk), [""; 0]);
    let mut before = desk.last_event_number();
    fixture.file("w/a.rs", "two\n");
    before = until(&desk, before, |event| event.files == ["a.rs"]).number;
    git(&fixture.path("w"), &["checkout", "--quiet", "-b", "other"]);
    before = until(&desk, before, |event| event.repository).number;
    git(&fixture.path("w"), &["add", "a.rs"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "more"];
    git(&fixture.path("w"), &author);
    until(&desk, before, |event| event.repository);
    until_true(|| desk.changes(&ChangesQuery::default()).unwrap().title.contains("Nothing"));
}

#[test]
fn a_store_that_comes_later_is_found() {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\n");
    fixture.repository("w");
    let desk = open(&fixture);
    assert!(desk.threads().views.is_empty() && !desk.workspace().reviews.exists);
    let mut before = desk.last_event_number();
    comment(&fixture, "a.rs:1", "first", false);
    before = until(&desk, before, |event| event.everything).number;
    until_true(|| shown(&desk) == ["first: exact a.rs:1"]);
    let second = comment(&fixture, "a.rs:1", "second", false);
    before = until(&desk, before, |event| event.threads == [second.as_str()]).number;
    fs::remove_dir_all(fixture.path("w/.code-review")).unwrap();
    before = until(&desk, before, |event| event.everything).number;
    until_true(|| desk.threads().views.is_empty());
    comment(&fixture, "a.rs:1", "third", false);
    until(&desk, before, |event| event.everything);
    until_true(|| shown(&desk) == ["third: exact a.rs:1"]);
}

#[test]
fn settings_that_change_are_taken_in() {
    let fixture = workspace();
    let desk = open(&fixture);
    let id = desk.threads().views[0].row.id.clone();
    let agent = || match &desk.threads().get(&id).unwrap().body {
        ThreadBody::Review(body) => body.comments[0].agent,
        _ => panic!(),
    };
    assert!(!agent());
    let before = desk.last_event_number();
    fixture.file("w/.skein.toml", "[review]\nagents = [\"Mira\"]\n");
    until(&desk, before, |event| event.everything);
    until_true(agent);
}
