//! `skein watch --code` and `--drafts`.

use std::fs;

use crate::watch::{Place, Watching};

/// Returns a repository with a review thread on the second line of `a.rs`.
fn repository() -> Place {
    let place = Place::new();
    fs::write(place.path("a.rs"), "fn one() {}\nfn two() -> usize { 2 }\nfn three() {}\n").unwrap();
    fs::write(place.path(".gitignore"), ".*\n").unwrap();
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "a.rs"]);
    commit(&place);
    place.run(&["review", "add", "a.rs:2", "-m", "Why?"]);
    place
}

fn git(place: &Place, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    let identity = ["-c", "user.name=Mira", "-c", "user.email=mira@example.org"];
    let command = command.args(identity).args(args).current_dir(place.path(""));
    let output = command.env("HOME", place.path("")).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(place: &Place) {
    git(place, &["commit", "-q", "-a", "-m", "change"]);
}

/// Waits until the code of a thread is reported at a location. A change of several files may be seen in parts.
fn until_moved(watch: &Watching, expected: &str) {
    loop {
        let event = watch.next(&["kind", "event", "place", "state", "draft"]);
        let (what, place) = event.split_at("review | moved | ".len());
        assert_eq!(what, "review | moved | ", "{event}");
        if place == expected {
            break;
        }
    }
}

#[test]
fn code_that_moves_is_reported() {
    let place = repository();
    let plain = place.watch(&["--json"]);
    let watch = place.watch(&["--json", "--code"]);
    let text = fs::read_to_string(place.path("a.rs")).unwrap();
    fs::write(place.path("a.rs"), format!("// Numbers\n{text}")).unwrap();
    until_moved(&watch, "a.rs:3 | shifted | null");
    fs::write(place.path("a.rs"), text.replace("{ 2 }", "{ 1 + 1 }")).unwrap();
    until_moved(&watch, "a.rs:2 | edited | null");
    fs::write(place.path("a.rs"), &text).unwrap();
    until_moved(&watch, "a.rs:2 | exact | null");
    fs::remove_file(place.path("a.rs")).unwrap();
    until_moved(&watch, "a.rs | gone | null");
    git(&place, &["checkout", "-q", "a.rs"]);
    until_moved(&watch, "a.rs:2 | exact | null");

    git(&place, &["switch", "-q", "-c", "topic"]);
    git(&place, &["mv", "a.rs", "b.rs"]);
    until_moved(&watch, "b.rs:2 | moved | null");
    commit(&place);
    git(&place, &["switch", "-q", "main"]);
    until_moved(&watch, "a.rs:2 | exact | null");

    // A resolved thread is not reported, and neither is code without `--code`.
    let both = |expected: &str| {
        for watch in [&watch, &plain] {
            assert_eq!(watch.next(&["event", "place"]), expected);
        }
    };
    place.run(&["review", "resolve", "a.rs:2"]);
    both("resolved | a.rs:2");
    place.run(&["review", "add", "a.rs:3", "-m", "Slow?"]);
    both("created | a.rs:3");
    fs::write(place.path("a.rs"), format!("// Numbers\n{text}")).unwrap();
    until_moved(&watch, "a.rs:4 | shifted | null");
    place.run(&["review", "resolve", "a.rs:4"]);
    both("resolved | a.rs:4");
}

#[test]
fn a_filter_applies_to_the_file_in_which_the_code_is_now() {
    let place = repository();
    fs::create_dir(place.path("other")).unwrap();
    let watch = place.watch(&["--code", "file:other"]);
    assert!(watch.started.contains(": 0 review threads"), "{}", watch.started);
    let text = fs::read_to_string(place.path("a.rs")).unwrap();
    fs::write(place.path("a.rs"), format!("// Numbers\n{text}")).unwrap();
    git(&place, &["mv", "a.rs", "other/b.rs"]);
    let line = watch.line();
    assert!(line.ends_with("moved  other/b.rs:3 (moved)  Why?"), "{line}");
}

#[test]
fn drafts_are_reported_to_their_author() {
    let place = repository();
    let plain = place.watch(&["--json"]);
    let watch = place.watch(&["--json", "--code", "--drafts"]);
    let fields = ["event", "draft", "status", "place", "title"];
    let add = |at: &str, text: &str| {
        place.run(&["review", "add", at, "-m", text, "--draft"]);
        let created = watch.next(&["id", "event", "draft", "status", "place", "title"]);
        let (id, event) = created.split_once(" | ").unwrap();
        assert_eq!(event, format!("created | true | draft | {at} | {text}"));
        id.to_owned()
    };
    let id = add("a.rs:3", "Slow?");
    place.run(&["review", "edit", &id, "-m", "Slow!"]);
    assert_eq!(watch.next(&fields), "edited | true | draft | a.rs:3 | Slow!");
    place.run(&["review", "submit"]);
    assert_eq!(watch.next(&fields), "created | null | open | a.rs:3 | Slow!");
    assert_eq!(watch.next(&fields), "deleted | true | draft | a.rs:3 | Slow!");
    assert_eq!(plain.next(&fields), "created | null | open | a.rs:3 | Slow!");

    let id = add("a.rs:1", "First?");
    place.run(&["review", "delete", &id]);
    assert_eq!(watch.next(&fields), "deleted | true | draft | a.rs:1 | First?");
}
