use serde_json::json;

use skein_checkpoints::{Handoff, Save, handoff, save};
use skein_format::redact::{find, rules};
use skein_workspace::discover;

use super::{accept, bash, call, commit, files, place};

/// Builds a secret from parts, so that no file of this project appears to contain one.
fn secret() -> String {
    ["ghp", "_", &"Ab3dEf6hIj".repeat(4)].concat().chars().take(40).collect()
}

#[test]
fn a_secret_reaches_neither_checkpoint_state_log_nor_output() {
    let fixture = place();
    accept(&fixture);
    let secret = secret();
    let text = format!("use {secret} for it");
    let mut output = String::new();
    let mut run = |event: &str, minutes: i64, payload: serde_json::Value| {
        output += &call(&fixture, "claude-code", event, minutes, &payload);
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
    assert!(output.contains("REDACTED"));
    assert!(!output.contains(&secret), "{output}");
    let tree = fixture.tree();
    let leaks: Vec<&str> = tree
        .lines()
        .filter(|line| line.contains(&secret))
        // The commit and its file were written by the user.
        .filter(|line| !line.starts_with("repo/.git/") && !line.starts_with("repo/a.txt"))
        .collect();
    assert_eq!(leaks, Vec::<&str>::new());
}

#[test]
fn hidden_characters_reach_no_agent() {
    let fixture = place();
    accept(&fixture);
    let hidden =
        "x\u{e0041}\u{e007f}\u{200b}\u{200d}\u{2060}\u{feff}\u{202e}\u{200f}\u{61c}\u{9b}y";
    let env = fixture.env("repo");
    let handed = Handoff {
        message: hidden.to_owned(),
        steps: vec![hidden.to_owned()],
        ..Handoff::default()
    };
    handoff(&discover(&env), &handed).unwrap();
    for agent in ["claude-code", "opencode"] {
        let output = call(&fixture, agent, "session-start", 1, &json!({"session_id": "s1"}));
        let value: serde_json::Value = serde_json::from_str(&output).unwrap();
        let text =
            value.pointer("/hookSpecificOutput/additionalContext").or_else(|| value.get("context"));
        let text = text.and_then(|text| text.as_str()).unwrap();
        assert!(text.contains("x\\u{e0041}\\u{e007f}\\u{200b}"), "{text}");
        assert!(!text.chars().any(|c| !c.is_ascii() && hidden.contains(c)), "{text:?}");
    }
}

/// Passes every kind of secret to every input; none may be in a file, the tables, the state, the log or the output.
#[test]
fn every_kind_of_secret_is_redacted() {
    let fixture = place();
    accept(&fixture);
    let examples: Vec<String> = rules().map(|rule| rule.example()).collect();
    let mut kinds: Vec<&str> = rules().map(|rule| rule.name).collect();
    kinds.dedup();
    assert!(kinds.len() >= 30, "{}", kinds.len());
    let mut output = String::new();
    for (turn, part) in (0..).zip(examples.chunks(6)) {
        let text = format!("take {} there", part.join(" and "));
        let (at, env) = (turn * 20, fixture.env("repo"));
        let mut run = |event: &str, minutes: i64, payload: serde_json::Value| {
            output += &call(&fixture, "claude-code", event, at + minutes, &payload);
        };
        run("user-prompt-submit", 1, json!({"session_id": "s1", "prompt": text}));
        run("pre-compact", 2, json!({"session_id": "s1", "last_assistant_message": text}));
        let given = vec![text.clone()];
        let record = json!({"conversation_summary": text, "odd": {"deep": [text]}, "next_steps": [{"step": text}]});
        let full = Save {
            summary: text.clone(),
            title: Some(text.clone()),
            steps: given.clone(),
            tags: given.clone(),
            files: given.clone(),
            ..Save::default()
        };
        let handed = Handoff { message: text.clone(), steps: given, ..Handoff::default() };
        let workspace = discover(&env);
        save(&workspace, &full).unwrap();
        let whole = Save { record: Some(record.to_string().into_bytes()), ..Save::default() };
        save(&workspace, &whole).unwrap();
        handoff(&workspace, &handed).unwrap();
        run("session-start", 3, json!({"session_id": "s1", "source": "compact"}));
        run("session-start", 3, json!({"session_id": "s2", "source": "startup"}));
        output += &skein_summary::brief(&workspace, None).unwrap().text(10_000);
    }
    let tree = fixture.tree();
    let all = format!("{output}\n{tree}");
    assert!(tree.contains("recent.md") && all.matches("[REDACTED:").count() > rules().count());
    for example in &examples {
        let secret = find(example).first().unwrap().span.of(example.as_bytes()).to_vec();
        let secret = String::from_utf8(secret).unwrap();
        let secret = secret.lines().find(|line| !line.starts_with("---")).unwrap_or(&secret);
        assert!(!all.contains(secret), "{example} was not redacted");
    }
}
