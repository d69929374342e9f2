//! What users do from the menu of an editor.

use serde_json::{Value, json};
use skein_fixtures::Fixture;

use crate::editor::{CODE, Editor, capabilities, fixture, thread, uri};

fn read(fixture: &Fixture, id: &str) -> String {
    fixture.read(&format!("w/.code-review/threads/{id}.md"))
}

/// Returns the only thread file.
fn only(fixture: &Fixture) -> String {
    let dir = fixture.path("w/.code-review/threads");
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let names: Vec<_> =
        names.filter(|path| path.extension().is_some_and(|one| one == "md")).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    std::fs::read_to_string(&names[0]).unwrap()
}

fn opened(fixture: &Fixture) -> (Editor, String) {
    let mut editor = Editor::new(fixture);
    let a = uri(fixture, "w/a.rs");
    editor.open(&a, CODE);
    (editor, a)
}

#[test]
fn a_thread_is_resolved_and_opened_again() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?"), ("Claude Code", "Because.")]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Mira: Why? / Claude Code: Because. (waits on you)"]);
    editor.act(&a, 1, "Resolve t1").unwrap();
    assert_eq!(editor.message(), "Resolved the thread on a.rs:2.");
    editor.marks(&a, &[]);
    editor.act(&a, 1, "Reopen t1").unwrap();
    editor.marks(&a, &["1:4-1:10 Mira: Why? / Claude Code: Because. (waits on you)"]);
}

#[test]
fn a_reply_is_signed_by_the_person_also_in_the_terminal_of_an_agent() {
    let mut fixture = fixture();
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    fixture.variables.insert("SKEIN_AGENT".to_owned(), "Zed".to_owned());
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.command("skein.reply", json!(["t1", "No."])).unwrap();
    assert_eq!(editor.message(), "Replied to the thread on a.rs:2, which now waits on an agent.");
    let text = read(&fixture, "t1");
    assert!(text.contains("author=\"Mira\"") && text.ends_with("\n\nNo.\n"), "{text}");
    assert!(!text.contains("Claude") && !text.contains("Zed"), "{text}");
}

const SUGGESTION: &str = "Like this:\n\n```suggestion\n    uno();\n    due();\n```";

#[test]
fn a_suggestion_changes_the_lines_in_the_text_and_is_reported_when_saved() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Claude Code", SUGGESTION)]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Claude Code: Like this: (waits on you)"]);
    editor.change(&a, 2, ((0, 0), (0, 0)), "use x;\n");
    editor.act(&a, 2, "Apply the suggestion of t1").unwrap();
    let edit = editor.answer("workspace/applyEdit", json!({ "applied": true }));
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": a, "version": 2 }));
    let range = json!({
        "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 10 },
    });
    assert_eq!(change["edits"], json!([{ "range": range, "newText": "    uno();\n    due();" }]));
    assert_eq!(
        editor.message(),
        "Applied the suggestion. Save the file to report it in the thread."
    );
    let before = read(&fixture, "t1");
    editor.change(&a, 3, ((2, 0), (2, 10)), "    uno();\n    due();");
    let text = "use x;\nfn a() {\n    uno();\n    due();\n    two();\n}\n";
    fixture.file("w/a.rs", text);
    editor.save(&a);
    editor.message();
    let after = read(&fixture, "t1");
    assert_ne!(after, before);
    assert_eq!(fixture.read("w/a.rs"), text);
    // The thread is on the changed lines, which are its code.
    let note = "Mira: Applied already; not committed yet. (waits on you)";
    editor.marks(&a, &[&format!("2:4-3:10 Claude Code: Like this: / {note}")]);
}

#[test]
fn a_suggestion_that_was_undone_before_saving_is_not_reported() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Claude Code", SUGGESTION)]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Claude Code: Like this: (waits on you)"]);
    editor.act(&a, 1, "Apply the suggestion of t1").unwrap();
    editor.answer("workspace/applyEdit", json!({ "applied": true }));
    editor.message();
    let before = (fixture.read("w/a.rs"), read(&fixture, "t1"));
    editor.save(&a);
    editor.actions(&a, 1);
    assert_eq!((fixture.read("w/a.rs"), read(&fixture, "t1")), before);
}

#[test]
fn a_suggestion_for_other_code_is_refused() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Claude Code", SUGGESTION)]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Claude Code: Like this: (waits on you)"]);
    editor.change(&a, 2, ((1, 8), (1, 8)), "1");
    let error = editor.act(&a, 1, "Apply the suggestion of t1").unwrap_err();
    assert!(
        error.starts_with("the code at a.rs:2 is not what was commented on (edited)"),
        "{error}"
    );
    // An editor that refuses says why.
    editor.change(&a, 3, ((1, 8), (1, 9)), "");
    editor.act(&a, 1, "Apply the suggestion of t1").unwrap();
    editor.answer("workspace/applyEdit", json!({ "applied": false, "failureReason": "version" }));
    assert_eq!(editor.message(), "The editor did not apply the suggestion: version");
}

#[test]
fn a_comment_is_about_the_lines_of_the_file() {
    let fixture = fixture();
    let (mut editor, a) = opened(&fixture);
    editor.actions(&a, 0);
    loop {
        // Until the threads are read, there are no actions.
        if !editor.actions(&a, 0).is_empty() {
            break;
        }
    }
    editor.command("skein.comment", json!([a, 2, 3, "Why both?"])).unwrap();
    assert_eq!(editor.message(), "Commented on a.rs:2-3.");
    editor.marks(&a, &["1:4-2:10 Mira: Why both? (waits on an agent)"]);
    assert!(only(&fixture).contains("Why both?"));
    // A line that is only in the editor cannot be found by others.
    editor.change(&a, 2, ((0, 0), (0, 0)), "use x;\n");
    let error = editor.command("skein.comment", json!([a, 1, 1, "Why?"])).unwrap_err();
    assert_eq!(
        error,
        "line 1 of a.rs is not the same in the file. Hint: save the file, then comment again"
    );
    only(&fixture);
    let error = editor.command("skein.comment", json!([a, 2, 1, "Why?"])).unwrap_err();
    assert!(error.starts_with("skein.comment needs the address of a file"), "{error}");
}

#[test]
fn drafts_are_submitted_together() {
    let fixture = fixture();
    let (mut editor, a) = opened(&fixture);
    while editor.actions(&a, 0).is_empty() {}
    editor.command("skein.draft", json!([a, 2, 2, "Why?"])).unwrap();
    assert_eq!(editor.message(), "Drafted a comment on a.rs:2; `skein.submit` publishes it.");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (draft)"]);
    assert!(!fixture.path("w/.code-review").exists());
    editor.command("skein.submit", json!([])).unwrap();
    assert_eq!(editor.message(), "Submitted 1 thread.");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.command("skein.submit", json!([])).unwrap();
    assert_eq!(editor.message(), "There are no drafts.");
}

#[test]
fn a_line_in_the_source_becomes_a_comment_and_goes() {
    let fixture = fixture();
    let text =
        "fn a() {\n    one();\n    // skein: Why one?\n    // skein: Or two?\n    two();\n}\n";
    fixture.file("w/a.rs", text);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, text);
    while editor.actions(&a, 0).is_empty() {}
    editor.act(&a, 3, "Post this line as a comment").unwrap();
    let edit = editor.answer("workspace/applyEdit", json!({ "applied": true }));
    let range =
        json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 4, "character": 0 } });
    let edits = &edit["edit"]["documentChanges"][0]["edits"];
    assert_eq!(edits, &json!([{ "range": range, "newText": "" }]));
    editor.change(&a, 2, ((2, 0), (4, 0)), "");
    editor.marks(&a, &["1:4-1:10 Mira: Why one? (waits on an agent)"]);
    assert!(only(&fixture).ends_with("Why one?\nOr two?\n"));
    let error = editor.command("skein.post", json!([a, 1])).unwrap_err();
    assert_eq!(error, "line 1 is not a comment that starts with `skein:`");
}

#[test]
fn the_threads_that_wait_are_shown_one_after_the_other() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?"), ("Claude Code", "Because.")]);
    thread(&fixture, "t2", &[("Mira", "Not for me")]);
    let (mut editor, a) = opened(&fixture);
    while editor.actions(&a, 1).len() < 5 {}
    editor.command("skein.next", json!([])).unwrap();
    let at = json!({ "line": 1, "character": 0 });
    let shown = json!({ "uri": a, "takeFocus": true, "selection": { "start": at, "end": at } });
    assert_eq!(editor.answer("window/showDocument", json!({ "success": true })), shown);
    // After the last one comes the first.
    editor.command("skein.next", json!([a, 2])).unwrap();
    assert_eq!(editor.answer("window/showDocument", json!({ "success": true })), shown);
    editor.command("skein.waiting", json!([])).unwrap();
    let title = "a.rs:2 Mira: Why? / Claude Code: Because. (waits on you)";
    let asked = editor.answer("window/showMessageRequest", json!({ "title": title }));
    assert_eq!(asked["actions"], json!([{ "title": title }]));
    assert_eq!(editor.answer("window/showDocument", json!({ "success": true })), shown);
    editor.command("skein.open", json!(["t1"])).unwrap();
    let opened = editor.answer("window/showDocument", json!({ "success": true }));
    assert_eq!(opened["uri"], uri(&fixture, "w/.code-review/threads/t1.md").as_str());
}

#[test]
fn only_the_kinds_that_a_client_asks_for_are_returned() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Claude Code", SUGGESTION)]);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Claude Code: Like this: (waits on you)"]);
    let mut actions = |only: Value| {
        let at = json!({ "line": 1, "character": 0 });
        let params = json!({
            "textDocument": { "uri": a },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "only": only },
        });
        editor.request("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
    };
    assert_eq!(actions(json!(["source.fixAll"])), Vec::<Value>::new());
    assert_eq!(actions(json!(["source"])).len(), 2);
    let quick = actions(json!(["quickfix"]));
    assert_eq!(quick.len(), 4);
    assert!(
        quick
            .iter()
            .all(|action| action.get("isPreferred").is_none() && action.get("edit").is_none())
    );
}

#[test]
fn an_editor_without_edits_is_told_what_to_do() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Claude Code", SUGGESTION)]);
    let mut can = capabilities();
    can["workspace"]["applyEdit"] = json!(false);
    can["window"] = json!({});
    let mut editor = Editor::with(&fixture, can, "x");
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Claude Code: Like this: (waits on you)"]);
    let error = editor.command("skein.apply", json!(["t1"])).unwrap_err();
    assert_eq!(
        error,
        "this editor does not support edits by a server. Hint: `skein review apply t1` changes the file"
    );
    editor.command("skein.open", json!(["t1"])).unwrap();
    assert!(editor.message().ends_with("/w/.code-review/threads/t1.md"));
    let error = editor.command("skein.reply", json!(["zzz", "x"])).unwrap_err();
    assert!(error.starts_with("no thread has this id: zzz"), "{error}");
}

#[test]
fn threads_of_two_folders_with_the_same_id_are_told_apart() {
    let fixture = fixture();
    fixture.file("other/a.rs", CODE);
    fixture.repository("other");
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let text = read(&fixture, "t1");
    fixture.file("other/.code-review/threads/t1.md", &text);
    let (mut editor, a) = opened(&fixture);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    let folder = json!({ "uri": uri(&fixture, "other"), "name": "other" });
    let event = json!({ "event": { "added": [folder], "removed": [] } });
    editor.notify("workspace/didChangeWorkspaceFolders", event);
    let b = uri(&fixture, "other/a.rs");
    editor.open(&b, CODE);
    while editor.actions(&b, 1).len() < 5 {}
    editor.act(&b, 1, "Resolve t1").unwrap();
    assert_eq!(read(&fixture, "t1"), text);
    assert!(fixture.read("other/.code-review/threads/t1.md").contains("\"resolved\""));
    let error = editor.command("skein.resolve", json!(["t1"])).unwrap_err();
    assert!(error.starts_with("threads of several folders have this id: t1"), "{error}");
}

#[test]
fn very_large_numbers_are_limited_to_the_text() {
    let fixture = fixture();
    let (mut editor, a) = opened(&fixture);
    while editor.actions(&a, 0).is_empty() {}
    let start = json!({ "line": 0, "character": 0 });
    let end = json!({ "line": 4_294_967_295_u32, "character": 9_007_199_254_740_991_u64 });
    let params = json!({
        "textDocument": { "uri": a },
        "range": { "start": start, "end": end },
        "context": { "diagnostics": [] },
    });
    let found = editor.request("textDocument/codeAction", params).unwrap();
    assert_eq!(found[0]["title"], "Comment on lines 1 to 5");
    let change = json!({ "range": { "start": start, "end": end }, "text": "x\n" });
    let params = json!({
        "textDocument": { "uri": a, "version": 2 }, "contentChanges": [change],
    });
    editor.notify("textDocument/didChange", params);
    let error = editor.command("skein.comment", json!([a, 1, 4_294_967_295_u32, "x"])).unwrap_err();
    assert!(error.starts_with("line 1 of a.rs is not the same in the file"), "{error}");
}
