use serde_json::json;

use super::{accept, bash, call, commit, files, place};

/// Built so that no file of this project looks as if it held one.
fn secret() -> String {
    ["ghp", "_", &"Ab3dEf6hIj".repeat(4)].concat().chars().take(40).collect()
}

#[test]
fn a_secret_reaches_neither_checkpoint_state_log_nor_answer() {
    let fixture = place();
    accept(&fixture);
    let secret = secret();
    let text = format!("use {secret} for it");
    let mut said = String::new();
    let mut run = |event: &str, minutes: i64, payload: serde_json::Value| {
        said += &call(&fixture, "claude-code", event, minutes, &payload);
    };
    run("session-start", 0, json!({"session_id": "s1"}));
    run("user-prompt-submit", 1, json!({"session_id": "s1", "prompt": text}));
    commit(&fixture, "repo", "a.txt", &text);
    let mut ran = bash("s1", "git commit -m x");
    ran["last_assistant_message"] = json!(text);
    run("post-tool-use", 2, ran);
    run("user-prompt-submit", 9, json!({"session_id": "s1", "prompt": text}));
    run("pre-compact", 10, json!({"session_id": "s1", "last_assistant_message": text}));
    run("session-start", 11, json!({"session_id": "s1", "source": "compact"}));
    let wrote = json!({"session_id": "s2", "tool_name": "Write", "tool_input": {"file_path": format!("workspace/reports/{secret}.md")}});
    run("post-tool-use", 12, wrote);
    run("pre-compact", 13, json!({"cwd": format!("/{secret}")}));
    assert_eq!(files(&fixture).len(), 3);
    assert!(said.contains("REDACTED"));
    assert!(!said.contains(&secret), "{said}");
    let tree = fixture.tree();
    let leaks: Vec<&str> = tree
        .lines()
        .filter(|line| line.contains(&secret))
        // The commit and the file that it holds are the user's own.
        .filter(|line| !line.starts_with("repo/.git/") && !line.starts_with("repo/a.txt"))
        .collect();
    assert_eq!(leaks, Vec::<&str>::new());
}
