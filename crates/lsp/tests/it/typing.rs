//! Marks follow the text of the editor.

use serde_json::json;
use skein_fixtures::Review;

use crate::editor::{CODE, Editor, capabilities, fixture, thread, uri};

#[test]
fn typing_above_moves_a_mark_and_undo_moves_it_back() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.change(&a, 2, ((0, 0), (0, 0)), "use x;\n\n");
    editor.marks(&a, &["3:4-3:10 Mira: Why? (waits on an agent)"]);
    editor.change(&a, 3, ((0, 0), (2, 0)), "");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    // An edit of the line itself, and its removal.
    editor.change(&a, 4, ((1, 4), (1, 9)), "something_else(1)");
    editor.marks(&a, &["1:4-1:22 Mira: Why? (waits on an agent, the code was edited)"]);
    editor.change(&a, 5, ((1, 0), (2, 0)), "");
    editor.marks(&a, &["0:0-0:0 Mira: Why? (waits on an agent, the code is gone)"]);
    // Closed without saving, the file counts.
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": a } }));
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
}

#[test]
fn a_line_that_is_replaced_by_others_keeps_its_mark() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.change(&a, 2, ((1, 0), (2, 0)), "    return self.evict(all);\n    log(&count)\n");
    editor.marks(&a, &["1:4-2:15 Mira: Why? (waits on an agent, the code was replaced)"]);
}

#[test]
fn a_request_counts_the_last_change_without_waiting() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.change(&a, 2, ((0, 0), (0, 0)), "use x;\n\n");
    let titles = |editor: &mut Editor, line| editor.actions(&a, line).len();
    assert_eq!((titles(&mut editor, 1), titles(&mut editor, 3)), (2, 5));
    // An edit of the line itself, its removal, and a new text.
    editor.change(&a, 3, ((3, 4), (3, 4)), "x");
    assert_eq!(titles(&mut editor, 3), 5);
    editor.change(&a, 4, ((3, 0), (4, 0)), "");
    assert_eq!((titles(&mut editor, 3), titles(&mut editor, 0)), (2, 5));
    let version = json!({ "uri": a, "version": 5 });
    let text = json!({ "textDocument": version, "contentChanges": [{ "text": CODE }] });
    editor.notify("textDocument/didChange", text);
    assert_eq!((titles(&mut editor, 0), titles(&mut editor, 1)), (2, 5));
}

#[test]
fn a_request_does_not_end_the_pause_after_which_marks_are_sent() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    // On a busy machine the pause can be over before the request arrives.
    let is_before_marks = |version: i32| {
        editor.change(&a, version, ((0, 0), (0, 0)), "\n");
        editor.actions(&a, 0);
        let is_sent = editor.has_received("textDocument/publishDiagnostics");
        let line = version;
        editor.marks(&a, &[&format!("{line}:4-{line}:10 Mira: Why? (waits on an agent)")]);
        !is_sent
    };
    assert!((2..10).any(is_before_marks));
}

#[test]
fn columns_are_counted_in_the_encoding_of_the_client() {
    let code = "\tlet 字 = \"😀\"; call(x);\r\nend\r\n";
    let selection = "call(x)";
    for (encodings, start, end) in [(json!(["utf-16"]), 15, 22), (json!(["utf-8"]), 19, 26)] {
        let fixture = fixture();
        fixture.file("w/b.rs", code);
        // The format counts UTF-16 units.
        let file = fixture.review(
            "w",
            "t1",
            &Review {
                path: "b.rs",
                lines: Some((0, 0)),
                selection: Some(selection),
                ..Review::default()
            },
        );
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.replace("\"startCharacter\": 0", "\"startCharacter\": 15");
        let text = text.replace("\"endCharacter\": 7", "\"endCharacter\": 22");
        std::fs::write(&file, text).unwrap();
        let mut can = capabilities();
        can["general"]["positionEncodings"] = encodings;
        let mut editor = Editor::with(&fixture, can, "Zed");
        let b = uri(&fixture, "w/b.rs");
        let mark =
            |line: u32| format!("{line}:{start}-{line}:{end} Mira: Why? (waits on an agent)");
        editor.marks(&b, &[&mark(0)]);
        editor.open(&b, code);
        editor.marks(&b, &[&mark(0)]);
        // A character of three bytes, before the call.
        editor.change(&b, 2, ((0, start), (0, start)), "字");
        let added = if start == 15 { 1 } else { 3 };
        let end = end + added + 1;
        editor.marks(
            &b,
            &[&format!("0:1-0:{end} Mira: Why? (waits on an agent, the code was edited)")],
        );
    }
}
