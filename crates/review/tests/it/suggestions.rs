//! Suggestions that change the number of lines, or a part of one; a power cut or another program while they are applied.

use std::sync::Arc;

use skein_catalog::show;
use skein_model::view::ThreadBody;
use skein_review::{AddOptions, ApplyOptions, CodeLocation, NewThread, add, apply};
use skein_store::{Fs as _, RealFs};
use skein_testkit::{CutFs, HookedFs};
use skein_workspace::Actor;

use skein_fixtures::Fixture;

const OPTIONS: ApplyOptions = ApplyOptions { dry_run: false, resolve: false };
const MIRA: fn() -> Actor = || Actor { name: "Mira".to_owned(), agent: false };

/// Suggests texts at locations in a file, applies them all, and returns the locations afterwards.
fn apply_all(it: &Fixture, text: &str, wanted: &[(&str, &str)]) -> Vec<String> {
    it.file("w/a.rs", text);
    let workspace = it.open("w");
    let threads: Vec<NewThread> = wanted
        .iter()
        .map(|(place, suggestion)| NewThread {
            place: CodeLocation::parse(&workspace, place).unwrap(),
            body: "So.".to_owned(),
            suggestion: Some((*suggestion).to_owned()),
            expect: None,
        })
        .collect();
    let options = AddOptions { draft: false, changed_only: false };
    let added = add(&workspace, &MIRA(), &threads, options).unwrap();
    let workspace = it.open("w");
    apply(&workspace, &MIRA(), &[], OPTIONS).unwrap();
    let at = |id: &str| match show(&workspace, id).unwrap().body {
        ThreadBody::Review(body) => body.placement.unwrap(),
        _ => panic!("not a review"),
    };
    let placed = added.threads.iter().map(|thread| at(&thread.id));
    placed.map(|placement| format!("{} {}", placement.state, placement.at())).collect()
}

#[test]
fn threads_follow_their_code_when_lines_above_are_added_and_removed() {
    let it = Fixture::new();
    let text = "let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\n";
    let wanted =
        [("a.rs:1", "let a = 10;\nlet aa = 11;"), ("a.rs:3", ""), ("a.rs:5", "let e = 50;")];
    let places = apply_all(&it, text, &wanted);
    assert_eq!(
        it.read("w/a.rs"),
        "let a = 10;\nlet aa = 11;\nlet b = 2;\nlet d = 4;\nlet e = 50;\n"
    );
    assert_eq!(places[0], "exact a.rs:1-2");
    assert_eq!(places[1], "gone a.rs");
    assert_eq!(places[2], "exact a.rs:5");
}

#[test]
fn a_suggestion_for_part_of_a_line_changes_only_that_part() {
    let it = Fixture::new();
    let places = apply_all(&it, "let größe = old();\nnext();\n", &[("a.rs:1:13", "new();")]);
    assert_eq!(it.read("w/a.rs"), "let größe = new();\nnext();\n");
    assert_eq!(places, ["exact a.rs:1"]);
}

/// Suggests another second line of `src/a.rs`.
fn suggest(it: &Fixture, suggestion: &str) {
    it.file("w/src/a.rs", "one\ntwo\n");
    let workspace = it.open("w");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, "src/a.rs:2").unwrap(),
        body: "So.".to_owned(),
        suggestion: Some(suggestion.to_owned()),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &MIRA(), &[thread], options).unwrap();
}

#[test]
fn an_interrupted_change_leaves_no_files_next_to_the_sources_and_is_made_once() {
    for number in 0..80 {
        check_interrupted(number, "TWO");
        // The commented line is still there afterwards.
        check_interrupted(number, "two\nTWO");
    }
}

fn check_interrupted(number: usize, suggestion: &str) {
    let it = Fixture::new();
    suggest(&it, suggestion);
    let fs = CutFs::cut_after(number);
    let mut workspace = it.open("w");
    workspace.env.fs = Arc::new(fs.clone());
    // The result does not matter here; most of these runs fail.
    drop(apply(&workspace, &MIRA(), &[], OPTIONS));
    let names: Vec<_> = std::fs::read_dir(it.path("w/src")).unwrap().collect();
    assert_eq!(names.len(), 1, "after {number} operations: {names:?}");
    assert!(fs.operations() > number.min(20));
    // There is nothing left to apply if the change was answered too.
    drop(apply(&it.open("w"), &MIRA(), &[], OPTIONS));
    let expected = format!("one\n{suggestion}\n");
    assert_eq!(it.read("w/src/a.rs"), expected, "cut after {number} operations");
}

#[test]
fn nothing_outside_is_written_when_a_directory_becomes_a_link_before_any_step() {
    for number in 0.. {
        if !check_exchanged(number) {
            assert!(number > 20, "a suggestion takes many operations");
            return;
        }
    }
}

/// Returns whether there were so many operations that the directory was exchanged.
fn check_exchanged(number: usize) -> bool {
    let it = Fixture::new();
    suggest(&it, "TWO");
    it.file("outside/a.rs", "one\ntwo\n");
    it.link("w/link", it.path("outside"));
    let (dir, link) = (it.path("w/src"), it.path("w/link"));
    let fs = HookedFs::acting_before(number, move || RealFs.exchange(&dir, &link).unwrap());
    let mut workspace = it.open("w");
    workspace.env.fs = Arc::new(fs.clone());
    let applied = apply(&workspace, &MIRA(), &[], OPTIONS);
    let is_exchanged = fs.operations() > number;
    assert_eq!(it.read("outside/a.rs"), "one\ntwo\n", "before operation {number}");
    assert_eq!(std::fs::read_dir(it.path("outside")).unwrap().count(), 1);
    let own = it.read(if is_exchanged { "w/link/a.rs" } else { "w/src/a.rs" });
    assert_eq!(own == "one\nTWO\n", applied.is_ok(), "before operation {number}: {applied:?}");
    is_exchanged
}
