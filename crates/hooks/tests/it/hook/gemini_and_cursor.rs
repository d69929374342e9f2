//! What is special about the hooks of Gemini CLI and Cursor. The inputs have the members that these programs send.

use serde_json::{Value, json};
use skein_checkpoints::agent_session;

use super::context::checkpoint;
use super::{accept, call, commit, files, later, log, place, written};
use skein_fixtures::{Fixture, Review};
use skein_workspace::Clock;

const SESSION: &str = "5f0c1d2a-0000-4000-8000-000000000001";

/// A repository with a checkpoint, and a thread that waits on the agent, which must not stop before it is answered.
fn place_with_thread() -> Fixture {
    let mut fixture = place();
    checkpoint(&fixture);
    let review = Review { says: &[("Ada", "Why?")], ..Review::default() };
    fixture.review("repo", "a1", &review);
    fixture.variables.insert("SKEIN_HOOK_STOP_GATE".to_owned(), "true".to_owned());
    accept(&fixture);
    fixture
}

fn gemini(fixture: &Fixture, event: &str, minutes: i64, more: &Value) -> String {
    let mut payload = json!({
        "session_id": SESSION,
        "transcript_path": fixture.path("home/none.jsonl"),
        "cwd": fixture.path("repo"),
        "timestamp": "2026-01-23T12:00:00.000Z",
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call(fixture, "gemini-cli", event, minutes, &payload)
}

fn cursor_payload(fixture: &Fixture, more: &Value) -> Value {
    let mut payload = json!({
        "conversation_id": SESSION,
        "generation_id": "g1",
        "model": "m",
        "cwd": "",
        "cursor_version": "3.1.0",
        "workspace_roots": [fixture.path("repo")],
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn cursor(fixture: &Fixture, event: &str, minutes: i64, more: &Value) -> String {
    call(fixture, "cursor", event, minutes, &cursor_payload(fixture, more))
}

fn session(fixture: &Fixture) -> agent_session::AgentSession {
    agent_session::find(&fixture.open("repo"), SESSION).unwrap()
}

#[test]
fn gemini_cli_is_told_what_waits_and_is_not_kept_for_ever() {
    let fixture = place_with_thread();
    gemini(&fixture, "session-start", 0, &json!({"source": "startup"}));
    let asked = "<hook_context>Skein: …</hook_context>\n\nFix the lantern";
    let reply = gemini(&fixture, "user-prompt-submit", 1, &json!({"prompt": asked}));
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "BeforeAgent");
    assert_eq!(session(&fixture).last_prompt.as_deref(), Some("Fix the lantern"));
    let mut kept = 0;
    for minutes in 2..8 {
        let end = json!({"prompt": "x", "prompt_response": "Done.", "stop_hook_active": false});
        let reply = gemini(&fixture, "stop", minutes, &end);
        if reply.is_empty() {
            break;
        }
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["decision"], "block");
        kept += 1;
        // Gemini CLI sends the reason to the model as a prompt, and calls the hook of prompts with it.
        let reasons = format!("{}\nTests fail.", reply["reason"].as_str().unwrap());
        gemini(&fixture, "user-prompt-submit", minutes, &json!({"prompt": reasons}));
    }
    assert_eq!(kept, 2);
    assert_eq!(session(&fixture).last_prompt.as_deref(), Some("Fix the lantern"));
}

#[test]
fn edits_and_commits_of_gemini_cli_are_recorded() {
    let fixture = place();
    gemini(&fixture, "session-start", 0, &json!({"source": "startup"}));
    gemini(&fixture, "user-prompt-submit", 0, &json!({"prompt": "Fix it"}));
    let tool = |name: &str, input: &Value, response: &Value| {
        let more = json!({"tool_name": name, "tool_input": input, "tool_response": response});
        assert_eq!(gemini(&fixture, "post-tool-use", 1, &more), "");
    };
    fixture.file("repo/a.rs", "a\n");
    fixture.file("repo/b.rs", "b\n");
    let path = |name: &str| fixture.path(&format!("repo/{name}"));
    let error = json!({"type": "edit_no_occurrence_found"});
    tool("write_file", &json!({"file_path": path("a.rs")}), &json!({"llmContent": "ok"}));
    tool(
        "replace",
        &json!({"file_path": path("b.rs")}),
        &json!({"llmContent": "", "error": error}),
    );
    let known = session(&fixture).files;
    assert!(known.keys().any(|file| file.ends_with("a.rs")), "{known:?}");
    assert!(!known.keys().any(|file| file.ends_with("b.rs")), "a failed edit changes nothing");
    commit(&fixture, "repo", "c.rs", "Light the lantern");
    // Of a command, the last lines tell that it failed; of an edit, they are code.
    fixture.file("repo/d.sh", "echo Exit Code: 1\n");
    let edited = "Here is the updated code:\necho 1\nExit Code: 1";
    tool("write_file", &json!({"file_path": path("d.sh")}), &json!({"llmContent": edited}));
    assert!(session(&fixture).files.keys().any(|file| file.ends_with("d.sh")));
    let output = "Output: Exit Code: 2\nProcess Group PGID: 7";
    tool(
        "run_shell_command",
        &json!({"command": "git commit -m x", "dir_path": path("")}),
        &json!({"llmContent": output, "returnDisplay": ""}),
    );
    assert_eq!(written(&fixture), format!("git-commit | Auto: Light the lantern | {SESSION}"));
    let text = &files(&fixture)[0];
    assert!(text.contains("gemini-cli") && text.contains("Fix it"), "{text}");
    for _ in 0..3 {
        gemini(&fixture, "session-end", 2, &json!({"reason": "exit"}));
    }
    assert_eq!(files(&fixture).len(), 1);
}

#[test]
fn cursor_gets_the_brief_and_is_asked_once_to_continue() {
    let fixture = place_with_thread();
    let reply = cursor(&fixture, "session-start", 0, &json!({"is_background_agent": false}));
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert!(
        reply["additional_context"].as_str().unwrap().contains("Fixed the lantern."),
        "{reply}"
    );
    assert_eq!(reply.as_object().unwrap().len(), 1);
    assert_eq!(cursor(&fixture, "user-prompt-submit", 1, &json!({"prompt": "Fix it"})), "");
    for (status, loops, is_asked) in
        [("aborted", 0, false), ("completed", 1, false), ("completed", 0, true)]
    {
        let more = json!({"status": status, "loop_count": loops});
        let reply = cursor(&fixture, "stop", 2, &more);
        assert_eq!(reply.contains("\"followup_message\""), is_asked, "{status} {loops} {reply}");
    }
}

#[test]
fn edits_and_commits_of_cursor_are_recorded() {
    let fixture = place();
    cursor(&fixture, "user-prompt-submit", 0, &json!({"prompt": "Fix it"}));
    fixture.file("repo/a.rs", "a\n");
    let edits = json!([{"old_string": "b", "new_string": "a"}]);
    let edit = json!({"file_path": fixture.path("repo/a.rs"), "edits": edits});
    cursor(&fixture, "post-tool-use", 1, &edit);
    assert!(session(&fixture).files.keys().any(|file| file.ends_with("a.rs")));
    commit(&fixture, "repo", "c.rs", "Light the lantern");
    let shell = json!({"command": "git commit -m x", "output": "", "duration": 3});
    cursor(&fixture, "post-tool-use", 2, &shell);
    let first = format!("git-commit | Auto: Light the lantern | {SESSION}");
    assert_eq!(written(&fixture), first);
    // A worker has a conversation of its own, which belongs to the one that started it.
    let worker = json!({
        "conversation_id": "c2",
        "parent_conversation_id": SESSION,
        "subagent_type": "explore",
        "status": "completed",
    });
    cursor(&fixture, "subagent-stop", 20, &worker);
    let second = format!("worker-skill | Auto: explore ended | {SESSION}");
    assert_eq!(written(&fixture), format!("{first}\n{second}"));
}

#[test]
fn the_end_of_an_unknown_conversation_of_cursor_writes_nothing() {
    let fixture = place();
    cursor(&fixture, "session-end", 0, &json!({"reason": "window_close"}));
    assert_eq!(files(&fixture), Vec::<String>::new());
    assert!(agent_session::find(&fixture.open("repo"), SESSION).is_none());
}

#[test]
fn calls_by_cursor_of_the_hooks_of_claude_code_are_ignored() {
    let fixture = place();
    let prompt = cursor_payload(&fixture, &json!({"prompt": "Fix it", "session_id": SESSION}));
    assert_eq!(call(&fixture, "claude-code", "user-prompt-submit", 0, &prompt), "");
    // Of a command with `&&` and `||`, only the last part would get the input.
    let mut env = fixture.env("repo");
    env.clock = Clock::new(|| later(0));
    env.variables.insert("CURSOR_VERSION".to_owned(), "3.1.0".to_owned());
    skein_hooks::run(env, "claude-code", "session-end", b"", None);
    assert!(agent_session::find(&fixture.open("repo"), SESSION).is_none());
    assert_eq!((files(&fixture), log(&fixture)), (Vec::new(), String::new()));
    // Claude Code in a terminal of Cursor.
    let mut env = fixture.env("repo");
    env.variables.insert("CURSOR_VERSION".to_owned(), "3.1.0".to_owned());
    let prompt = json!({"session_id": SESSION, "prompt": "Fix it"}).to_string();
    skein_hooks::run(env, "claude-code", "user-prompt-submit", prompt.as_bytes(), None);
    assert_eq!(session(&fixture).agent, "claude-code");
}
