//! The start and the end of a conversation, and what is not part of one.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::editor::{Editor, capabilities, fixture, params, thread, uri};

#[test]
fn a_proper_end_is_told_from_a_lost_editor() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    assert_eq!(editor.request("shutdown", Value::Null), Ok(Value::Null));
    let refused = editor.request("textDocument/hover", json!({}));
    assert_eq!(refused, Err("the server was shut down".to_owned()));
    editor.notify("exit", Value::Null);
    assert!(editor.ended());
    assert!(!Editor::new(&fixture).end());
    let mut editor = Editor::new(&fixture);
    editor.notify("exit", Value::Null);
    assert!(!editor.ended());
}

#[test]
fn it_ends_with_the_process_of_the_editor() {
    let fixture = fixture();
    let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
    let mut editor = Editor::connect(fixture.env("w"));
    let mut params = params(&fixture, "w", capabilities(), "x");
    params["processId"] = json!(child.id());
    editor.request("initialize", params).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!editor.ended());
}

#[test]
fn the_first_request_is_initialize() {
    let fixture = fixture();
    let mut editor = Editor::connect(fixture.env("w"));
    let refused = editor.request("textDocument/hover", json!({}));
    assert_eq!(refused, Err("the first request must be initialize".to_owned()));
    // A client that announces nothing counts in UTF-16, and gets the current directory.
    let result = editor.request("initialize", json!({})).unwrap();
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    thread(&fixture, "t1", &[("Mira", "Why?")]);
    editor.marks(&uri(&fixture, "w/a.rs"), &["1:4-1:10 Mira: Why? (waits on an agent)"]);
}

#[test]
fn what_is_not_understood_is_refused_or_ignored() {
    let fixture = fixture();
    let mut editor = Editor::new(&fixture);
    let refused = editor.request("textDocument/rename", json!({}));
    assert_eq!(refused, Err("this server has no method textDocument/rename".to_owned()));
    editor.notify("$/setTrace", json!({ "value": "off" }));
    editor.notify("textDocument/didChange", json!({ "textDocument": 7 }));
    editor.notify("textDocument/didOpen", json!({ "textDocument": { "uri": "untitled:1" } }));
    for params in [json!(null), json!([]), json!({ "textDocument": { "uri": "file:///nowhere" } })]
    {
        assert_eq!(editor.request("textDocument/hover", params.clone()), Ok(Value::Null));
        assert_eq!(editor.request("textDocument/codeAction", params), Ok(json!([])));
    }
    editor.stream().write_all(b"Content-Length: 7\r\n\r\nnonsens").unwrap();
    let logged = editor.notification("window/logMessage");
    assert!(logged["message"].as_str().unwrap().starts_with("This message was ignored"));
    assert!(editor.request("workspace/executeCommand", json!({ "command": "x" })).is_err());
    editor.end();
}
