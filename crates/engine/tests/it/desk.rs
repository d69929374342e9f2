//! What lies open before a reviewer follows the files.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_engine::review::{AddOptions, ChangesQuery, NewThread, Place, add};
use skein_engine::view::{Body, View};
use skein_engine::{Actor, Desk, Env, Event, Ids};

use crate::fixture::Fixture;

/// Nothing takes so long unless it hangs.
const BOUND: Duration = Duration::from_secs(20);

/// Waits until an event of the desk after `number` is the right one.
#[track_caller]
fn until(desk: &Desk, mut number: u64, right: impl Fn(&Event) -> bool) -> Event {
    let deadline = Instant::now() + BOUND;
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        for event in desk.changed(number, Duration::from_millis(500)) {
            number = event.number;
            if right(&event) {
                return event;
            }
            seen.push(event);
        }
    }
    panic!("no event was the right one: {seen:?}");
}

fn at(view: &View) -> String {
    let Body::Review(body) = &view.body else { panic!("{view:?}") };
    let place = body.placement.as_ref().map(|at| format!("{} {}", at.state, at.at()));
    format!("{}: {}", view.row.title, place.unwrap_or_else(|| "nowhere".to_owned()))
}

fn shown(desk: &Desk) -> Vec<String> {
    desk.threads().views.iter().map(|view| at(view)).collect()
}

fn comment(fixture: &Fixture, place: &str, body: &str, draft: bool) -> String {
    let (workspace, env) = fixture.open("w");
    let env = Env { ids: Ids::seeded(body), ..env };
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = NewThread {
        place: Place::parse(&workspace, &env, place).unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let options = AddOptions { draft, changed_only: false };
    add(&workspace, &env, &actor, &[thread], options).unwrap().threads[0].id.clone()
}

/// A repository with a file of three lines and a thread on each of two.
fn workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    fixture.file("w/.gitignore", "ignored\n");
    fixture.repository("w");
    comment(&fixture, "a.rs:2", "second", false);
    comment(&fixture, "a.rs:1", "first", false);
    fixture
}

fn open(fixture: &Fixture) -> Desk {
    Desk::open(Arc::new(fixture.env("w")))
}

#[test]
fn threads_come_by_line_and_follow_their_code() {
    let fixture = workspace();
    let desk = open(&fixture);
    assert_eq!(shown(&desk), ["first: exact a.rs:1", "second: exact a.rs:2"]);
    let before = desk.latest();
    fixture.file("w/a.rs", "fn zero() {}\nfn one() {}\nfn two() {}\nfn three() {}\n");
    until(&desk, before, |event| event.threads.len() == 2);
    assert_eq!(shown(&desk), ["first: shifted a.rs:2", "second: shifted a.rs:3"]);
}

#[test]
fn changes_have_the_whole_new_side() {
    let fixture = workspace();
    let desk = open(&fixture);
    let query = ChangesQuery::default();
    assert_eq!(desk.changes(&query).unwrap().files.len(), 0);
    fixture.file("w/a.rs", "\u{feff}one\r\ntwo\nthree\nfour");
    desk.wrote();
    let diff = desk.changes(&query).unwrap();
    assert_eq!(diff.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
    let text = desk.text(&query, "a.rs").unwrap();
    assert_eq!(text.lines, ["one", "two", "three", "four"]);
    assert_eq!(*text, *desk.file("a.rs").unwrap());
    assert_eq!(desk.text(&query, "b.rs"), None);
    let staged = ChangesQuery { staged: true, ..query };
    assert_eq!(desk.text(&staged, "a.rs"), None);
    crate::fixture::git(&fixture.path("w"), &["add", "a.rs"]);
    fixture.file("w/a.rs", "none\n");
    desk.wrote();
    until_true(|| desk.text(&staged, "a.rs").is_some());
    assert_eq!(desk.text(&staged, "a.rs").unwrap().lines, ["one", "two", "three", "four"]);
}

/// Waits for what no event tells of.
#[track_caller]
fn until_true(mut right: impl FnMut() -> bool) {
    let deadline = Instant::now() + BOUND;
    while !right() {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
}

#[test]
fn files_outside_are_not_given_out() {
    let fixture = workspace();
    fixture.file("secret", "s");
    fixture.link("w/link", "../secret");
    let desk = open(&fixture);
    for path in
        ["../secret", "/etc/passwd", "link", ".git/HEAD", ".code-review/threads/t1.md", "", "gone"]
    {
        assert!(desk.file(path).is_err(), "{path}");
    }
}

#[test]
fn threads_and_drafts_that_come_and_go_are_told_of() {
    let fixture = workspace();
    let desk = open(&fixture);
    let mut before = desk.latest();
    let third = comment(&fixture, "a.rs:3", "third", false);
    before = until(&desk, before, |event| event.threads == [third.as_str()]).number;
    assert_eq!(shown(&desk).last().unwrap(), "third: exact a.rs:3");
    fs::remove_file(fixture.path(&format!("w/.code-review/threads/{third}.md"))).unwrap();
    before = until(&desk, before, |event| event.threads == [third.as_str()]).number;
    assert_eq!(shown(&desk).len(), 2);
    let draft = comment(&fixture, "a.rs:3", "kept aside", true);
    until(&desk, before, |event| event.threads == [draft.as_str()]);
    let threads = desk.threads();
    assert_eq!(threads.views.len(), 2);
    assert_eq!(threads.drafts.len(), 1);
    assert_eq!(threads.drafts[0].row.status.as_deref(), Some("draft"));
    assert_eq!(threads.get(&draft).unwrap().row.id, draft);
}
