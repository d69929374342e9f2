use proptest::prelude::*;
use serde_json::{Value, json};

use super::{call, log, place};
use skein_fixtures::Fixture;

const EVENTS: &[(&str, &str)] = &[
    ("claude-code", "session-start"),
    ("claude-code", "post-tool-use"),
    ("claude-code", "user-prompt-submit"),
    ("claude-code", "stop"),
    ("codex", "pre-compact"),
    ("codex", "notify"),
    ("codex", "session-end"),
    ("opencode", "tool-after"),
    ("opencode", "session-compacting"),
];

fn check_ignored(fixture: &Fixture, input: &[u8]) {
    let before = fixture.tree();
    for (agent, event) in EVENTS {
        let text = String::from_utf8_lossy(input);
        let reply = skein_hooks::run(fixture.env("repo"), agent, event, input, Some(&text));
        assert_eq!(reply.stdout, b"", "{agent} {event}");
    }
    assert_eq!(fixture.tree(), before);
}

#[test]
fn invalid_input_is_ignored() {
    let fixture = place();
    let deep = "{\"a\":".repeat(100_000);
    let wide = format!("{{\"a\":{}}}", "[".repeat(100_000));
    let much = format!("{{\"prompt\":\"{}\"}}", "x".repeat(9 * 1024 * 1024));
    for input in ["[]", "7", "\"x\"", "{", "{}}", "nul", "{\"a\" 1}", &deep, &wide, &much] {
        check_ignored(&fixture, input.as_bytes());
    }
    check_ignored(&fixture, b"\xff\xfe{\x00");
}

#[test]
fn members_of_the_wrong_type_are_ignored() {
    let fixture = place();
    let odd = json!({
        "session_id": 7, "sessionId": null, "cwd": ["x"], "tool_name": {}, "tool_input": "git commit",
        "tool_response": [1], "prompt": 3, "transcript_path": false, "source": {}, "stop_hook_active": "yes",
    });
    for (agent, event) in EVENTS {
        assert_eq!(call(&fixture, agent, event, 0, &odd), "");
    }
}

#[test]
fn a_session_id_is_read_from_any_of_its_keys() {
    for name in [
        "session_id",
        "sessionId",
        "sessionID",
        "conversation_id",
        "conversationId",
        "thread_id",
        "threadId",
    ] {
        let fixture = place();
        let mut payload = json!({"other": 1});
        payload[name] = json!("s1");
        call(&fixture, "claude-code", "pre-compact", 0, &payload);
        assert!(super::written(&fixture).ends_with("compacted | s1"), "{name}");
    }
}

#[test]
fn a_failed_tool_writes_no_checkpoint_in_any_format() {
    let responses = [
        json!({"exit_code": 1}),
        json!({"exitCode": 128}),
        json!({"returnCode": "1"}),
        json!({"is_error": true}),
        json!({"isError": true, "exit_code": 0}),
        json!({"interrupted": true}),
        json!({"metadata": {"exit": 1}}),
        json!({"success": false}),
        json!("Exit code: 1\nOutput:\nx"),
        json!("Process exited with code 2"),
        json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"),
    ];
    for response in responses {
        let fixture = place();
        let payload = |response: &Value| json!({"session_id": "s1", "tool_name": "Write", "tool_input": {"file_path": "workspace/reports/a.md"}, "tool_response": response});
        call(&fixture, "codex", "post-tool-use", 0, &payload(&response));
        assert_eq!(super::written(&fixture), "", "{response}");
        call(&fixture, "codex", "post-tool-use", 0, &payload(&json!({"exit_code": 0})));
        assert_eq!(super::files(&fixture).len(), 1, "{response}");
    }
}

#[test]
fn failures_are_written_to_a_log_of_limited_size() {
    let fixture = place();
    call(&fixture, "claude-code", "session-start", 0, &json!({"session_id": "s1"}));
    call(&fixture, "claude-code", "pre-compact", 0, &json!({}));
    assert_eq!(
        log(&fixture),
        "2026-01-23T14:30:00.000Z claude-code pre-compact: the agent did not name its session\n"
    );
    let mut gone = fixture.env("repo");
    gone.dir = fixture.path("gone");
    skein_hooks::run(gone, "codex", "stop", b"{}", None);
    assert!(log(&fixture).ends_with("codex stop: there is no such directory\n"));
    for _ in 0..6000 {
        skein_hooks::run(fixture.env("repo"), "codex", "stop", b"garbage", None);
    }
    let state = fixture.path("home/state");
    let size = |name: &str| state.join(name).metadata().unwrap().len();
    assert!(size("hook.log") <= 256 * 1024 && size("hook.log.1") <= 256 * 1024);
    assert_eq!(
        state.read_dir().unwrap().filter(|e| e.as_ref().unwrap().path().is_file()).count(),
        2
    );
}

#[test]
fn without_a_state_directory_a_commit_still_gets_its_checkpoint() {
    let fixture = place();
    fixture.file("home/state", "not a directory");
    for message in ["one", "two"] {
        super::commit(&fixture, "repo", "a.txt", message);
        let ran = super::bash("s1", "git commit -m x");
        assert_eq!(call(&fixture, "git", "post-commit", 0, &Value::Null), "");
        assert_eq!(call(&fixture, "claude-code", "post-tool-use", 0, &ran), "");
        assert_eq!(call(&fixture, "codex", "post-tool-use", 1, &ran), "");
    }
    assert_eq!(super::written(&fixture), "git-commit | Auto: one | -\ngit-commit | Auto: two | -");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn arbitrary_bytes_write_nothing(bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        // Bytes that happen to be valid JSON may be a valid payload.
        prop_assume!(serde_json::from_slice::<Value>(&bytes).is_err());
        prop_assume!(!bytes.trim_ascii().is_empty());
        check_ignored(&place(), &bytes);
    }
}
