//! Comments that are written in files.

use std::path::PathBuf;

use serde_json::json;
use skein_fixtures::Fixture;

use crate::editor::{CODE, Editor, capabilities, fixture, params, thread, uri};

/// Asks for a file to write a reply to `t1`, and returns it with its text.
fn file(fixture: &Fixture, editor: &mut Editor) -> (PathBuf, String) {
    thread(fixture, "t1", &[("Mira", "Why?")]);
    let a = uri(fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.command("skein.reply", json!(["t1"])).is_err() {}
    shown(editor)
}

/// Returns the file that the server opens, with its text.
fn shown(editor: &mut Editor) -> (PathBuf, String) {
    let shown = editor.answer("window/showDocument", json!({ "success": true }));
    let path = PathBuf::from(shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// Sends a comment, after which every file that was saved before has been sent too.
fn send_another(fixture: &Fixture, editor: &mut Editor, start: &str) {
    let a = uri(fixture, "w/a.rs");
    editor.command("skein.comment", json!([a, 4, 4])).unwrap();
    let (path, text) = shown(editor);
    std::fs::write(&path, format!("{start}Another.\n{text}")).unwrap();
    while !editor.message().starts_with("Commented on") {}
    // It is answered after the look at all files.
    editor.actions(&a, 0);
}

fn read(fixture: &Fixture) -> String {
    fixture.read("w/.code-review/threads/t1.md")
}

#[test]
fn a_saved_file_is_sent_and_saving_it_again_changes_the_comment() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, text) = file(&fixture, &mut editor);
    assert!(text.contains("Mira:\nWhy?\n"), "{text}");
    std::fs::write(&path, format!("Because.\n{text}")).unwrap();
    assert_eq!(editor.message(), "Replied to the thread on a.rs:2, which now waits on an agent.");
    assert!(read(&fixture).ends_with("\n\nBecause.\n"));
    std::fs::write(&path, format!("Because of that.\n{text}")).unwrap();
    assert_eq!(editor.message(), "Changed the comment on a.rs:2.");
    let thread = read(&fixture);
    assert!(thread.ends_with("\n\nBecause of that.\n"), "{thread}");
    assert_eq!(thread.matches("<local-code-review-comment").count(), 2);
    editor.end();
    assert!(!path.exists());
}

#[test]
fn a_text_that_was_saved_just_before_the_end_is_sent() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, text) = file(&fixture, &mut editor);
    std::fs::write(&path, format!("Because.\n{text}")).unwrap();
    editor.request("shutdown", json!(null)).unwrap();
    assert!(read(&fixture).ends_with("\n\nBecause.\n"));
    assert!(!path.exists());
}

#[test]
fn an_empty_file_sends_nothing_and_stays() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, _) = file(&fixture, &mut editor);
    let before = read(&fixture);
    std::fs::write(&path, "\n  \n").unwrap();
    editor.end();
    assert_eq!(read(&fixture), before);
    // It may be open in the editor, which saves it later.
    assert!(path.exists());
}

#[test]
fn a_text_that_cannot_be_sent_is_kept() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, text) = file(&fixture, &mut editor);
    std::fs::remove_file(fixture.path("w/.code-review/threads/t1.md")).unwrap();
    std::fs::write(&path, format!("Because.\n{text}")).unwrap();
    let message = editor.message();
    assert!(message.contains(&format!("Your text is kept in {}", path.display())), "{message}");
    editor.end();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("Because."));
}

#[test]
fn an_editor_that_saves_on_its_own_sends_only_with_the_word() {
    let fixture = fixture();
    let mut editor = Editor::with(&fixture, capabilities(), "Visual Studio Code");
    let (path, text) = file(&fixture, &mut editor);
    let before = read(&fixture);
    std::fs::write(&path, format!("Half a sent\n{text}")).unwrap();
    send_another(&fixture, &mut editor, "send\n");
    assert_eq!(read(&fixture), before);
    std::fs::write(&path, format!("send\nA whole sentence.\n{text}")).unwrap();
    editor.message();
    assert!(read(&fixture).ends_with("\n\nA whole sentence.\n"));
    // Without the word, the text is kept.
    std::fs::write(&path, format!("Half a sent\n{text}")).unwrap();
    editor.end();
    assert!(path.exists());
}

#[test]
fn an_option_says_whether_the_word_is_needed() {
    for (name, needs_word) in [("Helix", true), ("Visual Studio Code", false)] {
        let fixture = fixture();
        let mut editor = Editor::connect(fixture.env(""));
        let mut params = params(&fixture, "w", capabilities(), name);
        params["initializationOptions"] = json!({ "sendLine": needs_word });
        editor.request("initialize", params).unwrap();
        let (_, text) = file(&fixture, &mut editor);
        assert_eq!(text.contains("write the word send in the first line"), needs_word, "{name}");
    }
}

#[test]
fn a_comment_on_lines_is_written_in_a_file() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.command("skein.comment", json!([a, 2, 2])).is_err() {}
    let (path, text) = shown(&mut editor);
    assert!(text.contains("a.rs:2\n\n        one();\n"), "{text}");
    std::fs::write(&path, format!("Why?\n{text}")).unwrap();
    assert_eq!(editor.message(), "Commented on a.rs:2.");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
}

/// Writes what a server that was killed leaves: a file with a text, and the number of a process that does not exist.
fn left(fixture: &Fixture, text: &str) -> PathBuf {
    let mut editor = Editor::new(fixture);
    let (path, file) = file(fixture, &mut editor);
    let process = format!("\"process\":{}", std::process::id());
    assert!(file.contains(&process), "{file}");
    let left = path.with_file_name("comment-left.md");
    std::fs::write(&left, format!("{text}\n{}", file.replace(&process, "\"process\":4194305")))
        .unwrap();
    editor.end();
    std::fs::remove_file(path).unwrap();
    left
}

#[test]
fn a_text_that_a_killed_server_did_not_send_is_offered_again() {
    let fixture = fixture();
    let left = left(&fixture, "Because.");
    let before = read(&fixture);
    // Without a choice, it is kept.
    let mut editor = Editor::new(&fixture);
    let asked = editor.answer("window/showMessageRequest", json!(null));
    assert_eq!(asked["message"], "A comment that you saved was not sent: Because.");
    editor.end();
    assert_eq!((read(&fixture), left.exists()), (before, true));
    let mut editor = Editor::new(&fixture);
    editor.answer("window/showMessageRequest", json!({ "title": "Send" }));
    assert_eq!(editor.message(), "Replied to the thread on a.rs:2, which now waits on an agent.");
    assert!(read(&fixture).ends_with("\n\nBecause.\n"));
    editor.end();
    assert!(!left.exists());
}

#[test]
fn a_text_that_was_not_sent_can_be_discarded_or_edited() {
    let fixture = fixture();
    let first = left(&fixture, "Because.");
    let mut editor = Editor::new(&fixture);
    editor.answer("window/showMessageRequest", json!({ "title": "Open" }));
    // The text is in a file of this server now, with what it is about.
    let (opened, text) = shown(&mut editor);
    assert!(text.starts_with("Because.") && text.contains("Mira:\nWhy?"), "{text}");
    std::fs::write(&opened, text.replace("Because.", "Because of that.")).unwrap();
    editor.message();
    assert!(read(&fixture).ends_with("\n\nBecause of that.\n"));
    editor.end();
    assert!(!first.exists());
    let second = left(&fixture, "No.");
    let mut editor = Editor::new(&fixture);
    editor.answer("window/showMessageRequest", json!({ "title": "Discard" }));
    editor.request("shutdown", json!(null)).unwrap();
    assert!(!second.exists());
}

#[test]
fn a_text_that_was_sent_is_not_offered_again() {
    let fixture = fixture();
    let left = left(&fixture, "Because.");
    let mut editor = Editor::new(&fixture);
    editor.answer("window/showMessageRequest", json!(null));
    editor.command("skein.reply", json!(["t1", "Because."])).unwrap();
    editor.message();
    editor.end();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.actions(&a, 0).is_empty() {}
    assert!(!left.exists());
    assert_eq!(read(&fixture).matches("Because.").count(), 1);
}

#[test]
fn without_its_line_a_file_is_not_sent() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, text) = file(&fixture, &mut editor);
    let before = read(&fixture);
    std::fs::write(&path, text.replace(" >8 ", " 8 ")).unwrap();
    let message = editor.message();
    assert!(message.starts_with("the line with >8 is missing"), "{message}");
    assert_eq!(read(&fixture), before);
    // With the line it is sent.
    std::fs::write(&path, format!("Because.\n{text}")).unwrap();
    assert!(editor.message().starts_with("Replied"));
}

#[test]
fn a_refused_text_is_sent_when_it_is_saved_again() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.actions(&a, 0).is_empty() {}
    editor.change(&a, 2, ((1, 4), (1, 9)), "uno()");
    editor.command("skein.comment", json!([a, 2, 2])).unwrap();
    let (path, text) = shown(&mut editor);
    std::fs::write(&path, format!("Why?\n{text}")).unwrap();
    let message = editor.message();
    assert!(message.starts_with("line 2 of a.rs is not the same in the file"), "{message}");
    fixture.file("w/a.rs", CODE.replace("one()", "uno()"));
    std::fs::write(&path, format!("Why?\n{text}")).unwrap();
    assert_eq!(editor.message(), "Commented on a.rs:2.");
}

#[test]
fn a_draft_is_changed_by_saving_again() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.command("skein.draft", json!([a, 2, 2])).is_err() {}
    let (path, text) = shown(&mut editor);
    std::fs::write(&path, format!("Why?\n{text}")).unwrap();
    editor.marks(&a, &["1:4-1:10 Mira: Why? (draft)"]);
    std::fs::write(&path, format!("Why, really?\n{text}")).unwrap();
    editor.marks(&a, &["1:4-1:10 Mira: Why, really? (draft)"]);
}

#[test]
fn a_comment_follows_its_lines_in_the_file() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.command("skein.comment", json!([a, 4, 4])).is_err() {}
    let (path, text) = shown(&mut editor);
    // An agent adds a function with the same last line.
    fixture.file("w/a.rs", format!("fn b() {{\n    three();\n    four();\n}}\n\n{CODE}"));
    std::fs::write(&path, format!("Why?\n{text}")).unwrap();
    assert_eq!(editor.message(), "Commented on a.rs:9.");
}

/// Waits until the server has read the threads, and taken over the files that were left.
fn wait_until_loaded(fixture: &Fixture, editor: &mut Editor) {
    let a = uri(fixture, "w/a.rs");
    editor.open(&a, CODE);
    while editor.actions(&a, 0).is_empty() {}
}

#[test]
fn a_file_of_a_killed_server_is_sent_by_only_one_other() {
    let fixture = fixture();
    let left = left(&fixture, "");
    let text = std::fs::read_to_string(&left).unwrap();
    let mut editors = [Editor::new(&fixture), Editor::new(&fixture)];
    editors.iter_mut().for_each(|editor| wait_until_loaded(&fixture, editor));
    std::fs::write(&left, format!("Because.\n{text}")).unwrap();
    editors.iter_mut().for_each(|editor| send_another(&fixture, editor, ""));
    assert_eq!(read(&fixture).matches("Because.").count(), 1);
    // The other one does not offer it either, and the file goes with the server that sent it.
    for editor in editors {
        editor.end();
    }
    assert!(!left.exists());
}

#[test]
fn a_text_that_came_into_the_thread_in_another_way_is_not_sent() {
    let fixture = fixture();
    let left = left(&fixture, "");
    let text = std::fs::read_to_string(&left).unwrap();
    let mut editor = Editor::new(&fixture);
    wait_until_loaded(&fixture, &mut editor);
    editor.command("skein.reply", json!(["t1", "Because."])).unwrap();
    editor.message();
    std::fs::write(&left, format!("Because.\n{text}")).unwrap();
    assert_eq!(editor.message(), "The thread has this comment already.");
    assert_eq!(read(&fixture).matches("Because.").count(), 1);
}

#[test]
fn a_file_that_is_open_over_a_restart_of_the_server_is_sent() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let (path, text) = file(&fixture, &mut editor);
    editor.request("shutdown", json!(null)).unwrap();
    editor.notify("exit", json!(null));
    assert!(editor.ended());
    let mut editor = Editor::new(&fixture);
    wait_until_loaded(&fixture, &mut editor);
    std::fs::write(&path, format!("Because.\n{text}")).unwrap();
    assert_eq!(editor.message(), "Replied to the thread on a.rs:2, which now waits on an agent.");
    assert!(read(&fixture).ends_with("\n\nBecause.\n"));
}

#[test]
fn a_file_that_appears_again_is_taken_over() {
    let fixture = fixture();
    let left = left(&fixture, "Because.");
    let text = std::fs::read_to_string(&left).unwrap();
    std::fs::remove_file(&left).unwrap();
    let mut editor = Editor::new(&fixture);
    wait_until_loaded(&fixture, &mut editor);
    std::fs::write(&left, text).unwrap();
    editor.answer("window/showMessageRequest", json!({ "title": "Send" }));
    assert_eq!(editor.message(), "Replied to the thread on a.rs:2, which now waits on an agent.");
}

#[test]
fn an_old_file_without_a_text_goes() {
    let fixture = fixture();
    let left = left(&fixture, "");
    // The clock of the fixture is earlier than that of the file system.
    let now = fixture.env("").clock.now().as_millis();
    let days = |count: u64| std::time::Duration::from_hours(24 * count);
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_millis(now.try_into().unwrap());
    let file = std::fs::File::options().append(true).open(&left).unwrap();
    for (age, stays) in [(6, true), (8, false)] {
        file.set_modified(now - days(age)).unwrap();
        let mut editor = Editor::new(&fixture);
        wait_until_loaded(&fixture, &mut editor);
        editor.end();
        assert_eq!(left.exists(), stays);
    }
}
