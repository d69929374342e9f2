//! Which files have marks, and what they say.

use serde_json::{Value, json};
use skein_fixtures::Review;

use crate::editor::{CODE, Editor, capabilities, fixture, params, thread, uri};

#[test]
fn a_reply_of_an_agent_appears_and_the_last_mark_goes() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    thread(&fixture, "t1", &[("Mira", "Why?"), ("Claude Code", "Because.")]);
    editor.marks(&a, &["1:4-1:10 Mira: Why? / Claude Code: Because. (waits on you)"]);
    std::fs::remove_file(fixture.path("w/.code-review/threads/t1.md")).unwrap();
    editor.marks(&a, &[]);
}

#[test]
fn files_that_are_not_open_have_marks_until_their_threads_are_resolved() {
    let fixture = fixture();
    fixture.file("w/src/b c.rs", "one\n");
    let review = Review { path: "src/b c.rs", selection: Some("one"), ..Review::default() };
    fixture.review("w", "t1", &review);
    let mut editor = Editor::new(&fixture);
    let b = uri(&fixture, "w/src/b%20c.rs");
    editor.marks(&b, &["0:0-0:3 Mira: Why? (waits on an agent)"]);
    fixture.review("w", "t1", &Review { status: "resolved", ..review });
    editor.marks(&b, &[]);
}

#[test]
fn the_comments_are_listed_with_a_mark() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?"), ("Claude Code", "Because\nof that.")]);
    let mut editor = Editor::new(&fixture);
    let params = editor.notification("textDocument/publishDiagnostics");
    let mark = &params["diagnostics"][0];
    assert_eq!(
        (&mark["severity"], &mark["source"], &mark["code"]),
        (&json!(3), &json!("skein"), &json!("#t1"))
    );
    let related = mark["relatedInformation"].as_array().unwrap();
    let messages: Vec<_> = related.iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(messages, ["Mira: Why?", "Claude Code: Because"]);
    let file = uri(&fixture, "w/.code-review/threads/t1.md");
    assert_eq!(related[0]["location"]["uri"], file.as_str());
}

#[test]
fn a_broken_thread_file_is_a_warning_and_the_others_are_shown() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    fixture.file("w/.code-review/threads/broken.md", b"<local-code-review-thread>\n{\xff\n");
    let mut editor = Editor::new(&fixture);
    let broken = uri(&fixture, "w/.code-review/threads/broken.md");
    let mut severity = Value::Null;
    let mut files = Vec::new();
    while files.len() < 2 {
        let params = editor.notification("textDocument/publishDiagnostics");
        if params["uri"] == broken {
            severity = params["diagnostics"][0]["severity"].clone();
        }
        files.push(params["uri"].clone());
    }
    assert_eq!(severity, json!(2));
    assert!(files.contains(&json!(uri(&fixture, "w/a.rs"))), "{files:?}");
}

#[test]
fn several_threads_on_a_line_are_all_reachable() {
    let fixture = fixture();
    for id in ["t1", "t2", "t3", "t4", "t5"] {
        thread(&fixture, id, &[("Mira", id)]);
    }
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    let mark = |id: &str| format!("1:4-1:10 Mira: {id} (waits on an agent)");
    let marks: Vec<String> = ["t1", "t2", "t3", "t4", "t5"].map(mark).to_vec();
    editor.marks(&a, &marks.iter().map(String::as_str).collect::<Vec<_>>());
    let position =
        json!({ "textDocument": { "uri": a }, "position": { "line": 1, "character": 0 } });
    let hover = editor.request("textDocument/hover", position).unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    let actions = editor.actions(&a, 1);
    for id in ["t1", "t2", "t3", "t4", "t5"] {
        assert!(text.contains(&format!("Skein `{id}`: open")), "{text}");
        let title = format!("Reply to {id} (Mira: {id})");
        assert!(actions.iter().any(|(name, _)| *name == title), "{actions:?}");
    }
    let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": { "uri": a } }));
    let lenses = lenses.unwrap();
    let titles: Vec<_> =
        lenses.as_array().unwrap().iter().map(|one| &one["command"]["title"]).collect();
    assert_eq!(titles.len(), 10, "{titles:?}");
    assert_eq!(titles[9], "2 more");
}

#[test]
fn a_hover_is_only_on_lines_with_threads_and_loads_nothing() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "See ![x](https://example.org/x.png)")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.notification("textDocument/publishDiagnostics");
    let mut hover = |line: u32| {
        let position = json!({ "line": line, "character": 0 });
        let params = json!({ "textDocument": { "uri": a }, "position": position });
        editor.request("textDocument/hover", params).unwrap()
    };
    assert_eq!((hover(0), hover(2), hover(99)), (Value::Null, Value::Null, Value::Null));
    let text = hover(1)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(text.contains("```markdown\nSee ![x](https://example.org/x.png)\n```"), "{text}");
}

#[test]
fn symbolic_links_lead_to_the_same_file() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    fixture.link("link", fixture.path("w"));
    let mut editor = Editor::connect(fixture.env(""));
    editor.request("initialize", params(&fixture, "link", capabilities(), "x")).unwrap();
    let a = uri(&fixture, "link/a.rs");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.open(&a, CODE);
    editor.change(&a, 2, ((0, 0), (0, 0)), "\n");
    editor.marks(&a, &["2:4-2:10 Mira: Why? (waits on an agent)"]);
}

#[test]
fn each_folder_has_its_own_threads() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    fixture.file("other/b.rs", "one\n");
    fixture.repository("other");
    let review = Review { path: "b.rs", selection: Some("one"), ..Review::default() };
    fixture.review("other", "t1", &review);
    let mut editor = Editor::new(&fixture);
    editor.marks(&uri(&fixture, "w/a.rs"), &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    let folder = json!({ "uri": uri(&fixture, "other"), "name": "other" });
    let mut change = |added: Value, removed: Value| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        editor.notify("workspace/didChangeWorkspaceFolders", event);
    };
    change(json!([folder]), json!([]));
    let b = uri(&fixture, "other/b.rs");
    editor.marks(&b, &["0:0-0:3 Mira: Why? (waits on an agent)"]);
    let event = json!({ "event": { "added": [], "removed": [folder] } });
    editor.notify("workspace/didChangeWorkspaceFolders", event);
    editor.marks(&b, &[]);
}

#[test]
fn looking_writes_no_file() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    fixture.file("empty/b.rs", "one\n");
    fixture.repository("empty");
    let before = fixture.tree();
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    let folder = json!({ "uri": uri(&fixture, "empty"), "name": "empty" });
    let event = json!({ "event": { "added": [folder], "removed": [] } });
    editor.notify("workspace/didChangeWorkspaceFolders", event);
    let b = uri(&fixture, "empty/b.rs");
    editor.open(&b, "one\n");
    editor.actions(&b, 0);
    editor.actions(&a, 1);
    editor.end();
    assert_eq!(fixture.tree(), before);
}

#[test]
fn two_folders_of_one_repository_share_their_threads() {
    let fixture = fixture();
    fixture.dir("w/p");
    fixture.dir("w/q");
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut params = params(&fixture, "w/p", capabilities(), "x");
    let folder = |name: &str| json!({ "uri": uri(&fixture, name), "name": name });
    params["workspaceFolders"] = json!([folder("w/p"), folder("w/q")]);
    let mut editor = Editor::connect(fixture.env(""));
    editor.request("initialize", params).unwrap();
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    editor.change(&a, 2, ((0, 0), (0, 0)), "use x;\n\n");
    editor.marks(&a, &["3:4-3:10 Mira: Why? (waits on an agent)"]);
    // Without the first one, the second one shows them.
    let event = json!({ "event": { "added": [], "removed": [folder("w/p")] } });
    editor.notify("workspace/didChangeWorkspaceFolders", event);
    editor.change(&a, 3, ((0, 0), (2, 0)), "");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
}

#[test]
fn comments_that_are_safe_alone_are_safe_together() {
    let fixture = fixture();
    let image = "```\n![x](https://example.org/x.png)\n```";
    thread(&fixture, "t1", &[("Mira", "```"), ("Eve", image)]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.notification("textDocument/publishDiagnostics");
    let params = json!({ "textDocument": { "uri": a }, "position": { "line": 1, "character": 0 } });
    let text = editor.request("textDocument/hover", params).unwrap();
    let text = text["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("````markdown\nSkein"), "{text}");
}

#[test]
fn code_that_is_only_in_the_text_is_found_there() {
    let fixture = fixture();
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    let mut editor = Editor::new(&fixture);
    let a = uri(&fixture, "w/a.rs");
    editor.open(&a, CODE);
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
    let without = CODE.replace("    one();\n", "");
    editor.change(&a, 2, ((1, 0), (2, 0)), "");
    fixture.file("w/a.rs", without);
    editor.save(&a);
    editor.marks(&a, &["0:0-0:0 Mira: Why? (waits on an agent, the code is gone)"]);
    editor.change(&a, 3, ((1, 0), (1, 0)), "    one();\n");
    editor.marks(&a, &["1:4-1:10 Mira: Why? (waits on an agent)"]);
}
