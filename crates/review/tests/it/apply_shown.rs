//! A suggestion is applied exactly as it was previewed, or not at all.

use skein_review::{
    AddOptions, Applied, ApplyError, CodeLocation, NewThread, ReplyOptions, StalePreview, add,
    apply_previewed, find, preview, reply,
};
use skein_store::MAX_DOCUMENT_BYTES;
use skein_workspace::{Actor, IdGenerator, Workspace};

use skein_fixtures::Fixture;

const CODE: &str = "fn one() {}\nfn two() {}\nfn three() {}\n";

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

/// Creates a file with a thread that suggests another second line.
fn suggested(fixture: &Fixture) -> (Workspace, String) {
    fixture.file("w/a.rs", CODE);
    fixture.repository("w");
    let workspace = fixture.open("w");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, "a.rs:2").unwrap(),
        body: "Shorter.".to_owned(),
        suggestion: Some("fn zwei() {}".to_owned()),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    let id = add(&workspace, &mira(), &[thread], options).unwrap().threads[0].id.clone();
    let mut workspace = fixture.open("w");
    workspace.env.ids = IdGenerator::seeded("more");
    (workspace, id)
}

fn token(applied: &Applied) -> &str {
    applied.token.as_deref().unwrap()
}

fn shown(applied: &Applied) -> String {
    let (removed, added) = (applied.removed.join("\n"), applied.added.join("\n"));
    format!("{} {}: {removed} -> {added}", applied.outcome, applied.at)
}

#[test]
fn a_previewed_suggestion_is_applied() {
    let fixture = Fixture::new();
    let (workspace, id) = suggested(&fixture);
    let before = fixture.tree();
    let thread = find(&workspace, &id).unwrap();
    let first = preview(&workspace, &thread).unwrap();
    assert_eq!(shown(&first), "would apply a.rs:2: fn two() {} -> fn zwei() {}");
    assert_eq!(preview(&workspace, &thread).unwrap().token, first.token);
    assert_eq!(fixture.tree(), before);
    let done = apply_previewed(&workspace, &mira(), &thread, token(&first), true).unwrap();
    assert_eq!((done.outcome, done.reply.unwrap().status), ("applied", "resolved"));
    assert_eq!(fixture.read("w/a.rs"), CODE.replace("two", "zwei"));
}

#[test]
fn a_file_that_changed_since_the_preview_is_not_written() {
    let fixture = Fixture::new();
    let (workspace, id) = suggested(&fixture);
    let thread = find(&workspace, &id).unwrap();
    let first = preview(&workspace, &thread).unwrap();
    // The suggestion can still be applied, but the file is not the one that was previewed.
    fixture.file("w/a.rs", format!("{CODE}fn four() {{}}\n"));
    let before = fixture.tree();
    let error = apply_previewed(&workspace, &mira(), &thread, token(&first), false).unwrap_err();
    let StalePreview::Changed { shown: other } = error else { panic!("{error:?}") };
    assert_eq!(fixture.tree(), before);
    assert_ne!(other.token, first.token);
    apply_previewed(&workspace, &mira(), &thread, token(&other), false).unwrap();
    assert_eq!(fixture.read("w/a.rs"), CODE.replace("two", "zwei") + "fn four() {}\n");
}

#[test]
fn a_later_suggestion_makes_the_preview_stale() {
    let fixture = Fixture::new();
    let (workspace, id) = suggested(&fixture);
    let thread = find(&workspace, &id).unwrap();
    let first = preview(&workspace, &thread).unwrap();
    let body = "Rather:\n\n```suggestion\nfn due() {}\n```\n";
    reply(&workspace, &mira(), &thread, body, ReplyOptions::default()).unwrap();
    let error = apply_previewed(&workspace, &mira(), &thread, token(&first), false).unwrap_err();
    let StalePreview::Changed { shown: other } = error else { panic!("{error:?}") };
    assert_eq!(shown(&other), "would apply a.rs:2: fn two() {} -> fn due() {}");
    assert_eq!(fixture.read("w/a.rs"), CODE);
}

#[test]
fn the_thread_of_a_change_that_was_made_by_hand_is_on_the_changed_lines() {
    let fixture = Fixture::new();
    let (workspace, id) = suggested(&fixture);
    fixture.file("w/a.rs", format!("// new\n{}", CODE.replace("two", "zwei")));
    let thread = find(&workspace, &id).unwrap();
    let first = preview(&workspace, &thread).unwrap();
    assert_eq!(first.outcome, "there already");
    apply_previewed(&workspace, &mira(), &thread, token(&first), false).unwrap();
    let doc = thread.parse(std::fs::read(&thread.path).unwrap()).0;
    assert_eq!(doc.context().unwrap().selection, "fn zwei() {}");
    assert_eq!(doc.head().range.unwrap().start_line, 2);
    assert_eq!(doc.comments().len(), 2);
}

/// Returns a text that leaves this room in a document.
fn long_text(room: usize) -> String {
    "x".repeat(usize::try_from(MAX_DOCUMENT_BYTES).unwrap() - room)
}

#[test]
fn a_suggestion_whose_thread_has_no_room_for_a_note_is_not_applied() {
    let fixture = Fixture::new();
    let (workspace, id) = suggested(&fixture);
    let thread = find(&workspace, &id).unwrap();
    let text = std::fs::read_to_string(&thread.path).unwrap();
    std::fs::write(&thread.path, format!("{text}\n{}\n", long_text(text.len() + 256))).unwrap();
    let first = preview(&workspace, &thread).unwrap();
    let refused = apply_previewed(&workspace, &mira(), &thread, token(&first), false).unwrap_err();
    assert!(matches!(refused, StalePreview::Apply(ApplyError::File { .. })), "{refused:?}");
    assert_eq!(fixture.read("w/a.rs"), CODE);
}

#[test]
fn no_thread_is_added_if_one_would_be_too_large_to_be_read() {
    let fixture = Fixture::new();
    let (workspace, _) = suggested(&fixture);
    let before = fixture.tree();
    let thread = |body: String| NewThread {
        place: CodeLocation::parse(&workspace, "a.rs:1").unwrap(),
        body,
        suggestion: None,
        expect: None,
    };
    let threads = [thread("Short.".to_owned()), thread(long_text(256))];
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &mira(), &threads, options).unwrap_err();
    assert!(fixture.tree() == before);
}
