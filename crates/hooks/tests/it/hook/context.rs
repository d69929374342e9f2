use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use skein_install::setup::share;
use skein_model::Filter;
use skein_review::{NextOptions, next};
use skein_workspace::Actor;

use super::{accept, call, files, place};
use skein_fixtures::{Fixture, Review};

/// A checkpoint of yesterday on the branch that is checked out.
pub(super) fn checkpoint(fixture: &Fixture) {
    fixture.checkpoint(
        "repo",
        "T-20260122-120000-fix",
        "  \"type\": \"checkpoint\",\n  \"created_at\": \"2026-01-22T12:00:00.000Z\",\n  \"updated_at\": \"2026-01-22T12:00:00.000Z\",\n  \"git\": {\"branch\": \"main\", \"current_commit\": \"1234567\", \"dirty\": false},\n  \"conversation_summary\": \"Fixed the lantern.\",\n  \"next_steps\": [\"Light it\"]",
    );
}

fn review(fixture: &Fixture, id: &str, says: &[(&str, &str)]) {
    fixture.review("repo", id, &Review { says, ..Review::default() });
}

/// Returns the context in the output of a hook, and asserts that the output has the format of the agent.
fn context(agent: &str, name: &str, hook_output: &str) -> String {
    let hook_output = hook_output.strip_suffix('\n').unwrap();
    let value: Value = serde_json::from_str(hook_output).unwrap();
    let text = if agent == "opencode" {
        &value["context"]
    } else {
        &value["hookSpecificOutput"]["additionalContext"]
    };
    let expected = if agent == "opencode" {
        json!({"context": text})
    } else {
        json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})
    };
    assert_eq!(value, expected);
    text.as_str().unwrap().to_owned()
}

#[test]
fn a_session_gets_the_brief_in_the_format_of_each_agent() {
    for agent in ["claude-code", "codex", "opencode"] {
        let fixture = place();
        checkpoint(&fixture);
        let started = json!({"session_id": "s1", "source": "startup"});
        assert_eq!(call(&fixture, agent, "session-start", 0, &started), "", "not accepted");
        accept(&fixture);
        let hook_output = call(&fixture, agent, "session-start", 0, &started);
        let text = context(agent, "SessionStart", &hook_output);
        assert!(text.contains("Fixed the lantern."), "{text}");
        assert!(text.chars().count() <= 1500);
        let compacted = json!({"session_id": "s1", "source": "compact"});
        let whole = call(&fixture, agent, "session-start", 1, &compacted);
        let whole = context(agent, "SessionStart", &whole);
        assert!(whole.contains("Light it") && whole.chars().count() <= 10_000, "{whole}");
        assert_ne!(whole, text);
    }
}

#[test]
fn a_session_gets_one_line_about_work_in_other_worktrees() {
    let fixture = place();
    checkpoint(&fixture);
    let workspace = fixture.open("repo");
    share(&workspace).unwrap();
    fixture.commit("repo", "share");
    for branch in ["feat", "fix", "idle"] {
        fixture.worktree("repo", branch, branch);
    }
    let steps = "  \"type\": \"checkpoint\",\n  \"next_steps\": [\"Look\"]";
    fixture.checkpoint("feat", "T-20260122-130000-one", steps);
    fixture.checkpoint("feat", "T-20260122-140000-two", steps);
    fixture.checkpoint("fix", "T-20260122-150000-three", "  \"type\": \"handoff\"");
    fixture.checkpoint("idle", "T-20260122-150000-done", "  \"type\": \"checkpoint\"");
    let line = "Other worktrees have checkpoints to resume: feat (2), fix (1). `skein checkpoint list --all-worktrees` lists them.";
    let started = json!({"session_id": "s1", "source": "startup"});
    let run_hook = || call(&fixture, "claude-code", "session-start", 0, &started);
    assert_eq!(run_hook(), "", "not accepted");
    accept(&fixture);
    let text = context("claude-code", "SessionStart", &run_hook());
    let (before, last) = text.rsplit_once('\n').unwrap();
    assert_eq!(last, line);
    assert!(before.ends_with("prints the summary, and what changed since."), "{text}");
    // The limit applies to the whole text; the part about the checkpoint is cut, not this line.
    let long = "word ".repeat(100);
    let many: Vec<String> = (0..8).map(|n| format!("\"{n} {long}\"")).collect();
    let path = fixture.path("repo/workspace/threads/T-20260122-120000-fix.json");
    let whole = fs::read_to_string(&path).unwrap();
    let more = whole.replace("\"Light it\"", &many.join(", "));
    fs::write(&path, more.replace("Fixed the lantern.", &long)).unwrap();
    let text = context("claude-code", "SessionStart", &run_hook());
    assert!(text.chars().count() <= 1500 && text.ends_with(line), "{text}");
    assert!(text.contains("and what changed since.\nOther worktrees"), "{text}");
    // The worktree itself may have no checkpoints.
    fs::remove_dir_all(fixture.path("repo/workspace")).unwrap();
    let text = context("claude-code", "SessionStart", &run_hook());
    let line = "Other worktrees have checkpoints to resume: feat (3), fix (2), idle (1). ";
    assert!(text.starts_with(line), "{text}");
}

/// A hook has no time to read every checkpoint, so it reads the one with the latest name.
#[test]
fn after_a_compaction_the_checkpoint_with_the_latest_name_is_used() {
    let fixture = place();
    checkpoint(&fixture);
    accept(&fixture);
    // Its creation time is later than that of the checkpoint with the later name.
    fixture.checkpoint(
        "repo",
        "T-20260101-120000-older-name",
        "  \"created_at\": \"2026-01-23T12:00:00.000Z\",\n  \"conversation_summary\": \"Another one.\"",
    );
    let compacted = json!({"session_id": "s1", "source": "compact"});
    let hook_output = call(&fixture, "claude-code", "session-start", 1, &compacted);
    let text = context("claude-code", "SessionStart", &hook_output);
    assert!(text.contains("T-20260122-120000-fix") && !text.contains("Another one."), "{text}");
}

#[test]
fn only_an_agent_that_accepts_context_gets_it_at_a_compaction() {
    let fixture = place();
    checkpoint(&fixture);
    accept(&fixture);
    let payload = json!({"session_id": "s1"});
    assert_eq!(call(&fixture, "claude-code", "pre-compact", 0, &payload), "");
    assert_eq!(call(&fixture, "codex", "pre-compact", 0, &payload), "");
    let hook_output = call(&fixture, "opencode", "session-compacting", 0, &payload);
    assert!(!context("opencode", "", &hook_output).is_empty());
}

#[test]
fn a_compacted_session_gets_its_brief_without_a_resume_command() {
    let fixture = place();
    checkpoint(&fixture);
    accept(&fixture);
    let started = json!({"session_id": "s1", "source": "startup"});
    call(&fixture, "claude-code", "session-start", 0, &started);
    call(
        &fixture,
        "claude-code",
        "user-prompt-submit",
        1,
        &json!({"session_id": "s1", "prompt": "x"}),
    );
    call(&fixture, "claude-code", "pre-compact", 2, &json!({"session_id": "s1"}));
    let compacted = json!({"session_id": "s1", "source": "compact"});
    let hook_output = call(&fixture, "claude-code", "session-start", 3, &compacted);
    let text = context("claude-code", "SessionStart", &hook_output);
    assert!(text.contains("(auto-checkpoint") && text.contains("session s1"), "{text}");
    assert!(
        text.contains("fix#1: Light it") && text.contains("title: Fixed the lantern."),
        "{text}"
    );
    assert!(!text.contains("claude --resume"), "{text}");
}

#[test]
fn a_prompt_gets_the_number_of_waiting_threads() {
    for (agent, event) in [
        ("claude-code", "user-prompt-submit"),
        ("codex", "user-prompt-submit"),
        ("opencode", "user-message"),
    ] {
        let fixture = place();
        let payload = json!({"session_id": "s1", "prompt": "go on"});
        review(&fixture, "one", &[("Mira", "Why?")]);
        assert_eq!(call(&fixture, agent, event, 0, &payload), "", "not accepted");
        accept(&fixture);
        let context_of_prompt =
            || context(agent, "UserPromptSubmit", &call(&fixture, agent, event, 0, &payload));
        let rest = "on the agent. `skein review next` shows the one that has waited longest.";
        assert_eq!(
            context_of_prompt(),
            format!("Skein: 1 review thread of this workspace waits {rest}")
        );
        review(&fixture, "two", &[("Mira", "Why?")]);
        review(&fixture, "three", &[("Mira", "Why?"), ("Claude Code", "Because.")]);
        assert_eq!(
            context_of_prompt(),
            format!("Skein: 2 review threads of this workspace wait {rest}")
        );
        review(&fixture, "one", &[("Mira", "Why?"), ("Codex", "Because.")]);
        review(&fixture, "two", &[("Mira", "Why?"), ("Codex", "Because.")]);
        assert_eq!(call(&fixture, agent, event, 0, &payload), "");
    }
}

#[test]
fn an_agent_is_kept_from_stopping_only_if_the_user_enables_it() {
    let mut fixture = place();
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    fixture.file("repo/.skein.toml", "[hook]\nstop_gate = true\n");
    let stop = |fixture: &Fixture, agent: &str, kept: bool| {
        let payload = json!({"session_id": "s1", "stop_hook_active": kept});
        call(fixture, agent, "stop", 0, &payload)
    };
    assert_eq!(stop(&fixture, "claude-code", false), "", "a repository cannot enable it");
    fixture.variables.insert("SKEIN_HOOK_STOP_GATE".to_owned(), "true".to_owned());
    let refusal = "{\"decision\":\"block\",\"reason\":\"1 review thread of this workspace waits on the agent: one. `skein review next` shows the one that has waited longest.\"}\n";
    assert_eq!(stop(&fixture, "claude-code", true), "");
    assert_eq!(stop(&fixture, "claude-code", false), refusal);
    assert_eq!(stop(&fixture, "codex", false), refusal);
    assert_eq!(stop(&fixture, "codex", false), "", "a session is blocked at most twice");
    call(&fixture, "codex", "user-prompt-submit", 0, &json!({"session_id": "s1", "prompt": "x"}));
    assert_eq!(stop(&fixture, "codex", false), refusal);
    let idle = call(&fixture, "opencode", "session-idle", 0, &json!({"session_id": "s1"}));
    assert_eq!(idle, "");
}

#[test]
fn threads_that_another_session_has_claimed_are_not_counted() {
    let mut fixture = place();
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    fixture.variables.insert("SKEIN_HOOK_STOP_GATE".to_owned(), "true".to_owned());
    let workspace = fixture.open("repo");
    let actor = Actor { name: "Claude Code".to_owned(), agent: true };
    let lease = Some(Duration::from_secs(1800));
    let claim = NextOptions { lease, token: Some("s1".to_owned()), include_claimed: false };
    next(&workspace, &actor, &Filter::default(), &claim).unwrap();
    let mentions_thread = |session: &str| {
        let prompt = json!({"session_id": session, "prompt": "x"});
        let stop = json!({"session_id": session, "stop_hook_active": false});
        let hook_output = call(&fixture, "claude-code", "user-prompt-submit", 0, &prompt);
        [hook_output, call(&fixture, "claude-code", "stop", 0, &stop)]
            .map(|hook_output| hook_output.contains("waits"))
    };
    assert_eq!(mentions_thread("s2"), [false, false]);
    assert_eq!(
        mentions_thread("s1"),
        [true, true],
        "the session that claimed the thread must answer it"
    );
}

#[test]
fn every_other_event_gets_no_output() {
    let fixture = place();
    checkpoint(&fixture);
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    let events = [
        "post-tool-use",
        "pre-tool-use",
        "pre-compact",
        "post-compact",
        "stop",
        "session-end",
        "subagent-stop",
        "notify",
        "session-idle",
        "tool-after",
        "post-commit",
        "nonsense",
        "",
    ];
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor", "git", "aider", ""] {
        for event in events {
            let payload = json!({"session_id": "s1", "tool_name": "Read", "prompt": "x"});
            assert_eq!(call(&fixture, agent, event, 0, &payload), "", "{agent} {event}");
        }
    }
}

#[test]
fn a_resumed_session_keeps_its_initial_commit() {
    let fixture = place();
    let start = |source: &str| {
        call(
            &fixture,
            "claude-code",
            "session-start",
            0,
            &json!({"session_id": "s1", "source": source}),
        );
        let workspace = fixture.open("repo");
        skein_checkpoints::agent_session::find(&workspace, "s1").unwrap()
    };
    let began = start("startup").initial_commit;
    assert!(began.is_some());
    super::commit(&fixture, "repo", "a.txt", "more");
    let resumed = start("resume");
    assert_eq!(resumed.initial_commit, began);
    assert_ne!(resumed.head, began);
    assert_eq!(files(&fixture).len(), 0);
}

#[test]
fn an_unaccepted_repository_inside_an_accepted_workspace_gives_no_context() {
    let fixture = place();
    accept(&fixture);
    fixture.repository("repo/theirs");
    fixture.dir("repo/theirs/workspace/threads");
    let theirs = "repo/theirs/workspace/threads/T-20260122-120000-fix.json";
    checkpoint(&fixture);
    fs::copy(
        fixture.path("repo/workspace/threads/T-20260122-120000-fix.json"),
        fixture.path(theirs),
    )
    .unwrap();
    fixture.review("repo/theirs", "one", &Review::default());
    for event in ["session-start", "user-prompt-submit"] {
        let payload =
            json!({"session_id": "s1", "prompt": "x", "cwd": fixture.path("repo/theirs")});
        assert_eq!(call(&fixture, "claude-code", event, 0, &payload), "");
    }
}

#[test]
fn without_checkpoints_the_stop_gate_blocks_again_after_the_next_prompt() {
    let mut fixture = Fixture::new();
    fixture.repository("repo");
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    fixture.variables.insert("SKEIN_HOOK_STOP_GATE".to_owned(), "true".to_owned());
    let stop = || call(&fixture, "codex", "stop", 0, &json!({"session_id": "s1"})).is_empty();
    assert_eq!([stop(), stop(), stop()], [false, false, true]);
    call(&fixture, "codex", "user-prompt-submit", 0, &json!({"session_id": "s1", "prompt": "x"}));
    assert!(!stop());
}

/// Creates a folder with a checkpoint and a review thread of another user.
fn theirs(fixture: &Fixture, dir: &str) {
    checkpoint(fixture);
    let name = "workspace/threads/T-20260122-120000-fix.json";
    fixture.file(&format!("{dir}/{name}"), fixture.read(&format!("repo/{name}")));
    fixture.review(dir, "one", &Review::default());
}

/// Returns the context that an agent in a directory gets.
fn context_in(fixture: &Fixture, dir: &str) -> String {
    let events = ["session-start", "user-prompt-submit"];
    let payload = json!({"session_id": "s1", "prompt": "x", "cwd": fixture.path(dir)});
    events.map(|event| call(fixture, "claude-code", event, 0, &payload)).concat()
}

#[test]
fn a_folder_that_points_to_an_accepted_repository_is_not_accepted() {
    let fixture = place();
    accept(&fixture);
    fixture.worktree("repo", "tree", "topic");
    for (name, content) in [
        ("file/.git", "gitdir: ../repo/.git/worktrees/tree\n"),
        ("whole/.git", "gitdir: ../repo/.git\n"),
        ("folder/.git/commondir", "../../repo/.git\n"),
    ] {
        let dir = name.split('/').next().unwrap();
        fixture.file(name, content);
        if dir == "folder" {
            fixture.file("folder/.git/HEAD", "ref: refs/heads/main\n");
        }
        theirs(&fixture, dir);
        assert_eq!(context_in(&fixture, dir), "", "{dir}");
    }
}

#[test]
fn a_directory_above_an_accepted_repository_is_not_accepted_by_it() {
    let fixture = place();
    accept(&fixture);
    // Without this store, the one above is the nearest.
    fs::remove_dir_all(fixture.path("repo/workspace")).unwrap();
    fixture.checkpoint(
        "",
        "T-20260122-120000-planted",
        "  \"type\": \"checkpoint\",\n  \"created_at\": \"2026-01-22T12:00:00.000Z\",\n  \"git\": {\"branch\": \"main\"},\n  \"conversation_summary\": \"Planted.\"",
    );
    assert_eq!(context_in(&fixture, "repo"), "");
    skein_workspace::trust::accept(&fixture.env("repo"), &fixture.path("")).unwrap();
    assert!(context_in(&fixture, "repo").contains("Planted."));
}

#[test]
fn a_linked_worktree_is_accepted_with_its_main_checkout() {
    let fixture = place();
    accept(&fixture);
    fixture.worktree("repo", "tree", "topic");
    fixture.review("tree", "one", &Review::default());
    assert!(context_in(&fixture, "tree").contains("1 review thread"));
}

#[test]
fn a_checkpoint_with_a_time_far_in_the_future_is_not_the_newest() {
    let fixture = place();
    accept(&fixture);
    let future = |fixture: &Fixture| {
        fixture.checkpoint(
            "repo",
            "T-20990101-000000-ahead",
            "  \"type\": \"checkpoint\",\n  \"created_at\": \"2099-01-01T00:00:00.000Z\",\n  \"git\": {\"branch\": \"main\"},\n  \"conversation_summary\": \"Ahead of its time.\\nAnd of ours.\"",
        )
    };
    future(&fixture);
    let started = json!({"session_id": "s1", "source": "startup"});
    let hook_output = call(&fixture, "claude-code", "session-start", 0, &started);
    let alone = context("claude-code", "SessionStart", &hook_output);
    assert!(alone.starts_with("Earlier work is recorded here"), "{alone}");
    checkpoint(&fixture);
    let hook_output = call(&fixture, "claude-code", "session-start", 0, &started);
    assert!(
        hook_output.contains("Fixed the lantern.") && !hook_output.contains("Ahead"),
        "{hook_output}"
    );
    let workspace = fixture.open("repo");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!(brief.id, "T-20260122-120000-fix");
}

#[test]
fn a_prompt_gets_the_number_again_only_after_a_change() {
    let fixture = place();
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    let payload = json!({"session_id": "s1", "prompt": "go on"});
    let run_hook = || call(&fixture, "claude-code", "user-prompt-submit", 0, &payload);
    assert!(run_hook().contains("1 review thread"));
    assert_eq!([run_hook(), run_hook()], ["", ""], "an unchanged number is not repeated");
    review(&fixture, "one", &[("Mira", "Why?"), ("Codex", "Because."), ("Mira", "No.")]);
    assert!(run_hook().contains("1 review thread"), "a reply is a change");
    assert_eq!(run_hook(), "");
    // A conversation that starts again has none of the earlier context.
    call(
        &fixture,
        "claude-code",
        "session-start",
        1,
        &json!({"session_id": "s1", "source": "clear"}),
    );
    assert!(run_hook().contains("1 review thread"));
    let other = json!({"session_id": "s2", "prompt": "x"});
    assert!(!call(&fixture, "claude-code", "user-prompt-submit", 0, &other).is_empty());
}

#[test]
fn a_subagent_gets_no_context_and_its_prompt_is_not_recorded() {
    let fixture = place();
    checkpoint(&fixture);
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    let payload = json!({
        "session_id": "s1", "prompt": "Look it up", "agent_id": "a1", "agent_type": "Explore",
    });
    for event in ["session-start", "user-prompt-submit"] {
        assert_eq!(call(&fixture, "claude-code", event, 0, &payload), "", "{event}");
    }
    let workspace = fixture.open("repo");
    assert_eq!(skein_checkpoints::agent_session::find(&workspace, "s1"), None);
}

#[test]
fn an_agent_with_delivered_threads_hears_of_no_others() {
    let mut fixture = place();
    accept(&fixture);
    review(&fixture, "one", &[("Mira", "Why?")]);
    let variables = &mut fixture.variables;
    variables.insert("SKEIN_HOOK_STOP_GATE".to_owned(), "true".to_owned());
    variables.insert("SKEIN_DELIVERED_ROOT".to_owned(), "/repo".to_owned());
    let prompt = json!({"session_id": "s1", "prompt": "x"});
    let stop = json!({"session_id": "s1", "stop_hook_active": false});
    assert_eq!(call(&fixture, "claude-code", "user-prompt-submit", 0, &prompt), "");
    assert_eq!(call(&fixture, "claude-code", "stop", 0, &stop), "");
    let workspace = fixture.open("repo");
    let actor = Actor { name: "Claude Code".to_owned(), agent: true };
    let lease = Some(Duration::from_secs(1800));
    let claim = NextOptions { lease, token: Some("s1".to_owned()), include_claimed: false };
    next(&workspace, &actor, &Filter::default(), &claim).unwrap();
    review(&fixture, "two", &[("Mira", "Why?")]);
    assert_eq!(call(&fixture, "claude-code", "user-prompt-submit", 0, &prompt), "");
    let kept = call(&fixture, "claude-code", "stop", 0, &stop);
    assert!(kept.contains("1 review thread of this workspace waits on the agent: one."), "{kept}");
}
