//! `skein checkpoint …` and `skein handoff`.

use std::fs;

use crate::place::Place;

#[test]
fn a_checkpoint_is_saved_and_listed() {
    let place = Place::empty();
    place.check(
        "checkpoint save parser -m Done --step Docs --tag x --new-store",
        "
Saved T-20260123-143000-parser
-- stderr
Created the store: ROOT/here/workspace/threads
`skein resume T-20260123-143000-parser` continues from here
-- exit 0
",
    );
    place.check(
        "checkpoint save parser -m Again",
        "
Saved T-20260123-143000-parser-2
-- stderr
`skein resume T-20260123-143000-parser-2` continues from here
-- exit 0
",
    );
    let output = place.run("list checkpoint");
    assert_eq!(output.out.lines().count(), 2, "{output}");
}

#[test]
fn the_json_has_the_id_and_the_file() {
    let place = Place::empty();
    let output = place.run("checkpoint save -m Done --session s --json --new-store");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
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
    let output = place.run("handoff -m Over --json");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(value["pointer"], "ROOT/here/workspace/threads/handoff.json");
    assert_eq!((&value["type"], &value["previous"]), (&"handoff".into(), &serde_json::Value::Null));
    let output = place.run("checkpoint auto --trigger stop --json");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(value["type"], "auto-checkpoint");
}

#[test]
fn outside_of_a_repository_a_store_is_created_only_with_new_store() {
    let place = Place::empty();
    for command in ["checkpoint save -m Done", "handoff -m Over", "checkpoint auto --trigger stop"]
    {
        place.check(
            command,
            "
-- stderr
Error: not a git repository, and there is no store of checkpoints: ROOT/here
Hint: add `--new-store` to create one here, or name a repository with `-C DIR`
-- exit 2
",
        );
        assert!(!place.machine.dir.join("workspace").exists());
    }
    // A directory with review threads is a workspace already.
    fs::create_dir_all(place.machine.dir.join(".code-review/threads")).unwrap();
    assert_eq!(place.run("checkpoint save -m Done").code, 0);
}

#[test]
fn a_store_outside_of_the_repository_is_reported() {
    let place = Place::empty();
    assert_eq!(place.run("checkpoint save -m Above --new-store").code, 0);
    place.file("repo/.git/HEAD", "ref: refs/heads/main\n");
    place.file("repo/.git/objects/.keep", "");
    place.file("repo/.git/refs/.keep", "");
    place.check(
        "-C repo checkpoint save -m Below",
        "
Saved T-20260123-143000-below
Git: main, no commit yet, clean
-- stderr
The store is outside of this repository: ROOT/here/workspace/threads
`skein resume T-20260123-143000-below` continues from here
-- exit 0
",
    );
    let output = place.run("-C repo");
    let line = "  the checkpoints are outside of this repository: ROOT/here/workspace/threads\n";
    assert!(output.out.contains(line), "{output}");
}

#[test]
fn a_second_handoff_becomes_the_one_that_resume_uses() {
    let place = Place::empty();
    place.run("handoff -m First --new-store");
    place.check(
        "handoff -m Second --step More",
        "
Handed over in T-20260123-143000-second
-- stderr
`skein resume` continues from here instead of T-20260123-143000-first, which stays open
-- exit 0
",
    );
}

#[test]
fn the_summary_the_file_list_and_the_record_can_come_from_stdin() {
    let mut place = Place::empty();
    place.input = "What was done.\n";
    assert_eq!(place.run("checkpoint save -m - --new-store").code, 0);
    place.input = "src/a.rs\nb.rs\r\n\n";
    let output = place.run("checkpoint save -m Files --files-from - --json");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(value["file_count"], 2);
    place.input = "a\nb\0c\0";
    let output = place.run("checkpoint save -m More --files-from - --json");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(value["file_count"], 2);
    place.input = "{\"conversation_summary\": \"From an agent\", \"mine\": [1]}";
    let output = place.run("checkpoint save --from -");
    assert!(output.out.starts_with("Saved T-20260123-143000-from-an-agent\n"), "{output}");
    let file = "workspace/threads/T-20260123-143000-from-an-agent.json";
    let text = fs::read_to_string(place.machine.dir.join(file)).unwrap();
    let start = "{\n  \"conversation_summary\": \"From an agent\",\n  \"mine\": [\n    1\n  ],\n";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn wrong_fields_exit_with_2_and_nothing_is_written() {
    let mut place = Place::empty();
    place.input = "{\"conversation_summary\": \"x\", \"type\": \"task\"}";
    let check = |args: &[&str], expected: &str| {
        let output = place.run_args(&[args, &["--new-store"]].concat());
        assert_eq!(output.to_string(), format!("-- stderr\n{expected}\n-- exit 2\n"), "{args:?}");
        assert!(!place.machine.dir.join("workspace").exists());
    };
    check(
        &["checkpoint", "save", "../x", "-m", "Done"],
        "Error: the slug cannot be part of a file's name: ../x\nHint: a slug has letters, digits, `-` and `_`, as in `parser-rewrite`; without one it is made from the summary",
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
        "Error: the record is invalid\nCaused by: there is no type `task` of checkpoints\nHint: the types are `checkpoint`, `auto-checkpoint` and `handoff`; without one it is `checkpoint`\nthe piped input is kept; add `< ROOT/home/.local/state/skein/scratch/piped-20260123-143000-d13a0290.txt`",
    );
    check(
        &["checkpoint", "save", "--from", "-", "--files-from", "-"],
        "Error: stdin can be read only once\nHint: put one of the inputs into a file, and name it",
    );
    check(
        &["checkpoint", "save", "-m", "-", "--files-from", "-"],
        "Error: stdin can be read only once\nHint: put one of the inputs into a file, and name it",
    );
    for args in [
        &["checkpoint", "save"][..],
        &["checkpoint", "save", "-m", "x", "--from", "-"],
        &["checkpoint", "save", "-m", "x", "--state", "idle"],
        &["checkpoint", "save", "--from", "/nowhere"],
        &["checkpoint", "auto"],
        &["handoff"],
    ] {
        let output = place.run_args(args);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{args:?}");
        assert!(output.err.starts_with("Error: "), "{}", output.err);
        assert!(!place.machine.dir.join("workspace").exists());
    }
}

#[test]
fn checkpoint_without_a_subcommand_lists_the_subcommands() {
    let output = Place::empty().run("checkpoint");
    assert_eq!(output.code, 2);
    for command in ["save", "auto"] {
        assert!(output.err.contains(&format!("  {command} ")), "{}", output.err);
    }
}

#[test]
fn a_handoff_is_closed_and_reopened() {
    let place = Place::empty();
    place.run("handoff -m Parser --step Docs --new-store");
    place.check(
        "handoff done",
        "
Done: T-20260123-143000-parser: Handoff: Parser
-- stderr
1 open step is not listed any more
-- exit 0
",
    );
    place.check(
        "resume",
        "
-- stderr
Error: no work is open here
Hint: `skein resume T-20260123-143000-parser` still shows the last checkpoint; `skein list checkpoint` lists all
-- exit 2
",
    );
    place.check(
        "handoff cancel",
        "
-- stderr
Error: no handoff is open in this worktree or on this branch
Hint: `skein list type:handoff` lists the handoffs that have ended
-- exit 2
",
    );
    place.check(
        "handoff reopen parser",
        "\nReopened: T-20260123-143000-parser: Handoff: Parser\n-- exit 0\n",
    );
    let output = place.run("handoff cancel parser --json");
    let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&value["action"], &value["status"]), (&"cancelled".into(), &"cancelled".into()));
    assert_eq!(place.run("handoff").code, 2, "a message is still needed to hand over");
}

#[test]
fn the_auto_checkpoints_of_a_session_are_listed_as_one_line() {
    let place = Place::empty();
    for n in 0..3 {
        place.run(&format!("checkpoint auto --trigger stop -m Step{n} --session s1 --new-store"));
    }
    place.run("checkpoint auto --trigger stop -m Other --session s2");
    let output = place.run("checkpoint list");
    assert_eq!(output.out.lines().count(), 2, "{}", output.out);
    assert!(output.out.contains("auto (+2)"), "{}", output.out);
    let note = "2 more auto-checkpoints are folded into the last one of each session; `type:auto` lists all\n";
    assert_eq!(output.err, note);
    assert_eq!(place.run("checkpoint list type:auto").out.lines().count(), 4);
    let all: serde_json::Value =
        serde_json::from_str(&place.run("checkpoint list --json").out).unwrap();
    assert_eq!(all["threads"].as_array().unwrap().len(), 4);
}

#[test]
fn a_checkpoint_with_many_entries_is_truncated_in_text_output() {
    let place = Place::empty();
    let files: Vec<String> = (0..5000).map(|n| format!("\"src/{n}.rs\"")).collect();
    let text = format!(
        "{{\"conversation_summary\": \"{}\", \"files_touched\": [{}]}}",
        "line\\n".repeat(5000),
        files.join(", ")
    );
    place.file("workspace/threads/T-1.json", &text);
    let output = place.run("show T-1");
    assert!(output.out.lines().count() < 500, "{}", output.out.lines().count());
    assert!(output.out.contains("  4800 more; `--json` prints all\n"));
    assert!(place.run("show T-1 --json").out.contains("src/4999.rs"));
}
