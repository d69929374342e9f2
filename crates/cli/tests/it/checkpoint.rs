//! `skein checkpoint …` and `skein handoff`.

use std::fs;

use crate::place::Place;

#[test]
fn a_checkpoint_is_saved_and_listed() {
    let place = Place::empty();
    place.check(
        "checkpoint save parser -m Done --step Docs --tag x",
        "
Saved T-20260123-143000-parser
-- stderr
Created the store: ROOT/here/workspace/threads
`skein resume T-20260123-143000-parser` goes on from here
-- exit 0
",
    );
    place.check(
        "checkpoint save parser -m Again",
        "
Saved T-20260123-143000-parser-2
-- stderr
`skein resume T-20260123-143000-parser-2` goes on from here
-- exit 0
",
    );
    let said = place.run("list checkpoint");
    assert_eq!(said.out.lines().count(), 2, "{said}");
}

#[test]
fn json_tells_where_it_is() {
    let place = Place::empty();
    let said = place.run("checkpoint save -m Done --session s --json");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        value,
        serde_json::json!({
            "id": "T-20260123-143000-done",
            "file": "ROOT/here/workspace/threads/T-20260123-143000-done.json",
            "type": "checkpoint",
            "action": "created",
            "title": "Done",
            "updated_at": "2026-01-23T14:30:00.000Z",
            "git": null,
            "session_id": "s",
            "file_count": 0,
            "open_steps": 0,
            "notes": ["Created the store: ROOT/here/workspace/threads"],
            "diagnostics": [],
        })
    );
    let said = place.run("handoff -m Over --json");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(value["pointer"], "ROOT/here/workspace/threads/handoff.json");
    assert_eq!((&value["type"], &value["previous"]), (&"handoff".into(), &serde_json::Value::Null));
    let said = place.run("checkpoint auto --trigger stop --json");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(value["type"], "auto-checkpoint");
}

#[test]
fn work_is_handed_over_twice() {
    let place = Place::empty();
    place.run("handoff -m First");
    place.check(
        "handoff -m Second --step More",
        "
Handed over in T-20260123-143000-second
-- stderr
`skein resume` goes on from here; before it was T-20260123-143000-first
-- exit 0
",
    );
}

#[test]
fn words_and_files_come_from_stdin_too() {
    let mut place = Place::empty();
    place.input = "What was done.\n";
    assert_eq!(place.run("checkpoint save -m -").code, 0);
    place.input = "src/a.rs\nb.rs\r\n\n";
    let said = place.run("checkpoint save -m Files --files-from - --json");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(value["file_count"], 2);
    place.input = "a\nb\0c\0";
    let said = place.run("checkpoint save -m More --files-from - --json");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(value["file_count"], 2);
    place.input = "{\"conversation_summary\": \"From an agent\", \"mine\": [1]}";
    let said = place.run("checkpoint save --from -");
    assert!(said.out.starts_with("Saved T-20260123-143000-from-an-agent\n"), "{said}");
    let file = "workspace/threads/T-20260123-143000-from-an-agent.json";
    let text = fs::read_to_string(place.machine.dir.join(file)).unwrap();
    let start = "{\n  \"conversation_summary\": \"From an agent\",\n  \"mine\": [\n    1\n  ],\n";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn wrong_words_are_the_users_to_mend_and_nothing_is_written() {
    let mut place = Place::empty();
    place.input = "{\"conversation_summary\": \"x\", \"type\": \"task\"}";
    let check = |args: &[&str], expected: &str| {
        let said = place.run_args(args);
        assert_eq!(said.to_string(), format!("-- stderr\n{expected}\n-- exit 2\n"), "{args:?}");
        assert!(!place.machine.dir.join("workspace").exists());
    };
    check(
        &["checkpoint", "save", "../x", "-m", "Done"],
        "Error: the slug cannot be part of a file's name: ../x\nHint: letters, digits, `-` and `_` make a slug, as in `parser-rewrite`; without one it is made of the summary",
    );
    check(
        &["checkpoint", "save", "-m", "  "],
        "Error: the summary is empty\nHint: say what was done with `-m TEXT`",
    );
    check(
        &["handoff", "-m", ""],
        "Error: the summary is empty\nHint: say what was done with `-m TEXT`",
    );
    check(
        &["checkpoint", "save", "-m", "x", "--worker", "w", "--state", "busy"],
        "Error: a worker has no state `busy`\nHint: the states are `idle`, `loading`, `executing`, `verifying`, `completed` and `error`",
    );
    check(
        &["checkpoint", "save", "--from", "-"],
        "Error: the record cannot be kept\nCaused by: there is no type `task` of checkpoints\nHint: the types are `checkpoint`, `auto-checkpoint` and `handoff`; without one it is `checkpoint`",
    );
    check(
        &["checkpoint", "save", "--from", "-", "--files-from", "-"],
        "Error: stdin can be read for one thing only\nHint: put one of them into a file, and name it",
    );
    check(
        &["checkpoint", "save", "-m", "-", "--files-from", "-"],
        "Error: stdin can be read for one thing only\nHint: put one of them into a file, and name it",
    );
    for args in [
        &["checkpoint", "save"][..],
        &["checkpoint", "save", "-m", "x", "--from", "-"],
        &["checkpoint", "save", "-m", "x", "--state", "idle"],
        &["checkpoint", "save", "--from", "/nowhere"],
        &["checkpoint", "auto"],
        &["handoff"],
    ] {
        let said = place.run_args(args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.starts_with("Error: "), "{}", said.err);
        assert!(!place.machine.dir.join("workspace").exists());
    }
}

#[test]
fn alone_it_shows_what_it_can_do() {
    let said = Place::empty().run("checkpoint");
    assert_eq!(said.code, 2);
    for command in ["save", "auto"] {
        assert!(said.err.contains(&format!("  {command} ")), "{}", said.err);
    }
}
