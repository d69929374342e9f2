use serde_json::{Value, json};

use super::{bash, call, commit, files, log, place, written};
use skein_fixtures::{Fixture, git};

fn start(fixture: &Fixture, agent: &str, minutes: i64) {
    let started = json!({"session_id": "s1", "source": "startup"});
    assert_eq!(call(fixture, agent, "session-start", minutes, &started), "");
}

fn prompt(fixture: &Fixture, minutes: i64, text: &str) {
    let payload = json!({"session_id": "s1", "prompt": text});
    assert_eq!(call(fixture, "claude-code", "user-prompt-submit", minutes, &payload), "");
}

#[test]
fn a_commit_gives_one_checkpoint_even_if_several_hooks_see_it() {
    let mut fixture = place();
    // Git runs its hook in the environment of the agent that commits.
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    start(&fixture, "claude-code", 0);
    prompt(&fixture, 1, "fix the parser");
    commit(&fixture, "repo", "src/parser.rs", "fix the parser");
    call(&fixture, "git", "post-commit", 2, &Value::Null);
    let ran = bash("s1", "git add . && git commit -m 'fix the parser'");
    call(&fixture, "claude-code", "post-tool-use", 2, &ran);
    call(&fixture, "codex", "post-tool-use", 2, &ran);
    call(&fixture, "claude-code", "stop", 3, &json!({"session_id": "s1"}));
    assert_eq!(written(&fixture), "git-commit | Auto: fix the parser | s1");
    let value: Value = serde_json::from_str(&files(&fixture)[0]).unwrap();
    let summary = value["conversation_summary"].as_str().unwrap();
    assert!(summary.starts_with("fix the parser (commit "), "{summary}");
    assert!(summary.ends_with(")\n\nThe user asked: fix the parser"), "{summary}");
    assert_eq!(value["files_touched"], json!(["src/parser.rs"]));
    assert_eq!(log(&fixture), "");
}

#[test]
fn a_commit_of_very_many_files_names_only_the_first_ones() {
    let fixture = place();
    for n in 0..800 {
        fixture.file(&format!("repo/src/{n:03}.rs"), "");
    }
    commit(&fixture, "repo", "workspace/threads/notes.txt", "import it all");
    call(&fixture, "git", "post-commit", 1, &Value::Null);
    let value: Value = serde_json::from_str(&files(&fixture)[0]).unwrap();
    let touched = value["files_touched"].as_array().unwrap();
    assert_eq!(touched.len(), 500);
    assert_eq!(touched[499], "src/499.rs");
}

#[test]
fn a_commit_is_recorded_for_every_agent() {
    let commands = [
        ("claude-code", "post-tool-use", bash("s1", "git commit -qm x")),
        ("claude-code", "post-tool-use-failure", bash("s1", "git commit -m x && false")),
        (
            "codex",
            "post-tool-use",
            json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": ["bash", "-lc", "git commit -m x"]}, "tool_response": "[main 1234567] x\n"}),
        ),
        (
            "codex",
            "notify",
            json!({"type": "agent-turn-complete", "thread-id": "s1", "input-messages": ["do x"], "last-assistant-message": "did x"}),
        ),
        (
            "opencode",
            "tool-after",
            json!({"session_id": "s1", "tool": "bash", "args": {"command": "git commit -m x"}, "exit_code": 0}),
        ),
        ("claude-code", "stop", json!({"session_id": "s1", "last_assistant_message": "did x"})),
        ("opencode", "session-idle", json!({"session_id": "s1", "last_message": "did x"})),
        (
            "claude-code",
            "user-prompt-submit",
            json!({"session_id": "s1", "prompt": "<task-notification>done</task-notification>"}),
        ),
        ("git", "post-commit", Value::Null),
    ];
    for (agent, event, payload) in commands {
        let mut fixture = place();
        fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
        start(&fixture, "claude-code", 0);
        commit(&fixture, "repo", "a.txt", "x");
        assert_eq!(call(&fixture, agent, event, 1, &payload), "");
        assert_eq!(written(&fixture), "git-commit | Auto: x | s1", "{agent} {event}");
    }
}

#[test]
fn a_commit_command_that_made_no_commit_gives_no_checkpoint() {
    let fixture = place();
    start(&fixture, "claude-code", 0);
    for command in ["git commit -m x; true", "git commit -m x", "echo git commit"] {
        call(&fixture, "claude-code", "post-tool-use", 1, &bash("s1", command));
        // For an unknown session, the checked-out commit is too old to be its own.
        call(&fixture, "codex", "post-tool-use", 1, &bash("s2", command));
    }
    git(&fixture.path("repo"), &["checkout", "-q", "-b", "other"]);
    call(&fixture, "claude-code", "post-tool-use", 1, &bash("s1", "git commit -m x"));
    assert_eq!(written(&fixture), "");
}

#[test]
fn a_commit_in_another_repository_is_recorded_in_its_workspace() {
    let fixture = place();
    fixture.repository("other");
    fixture.dir("other/workspace/threads");
    commit(&fixture, "other", "a.txt", "x");
    call(&fixture, "claude-code", "post-tool-use", 1, &bash("s1", "git -C ../other commit -m x"));
    assert_eq!(written(&fixture), "");
    let there = fixture.path("other/workspace/threads").read_dir().unwrap().count();
    assert_eq!(there, 1);
    fixture.repository("home/third");
    fixture.dir("home/third/workspace/threads");
    commit(&fixture, "home/third", "a.txt", "x");
    call(&fixture, "claude-code", "post-tool-use", 1, &bash("s1", "cd ~/third && git commit"));
    let there = fixture.path("home/third/workspace/threads").read_dir().unwrap().count();
    assert_eq!(there, 1);
}

#[test]
fn a_merge_that_makes_a_commit_gives_a_checkpoint_and_a_fast_forward_none() {
    let fixture = place();
    let top = fixture.path("repo");
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        git(&top, &[&who[..], args].concat())
    };
    git(&["switch", "--quiet", "-c", "topic"]);
    commit(&fixture, "repo", "topic.txt", "topic");
    git(&["switch", "--quiet", "-"]);
    git(&["merge", "--quiet", "topic"]);
    call(&fixture, "git", "post-merge", 1, &Value::Null);
    assert_eq!(written(&fixture), "", "a fast-forward makes no commit");
    git(&["switch", "--quiet", "topic"]);
    commit(&fixture, "repo", "more.txt", "more");
    git(&["switch", "--quiet", "-"]);
    commit(&fixture, "repo", "main.txt", "main");
    git(&["merge", "--quiet", "--no-edit", "topic"]);
    call(&fixture, "git", "post-merge", 2, &Value::Null);
    assert_eq!(written(&fixture), "git-commit | Auto: Merge branch 'topic' | -");
    assert_eq!(last_files(&fixture), json!(["more.txt"]));
    git(&["revert", "--no-edit", "--mainline", "1", "HEAD"]);
    call(&fixture, "git", "post-commit", 3, &Value::Null);
    assert!(written(&fixture).contains("git-commit | Auto: Revert "), "{}", written(&fixture));
}

#[test]
fn files_in_the_thread_folders_trigger_no_checkpoint() {
    let fixture = place();
    start(&fixture, "claude-code", 0);
    commit(&fixture, "repo", "workspace/threads/notes.txt", "keep threads");
    call(&fixture, "git", "post-commit", 1, &Value::Null);
    commit(&fixture, "repo", ".code-review/threads/a.md", "keep reviews");
    call(&fixture, "claude-code", "post-tool-use", 1, &bash("s1", "git commit -m x"));
    for file in [
        "workspace/threads/x.json",
        "workspace/reports/../threads/x.json",
        "workspace/checkpoints/x.json",
        ".code-review/threads/x.md",
        "companies/acme/workspace/sessions/x.json",
    ] {
        let path = fixture.path("repo").join(file);
        let wrote =
            json!({"session_id": "s1", "tool_name": "Write", "tool_input": {"file_path": path}});
        call(&fixture, "claude-code", "post-tool-use", 20, &wrote);
    }
    assert_eq!(written(&fixture), "");
}

#[test]
fn a_generated_file_is_debounced_per_session() {
    let fixture = place();
    let write = |session: &str, minutes: i64, file: &str| {
        let path = fixture.path("repo").join(file);
        let wrote = json!({"session_id": session, "tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}});
        call(&fixture, "claude-code", "post-tool-use", minutes, &wrote);
    };
    write("s1", 0, "src/main.rs");
    write("s1", 1, "workspace/reports/a.md");
    write("s1", 2, "workspace/reports/b.md");
    write("s2", 3, "workspace/social-drafts/c.md");
    write("s1", 5, "workspace/reports/d.md");
    write("s1", 6, "workspace/reports/e.md");
    assert_eq!(
        written(&fixture),
        "file-generation | Auto: wrote workspace/reports/a.md | s1\n\
         file-generation | Auto: wrote workspace/social-drafts/c.md | s2\n\
         file-generation | Auto: wrote workspace/reports/e.md | s1"
    );
    let patch = "*** Begin Patch\n*** Update File: a\n*** Add File: workspace/reports/f.md\n+x\n*** End Patch";
    let applied = json!({"session_id": "s3", "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "Exit code: 0\nSuccess"});
    call(&fixture, "codex", "post-tool-use", 7, &applied);
    let opencode = json!({"session_id": "s4", "tool": "write", "args": {"filePath": "workspace/reports/g.md"}});
    call(&fixture, "opencode", "tool-after", 8, &opencode);
    let edited = json!({"session_id": "s5", "tool_name": "Edit", "tool_input": {"file_path": fixture.path("repo/workspace/reports/g.md")}});
    call(&fixture, "claude-code", "post-tool-use", 9, &edited);
    assert_eq!(files(&fixture).len(), 5);
    assert!(written(&fixture).ends_with("wrote workspace/reports/f.md | s3\nfile-generation | Auto: wrote workspace/reports/g.md | s4"));
}

#[test]
fn a_command_may_generate_a_file_and_commit_it() {
    let fixture = place();
    start(&fixture, "codex", 0);
    commit(&fixture, "repo", "workspace/reports/a.md", "report");
    let script = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: workspace/reports/a.md\n+x\n*** End Patch\nEOF\ngit commit -m report";
    call(&fixture, "codex", "post-tool-use", 1, &bash("s1", script));
    assert_eq!(written(&fixture), "git-commit | Auto: report | s1");
    call(&fixture, "codex", "post-tool-use", 9, &bash("s1", script));
    assert!(
        written(&fixture).ends_with("file-generation | Auto: wrote workspace/reports/a.md | s1")
    );
}

#[test]
fn other_folders_of_generated_files_can_be_set() {
    let fixture = place();
    fixture.file("repo/.skein.toml", "[hook]\ngenerated = [\"companies/*/data\"]\n");
    for file in ["companies/acme/data/a.csv", "workspace/reports/a.md"] {
        let wrote =
            json!({"session_id": file, "tool_name": "Write", "tool_input": {"file_path": file}});
        call(&fixture, "claude-code", "post-tool-use", 0, &wrote);
    }
    assert!(
        written(&fixture).starts_with("file-generation | Auto: wrote companies/acme/data/a.csv")
    );
    assert_eq!(files(&fixture).len(), 1);
}

#[test]
fn a_worker_that_ended_gives_one_checkpoint() {
    let fixture = place();
    let task = |response: Value| json!({"session_id": "s1", "tool_name": "Agent", "tool_input": {"subagent_type": "reviewer"}, "tool_response": response});
    call(&fixture, "claude-code", "post-tool-use", 0, &task(json!({"status": "async_launched"})));
    assert_eq!(written(&fixture), "");
    let own = json!({"session_id": "s1", "agent_type": "", "last_assistant_message": "summary"});
    call(&fixture, "claude-code", "subagent-stop", 0, &own);
    assert_eq!(written(&fixture), "");
    let ended = json!({"session_id": "s1", "agent_type": "reviewer", "last_assistant_message": "All is well.\n\nMore."});
    call(&fixture, "claude-code", "subagent-stop", 1, &ended);
    call(&fixture, "claude-code", "post-tool-use", 1, &task(json!({"status": "completed"})));
    assert_eq!(written(&fixture), "worker-skill | Auto: reviewer ended | s1");
    assert!(
        files(&fixture)[0]
            .contains("The worker reviewer ended\\n\\nThe agent said: All is well.\"")
    );
}

#[test]
fn a_skill_that_was_loaded_gives_no_checkpoint() {
    let fixture = place();
    for skill in ["checkpoint", "handoff", "review", "deploy"] {
        let loaded = json!({"session_id": skill, "tool_name": "Skill", "tool_input": {"skill": skill}, "tool_response": {"success": true}});
        call(&fixture, "claude-code", "post-tool-use", 0, &loaded);
        let asked = json!({"session_id": skill, "tool": "skill", "args": {"name": skill}});
        call(&fixture, "opencode", "tool-after", 0, &asked);
    }
    assert_eq!(written(&fixture), "");
}

#[test]
fn a_compaction_and_a_session_end_give_a_checkpoint_if_something_happened() {
    let fixture = place();
    let event = |event: &str, minutes: i64| {
        call(&fixture, "claude-code", event, minutes, &json!({"session_id": "s1"}));
    };
    start(&fixture, "claude-code", 0);
    event("session-end", 1);
    assert_eq!(written(&fixture), "");
    start(&fixture, "claude-code", 2);
    prompt(&fixture, 3, "rename it all\nplease");
    event("pre-compact", 4);
    event("pre-compact", 5);
    event("session-end", 5);
    assert_eq!(written(&fixture), "pre-compact | Auto: rename it all | s1");
    // An agent that continued for a long time may have changed anything.
    event("pre-compact", 20);
    event("stop", 21);
    // The checkpoint of a minute ago covers this turn.
    event("session-end", 21);
    event("stop", 26);
    event("session-end", 27);
    event("session-end", 28);
    assert_eq!(
        written(&fixture),
        "pre-compact | Auto: rename it all | s1\n\
         pre-compact | Auto: rename it all | s1\n\
         session-end | Auto: rename it all | s1"
    );
    assert!(files(&fixture)[0].contains("The user asked: rename it all\\nplease"));
}

#[test]
fn only_one_of_several_simultaneous_hooks_writes() {
    let fixture = place();
    start(&fixture, "codex", 0);
    let prompted = json!({"session_id": "s1", "prompt": "rename it"});
    call(&fixture, "codex", "user-prompt-submit", 1, &prompted);
    commit(&fixture, "repo", "a.rs", "by hand");
    for event in ["pre-compact", "session-end"] {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| call(&fixture, "codex", event, 2, &json!({"session_id": "s1"})));
            }
        });
    }
    let written = written(&fixture);
    assert_eq!(
        written.lines().filter(|line| !line.starts_with("git-commit")).count(),
        1,
        "{written}"
    );
}

#[test]
fn the_last_message_of_the_agent_is_read_from_the_end_of_its_transcript() {
    let fixture = place();
    let line = |text: &str| json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}});
    let filler = format!("{}\n", "x".repeat(1000)).repeat(600);
    let record = format!(
        "{}\n{filler}{}\n{{\"type\":\"user\"}}\n{{half",
        line("early"),
        line("Late words.\n\nNot these.")
    );
    let path = fixture.file("home/record.jsonl", record);
    let payload = json!({"session_id": "s1", "transcript_path": path});
    call(&fixture, "claude-code", "pre-compact", 0, &payload);
    assert!(files(&fixture)[0].contains("The agent said: Late words.\""), "{}", files(&fixture)[0]);
    assert!(files(&fixture)[0].contains("record.jsonl"));
}

#[test]
fn a_summary_has_a_maximum_length() {
    let fixture = place();
    let long = "wörd ".repeat(5000);
    prompt(&fixture, 0, &long);
    let payload = json!({"session_id": "s1", "last_assistant_message": long});
    call(&fixture, "claude-code", "pre-compact", 1, &payload);
    let value: Value = serde_json::from_str(&files(&fixture)[0]).unwrap();
    let summary = value["conversation_summary"].as_str().unwrap();
    assert!((1900..=2000).contains(&summary.chars().count()), "{}", summary.chars().count());
}

/// Returns the files that the last checkpoint names.
fn last_files(fixture: &Fixture) -> Value {
    let text = files(fixture).pop().unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["files_touched"].clone()
}

#[test]
fn a_compaction_and_a_session_end_name_the_changed_files() {
    let fixture = place();
    let start = json!({"session_id": "s1", "source": "startup"});
    call(&fixture, "claude-code", "session-start", 0, &start);
    let edit = |tool: &str, file: &str| {
        let payload = json!({
            "session_id": "s1", "tool_name": tool,
            "tool_input": {"file_path": fixture.path(file)}, "tool_response": {"success": true},
        });
        call(&fixture, "claude-code", "post-tool-use", 1, &payload);
    };
    // One file is ignored by git and was edited with a tool; the other one was changed by a script.
    fixture.file("repo/.gitignore", "out/\n");
    fixture.file("repo/out/made.txt", "x");
    fixture.file("repo/src/script.rs", "x");
    edit("Edit", "repo/out/made.txt");
    edit("Write", "repo/workspace/threads/T-1.json");
    call(&fixture, "claude-code", "pre-compact", 10, &json!({"session_id": "s1"}));
    assert_eq!(last_files(&fixture), json!([".gitignore", "src/script.rs", "out/made.txt"]));
    let patch =
        "*** Begin Patch\n*** Update File: out/b.txt\n*** Delete File: out/c.txt\n*** End Patch";
    let payload =
        json!({"session_id": "s1", "tool_name": "apply_patch", "tool_input": {"input": patch}});
    call(&fixture, "codex", "post-tool-use", 11, &payload);
    call(
        &fixture,
        "claude-code",
        "user-prompt-submit",
        12,
        &json!({"session_id": "s1", "prompt": "x"}),
    );
    call(&fixture, "claude-code", "session-end", 20, &json!({"session_id": "s1"}));
    assert_eq!(
        last_files(&fixture),
        json!([".gitignore", "src/script.rs", "out/b.txt", "out/c.txt"])
    );
}

#[test]
fn a_commit_of_a_person_while_an_agent_runs_belongs_to_no_session() {
    let mut fixture = place();
    let start = json!({"session_id": "s1", "source": "startup"});
    call(&fixture, "claude-code", "session-start", 0, &start);
    commit(&fixture, "repo", "a.txt", "mine");
    call(&fixture, "git", "post-commit", 1, &json!({}));
    assert_eq!(written(&fixture), "git-commit | Auto: mine | -");
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    commit(&fixture, "repo", "b.txt", "its");
    call(&fixture, "git", "post-commit", 2, &json!({}));
    assert!(written(&fixture).contains("git-commit | Auto: its | s1"), "{}", written(&fixture));
}

#[test]
fn every_commit_of_one_command_gets_a_checkpoint() {
    let fixture = place();
    start(&fixture, "claude-code", 0);
    commit(&fixture, "repo", "a.txt", "first");
    commit(&fixture, "repo", "b.txt", "second");
    commit(&fixture, "repo", "c.txt", "third");
    let ran = bash("s1", "git commit -m first && git commit -m second; git commit -m third");
    call(&fixture, "claude-code", "post-tool-use", 1, &ran);
    call(&fixture, "claude-code", "stop", 2, &json!({"session_id": "s1"}));
    let expected =
        ["first", "second", "third"].map(|name| format!("git-commit | Auto: {name} | s1"));
    assert_eq!(written(&fixture), expected.join("\n"));
    let log = git(&fixture.path("repo"), &["log", "-3", "--reverse", "--format=%h", "--abbrev=7"]);
    let commits: Vec<String> = files(&fixture)
        .iter()
        .map(|text| {
            serde_json::from_str::<Value>(text).unwrap()["git"]["current_commit"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(commits.join("\n"), log.trim());
}

#[test]
fn a_commit_that_the_same_command_amended_or_undid_gets_no_checkpoint() {
    let fixture = place();
    let top = fixture.path("repo");
    start(&fixture, "claude-code", 0);
    commit(&fixture, "repo", "a.txt", "undone");
    git(&top, &["reset", "--quiet", "--hard", "HEAD~1"]);
    commit(&fixture, "repo", "b.txt", "amended");
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    git(&top, &[&who[..], &["commit", "--quiet", "--amend", "-m", "better"]].concat());
    commit(&fixture, "repo", "c.txt", "last");
    let ran = bash("s1", "git commit -m amended; git commit --amend; git commit -m last");
    call(&fixture, "claude-code", "post-tool-use", 1, &ran);
    assert_eq!(written(&fixture), "git-commit | Auto: better | s1\ngit-commit | Auto: last | s1");
}

#[test]
fn every_checkpoint_of_a_hook_says_whether_there_are_uncommitted_changes() {
    let session = json!({"session_id": "s1"});
    let wrote = json!({"session_id": "s1", "tool_name": "Write", "tool_input": {"file_path": "workspace/reports/a.md", "content": "x"}});
    let ended = json!({"session_id": "s1", "agent_type": "reviewer", "last_assistant_message": "All is well."});
    let triggers = [
        ("git-commit", "claude-code", "post-tool-use", bash("s1", "git commit -m x")),
        ("git-commit", "git", "post-commit", Value::Null),
        ("file-generation", "claude-code", "post-tool-use", wrote),
        ("worker-skill", "claude-code", "subagent-stop", ended),
        ("pre-compact", "claude-code", "pre-compact", session.clone()),
        ("session-end", "claude-code", "session-end", session),
    ];
    for (trigger, agent, event, payload) in triggers {
        for is_dirty in [false, true] {
            let fixture = place();
            start(&fixture, "claude-code", 0);
            prompt(&fixture, 1, "fix the parser");
            if trigger == "git-commit" {
                commit(&fixture, "repo", "a.txt", "x");
            }
            if is_dirty {
                fixture.file("repo/b.txt", "1");
            }
            call(&fixture, agent, event, 20, &payload);
            let [text] = &files(&fixture)[..] else { panic!("not one checkpoint: {trigger}") };
            let checkpoint: Value = serde_json::from_str(text).unwrap();
            assert_eq!(checkpoint["git"]["dirty"], json!(is_dirty), "{trigger}: {text}");
            assert!(written(&fixture).starts_with(trigger), "{text}");
        }
    }
}

#[test]
fn the_checkpoint_of_a_session_is_named_after_what_was_asked_or_answered() {
    let check = |asked: Option<&str>, answered: Option<&str>, expected: &str| {
        let fixture = place();
        start(&fixture, "claude-code", 0);
        if let Some(asked) = asked {
            prompt(&fixture, 1, asked);
        }
        let ended = json!({"session_id": "s1", "last_assistant_message": answered});
        call(&fixture, "claude-code", "stop", 2, &ended);
        call(&fixture, "claude-code", "session-end", 3, &ended);
        let value: Value = serde_json::from_str(&files(&fixture)[0]).unwrap();
        let id = value["thread_id"].as_str().unwrap();
        assert!(id.ends_with(expected), "{id}");
    };
    check(
        Some("please fix the parser of dates, it fails"),
        None,
        "-auto-please-fix-the-parser-of-dates",
    );
    check(Some("---\n\n# Sort lists"), Some("Sorted."), "-auto-sort-lists");
    check(None, Some("The lists are sorted."), "-auto-the-lists-are-sorted");
    check(None, None, "-auto-session-end");
}
