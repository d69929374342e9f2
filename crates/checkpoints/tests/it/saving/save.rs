//! Checkpoints that are saved explicitly.

use serde_json::json;
use skein_catalog::{WorktreeScope, list};
use skein_checkpoints::agent_session::record;
use skein_checkpoints::{AutoCheckpoint, CheckpointError, Save, WorkerGiven};
use skein_format::checkpoint::RecordError;
use skein_model::Filter;
use skein_workspace::{Clock, FileError, discover};

use super::{names, saved, summary, value};
use skein_fixtures::{Fixture, at, git};

fn commit(top: &std::path::Path, subject: &str) -> skein_git::CommitId {
    let who = ["-c", "user.name=A", "-c", "user.email=a@b"];
    git(top, &[&who[..], &["commit", "--quiet", "--allow-empty", "-m", subject]].concat());
    skein_git::CommitId::parse(git(top, &["rev-parse", "HEAD"]).trim()).unwrap()
}

#[test]
fn a_checkpoint_records_the_state_of_git() {
    let fixture = Fixture::new();
    fixture.repository("home/hq");
    fixture.file("home/hq/src/a.rs", "1");
    let save = Save {
        slug: Some("mrr-report".to_owned()),
        title: Some("MRR".to_owned()),
        steps: vec!["Send it".to_owned(), " ".to_owned()],
        tags: vec!["finance".to_owned()],
        files: vec!["../b.md".to_owned(), "a.rs".to_owned(), "~/x".to_owned(), String::new()],
        ..summary("Generated the report")
    };
    let (saved, value) = saved(&fixture, "home/hq/src", &save);
    let commit = git(&fixture.path("home/hq"), &["rev-parse", "HEAD"]);
    assert_eq!(saved.id, "T-20260123-143000-mrr-report");
    assert_eq!(
        value,
        json!({
            "thread_id": "T-20260123-143000-mrr-report",
            "version": 1,
            "type": "checkpoint",
            "created_at": "2026-01-23T14:30:00.000Z",
            "updated_at": "2026-01-23T14:30:00.000Z",
            "workspace_root": "~/hq",
            "cwd": "src",
            "git": {
                "branch": "main",
                "initial_commit": commit.get(..7),
                "current_commit": commit.get(..7),
                "commits_made": [],
                "dirty": true,
            },
            "conversation_summary": "Generated the report",
            "files_touched": ["src/a.rs", "b.md", "~/x"],
            "next_steps": ["Send it"],
            "metadata": {"title": "MRR", "tags": ["finance"]},
        })
    );
    assert!(saved.diagnostics.is_empty(), "{:?}", saved.diagnostics);
    let exclude = fixture.read("home/hq/.git/info/exclude");
    assert!(exclude.lines().any(|line| line == "/workspace/threads/"), "{exclude}");
    assert_eq!(git(&fixture.path("home/hq"), &["status", "--porcelain"]), "?? src/\n");
    // The files of Skein do not count as a change, whether git ignores them or not.
    fixture.file("home/hq/.git/info/exclude", "");
    std::fs::remove_file(fixture.path("home/hq/src/a.rs")).unwrap();
    let (_, value) = super::saved(&fixture, "home/hq", &summary("Again"));
    assert_eq!((&value["git"]["dirty"], &value["files_touched"]), (&json!(false), &json!([])));
}

#[test]
fn the_session_determines_the_initial_commit() {
    let mut fixture = Fixture::new();
    let top = fixture.repository("w");
    let initial = git(&top, &["rev-parse", "HEAD"]).trim().to_owned();
    let mut workspace = fixture.open("w");
    workspace.env.clock = Clock::new(|| at("2026-01-23T14:00:00Z"));
    record(&workspace, ("claude-code", "s-1"), |session| {
        session.initial_commit = Some(initial.clone());
        session.transcript = Some(fixture.path("home/.claude/t.jsonl").display().to_string());
    })
    .unwrap();
    fixture.file("w/made.rs", "1");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "feat: make it"]);
    fixture.file("w/later.rs", "1");
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    let worker =
        WorkerGiven { id: "w".to_owned(), skill: None, state: Some("executing".to_owned()) };
    let save = Save { worker: Some(worker), ..summary("Made it") };
    let (_, value) = saved(&fixture, "w", &save);
    let current = git(&top, &["rev-parse", "HEAD"]);
    assert_eq!(value["session_id"], "s-1");
    assert_eq!(value["git"]["initial_commit"], initial.get(..7).unwrap());
    assert_eq!(
        value["git"]["commits_made"],
        json!([format!("{}: feat: make it", current.get(..7).unwrap())])
    );
    assert_eq!(value["files_touched"], json!(["later.rs", "made.rs"]));
    assert_eq!(value["metadata"]["transcript_path"], "~/.claude/t.jsonl");
    assert_eq!(
        value["worker"],
        json!({"id": "w", "state": "executing", "started_at": "2026-01-23T14:00:00.000Z"})
    );
    // A session of another agent is ignored; with two sessions of the same agent, the session is unknown.
    record(&workspace, ("codex", "s-2"), |_| {}).unwrap();
    let (_, value) = saved(&fixture, "w", &summary("Whose"));
    assert_eq!(value["session_id"], "s-1");
    record(&workspace, ("claude-code", "s-3"), |_| {}).unwrap();
    let (_, value) = saved(&fixture, "w", &summary("Whose"));
    assert_eq!(value.get("session_id"), None);
    fixture.variables.insert("SKEIN_SESSION".to_owned(), "s-1".to_owned());
    let (_, value) = saved(&fixture, "w", &summary("Named by the environment"));
    assert_eq!(value["session_id"], "s-1");
    let save = Save { session: Some("unheard-of".to_owned()), ..summary("Given") };
    let (_, value) = saved(&fixture, "w", &save);
    assert_eq!(value["session_id"], "unheard-of");
}

#[test]
fn a_checkpoint_of_a_person_while_an_agent_runs_belongs_to_no_session() {
    let mut fixture = Fixture::new();
    fixture.repository("w");
    let workspace = fixture.open("w");
    record(&workspace, ("claude-code", "s-1"), |_| {}).unwrap();
    let auto = AutoCheckpoint {
        summary: "Half".to_owned(),
        trigger: "stop".to_owned(),
        session: Some("s-1".to_owned()),
        create: true,
        ..AutoCheckpoint::default()
    };
    let half = skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    let before = std::fs::read(&half.file).unwrap();
    let (mine, text) = saved(&fixture, "w", &summary("Mine"));
    assert_eq!((mine.action.as_str(), text.get("session_id")), ("created", None));
    assert_eq!(std::fs::read(&half.file).unwrap(), before);
    let handoff = skein_checkpoints::Handoff {
        message: "Mine".to_owned(),
        ..skein_checkpoints::Handoff::default()
    };
    let over = skein_checkpoints::handoff(&workspace, &handoff).unwrap();
    assert_eq!(over.saved.session_id, None);
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    let (its, text) = saved(&fixture, "w", &summary("Its own"));
    assert_eq!((its.action.as_str(), &text["session_id"]), ("upgraded", &json!("s-1")));
}

#[test]
fn without_a_session_the_work_begins_with_the_last_checkpoint_of_the_worktree() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    let head = || git(&top, &["rev-parse", "--short=7", "HEAD"]).trim().to_owned();
    let first = head();
    saved(&fixture, "w", &summary("First"));
    fixture.file("w/made.rs", "1");
    git(&top, &["add", "made.rs"]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "feat: make it"]);
    let (_, value) = saved(&fixture, "w", &summary("Second"));
    assert_eq!(value["git"]["initial_commit"], first.as_str());
    assert_eq!(value["git"]["commits_made"], json!([format!("{}: feat: make it", head())]));
    assert_eq!(value["files_touched"], json!(["made.rs"]));
    // A commit that is not an ancestor of the checked-out commit is not the initial commit.
    git(&top, &["reset", "-q", "--hard", &first]);
    let (_, value) = saved(&fixture, "w", &summary("Third"));
    assert_eq!(value["git"]["initial_commit"], first.as_str());
    assert_eq!(value["git"]["commits_made"], json!([]));
}

#[test]
fn the_same_id_twice_gives_two_files() {
    let fixture = Fixture::new();
    fixture.dir("w");
    for _ in 0..3 {
        saved(&fixture, "w", &summary("workflow-runner: added --resume (and more)"));
    }
    assert_eq!(
        names(&fixture, "w"),
        [
            "T-20260123-143000-workflow-runner-added-resume-2.json",
            "T-20260123-143000-workflow-runner-added-resume-3.json",
            "T-20260123-143000-workflow-runner-added-resume.json",
        ]
    );
    let (one, _) = saved(&fixture, "w", &summary("auto scroll fixed"));
    assert_eq!(one.id, "T-20260123-143000-manual-autoscroll-fixed");
}

#[test]
fn an_invalid_checkpoint_writes_nothing() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let before = fixture.tree();
    let workspace = fixture.open("w");
    let check = |save: Save, expected: &str| {
        let error = skein_checkpoints::save(&workspace, &save).unwrap_err();
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        assert_eq!(format!("{error}{}", cause.unwrap_or_default()), expected);
        assert_eq!(fixture.tree(), before);
    };
    for slug in ["../x", "a/b", "", ".hidden", "-x", "a b", "a\0b", "a..b", "T\n"] {
        let save = Save { slug: Some(slug.to_owned()), ..summary("x") };
        check(save, &format!("the slug cannot be part of a file's name: {slug}"));
    }
    check(summary(" \n"), "the summary is empty");
    let worker = WorkerGiven { id: "w".to_owned(), skill: None, state: Some("busy".to_owned()) };
    check(Save { worker: Some(worker), ..summary("x") }, "a worker has no state `busy`");
    let from = |text: &str| Save { record: Some(text.as_bytes().to_vec()), ..Save::default() };
    check(from("[]"), "the record is invalid: it is not a JSON object: it is another value");
    check(from("{}"), "the record is invalid: it has no `conversation_summary`");
    check(
        from(r#"{"conversation_summary": "x", "type": "session"}"#),
        "the record is invalid: there is no type `session` of checkpoints",
    );
}

#[test]
fn a_record_keeps_its_id_unless_it_is_taken() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let record = |text: &str| Save { record: Some(text.as_bytes().to_vec()), ..Save::default() };
    let mine = record(r#"{"thread_id": "T-mine", "conversation_summary": "It is done now, all"}"#);
    let (first, value) = saved(&fixture, "w", &mine);
    assert_eq!((first.id.as_str(), value["thread_id"].as_str()), ("T-mine", Some("T-mine")));
    assert_eq!(value["git"]["branch"], "main");
    let (second, value) = saved(&fixture, "w", &mine);
    assert_eq!(second.id, "T-20260123-143000-it-is-done-now");
    assert_eq!(value["thread_id"], "T-20260123-143000-it-is-done-now");
    let text = r#"{"thread_id": "", "conversation_summary": "x"}"#;
    let (given, _) = saved(&fixture, "w", &Save { slug: Some("given".to_owned()), ..record(text) });
    assert_eq!(given.id, "T-20260123-143000-given");
    let auto = record(r#"{"type": "auto-checkpoint", "conversation_summary": "a b"}"#);
    let (auto, value) = saved(&fixture, "w", &auto);
    assert_eq!(auto.id, "T-20260123-143000-auto-a-b");
    assert_eq!(value.get("next_steps"), None);
}

#[test]
fn an_auto_checkpoint_of_the_session_becomes_the_full_one() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let mut workspace = fixture.open("w");
    let auto = |session: &str, at_time: &'static str| {
        let mut workspace = fixture.open("w");
        workspace.env.clock = Clock::new(move || at(at_time));
        let session = Some(session.to_owned());
        let auto = AutoCheckpoint {
            summary: "Half".to_owned(),
            trigger: "stop".to_owned(),
            session,
            create: true,
            ..AutoCheckpoint::default()
        };
        skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap()
    };
    auto("s", "2026-01-23T14:24:59Z");
    auto("other", "2026-01-23T14:29:59Z");
    auto("s", "2026-01-23T14:26:00Z");
    let newest = auto("s", "2026-01-23T14:28:00Z");
    let save = Save { session: Some("s".to_owned()), ..summary("Whole") };
    let full = skein_checkpoints::save(&workspace, &save).unwrap();
    assert_eq!((full.action.as_str(), full.id.as_str()), ("upgraded", "T-20260123-143000-whole"));
    assert!(
        !fixture.path(&newest.file).exists(),
        "a full checkpoint does not keep the name of an auto-checkpoint"
    );
    assert!(fixture.tree().contains(&format!("-{}.json", newest.id)), "it is in the trash");
    let value = value(&full);
    assert_eq!(value["thread_id"], "T-20260123-143000-whole");
    // It is still found by its old id.
    let view = skein_checkpoints::view(&workspace, &newest.id).unwrap();
    assert_eq!(view.row.id, full.id);
    assert_eq!(skein_summary::brief(&workspace, Some(&newest.id)).unwrap().id, full.id);
    let shown = skein_catalog::show(&workspace, &newest.id).unwrap();
    assert_eq!(shown.row.id, full.id);
    assert_eq!(
        (&value["type"], &value["conversation_summary"]),
        (&json!("checkpoint"), &json!("Whole"))
    );
    assert_eq!(
        value["metadata"],
        json!({"title": "Whole", "tags": [], "trigger": "stop", "auto_summary": "Half",
            "upgraded_from": newest.id})
    );
    assert_eq!(value["created_at"], "2026-01-23T14:28:00.000Z");
    assert_eq!(value["updated_at"], "2026-01-23T14:30:00.000Z");
    // Earlier auto-checkpoints describe something else and are kept.
    let given = Save { slug: Some("mine".to_owned()), ..save.clone() };
    let next = skein_checkpoints::save(&workspace, &given).unwrap();
    assert_eq!((next.action.as_str(), next.id.as_str()), ("created", "T-20260123-143000-mine"));
    auto("s", "2026-01-23T14:30:10Z");
    workspace.env.clock = Clock::new(|| at("2026-01-23T14:30:20Z"));
    assert_eq!(skein_checkpoints::save(&workspace, &save).unwrap().action.as_str(), "upgraded");
    // Without a session, no auto-checkpoint is upgraded.
    workspace.env.clock = Clock::new(|| at("2026-01-23T14:30:21Z"));
    assert_eq!(
        skein_checkpoints::save(&workspace, &summary("x")).unwrap().action.as_str(),
        "created"
    );
}

#[test]
fn a_checkpoint_names_the_agent_that_saved_it() {
    for (variable, value, expected) in [
        ("CODEX_SESSION_ID", "cx-1", ("codex", "codex, session cx-1")),
        ("CODEX_THREAD_ID", "cx-2", ("codex", "codex, session cx-2")),
        ("OPENCODE", "1", ("opencode", "opencode")),
        ("CLAUDE_CODE_SESSION_ID", "cc-1", ("claude-code", "claude-code, session cc-1")),
    ] {
        let mut fixture = Fixture::new();
        fixture.repository("w");
        fixture.variables.insert(variable.to_owned(), value.to_owned());
        let (full, document) = saved(&fixture, "w", &summary("Whole"));
        assert_eq!(document["metadata"]["agent"], expected.0, "{variable}");
        // A later reader does not have these variables.
        fixture.variables.clear();
        let workspace = fixture.open("w");
        let brief = skein_summary::brief(&workspace, Some(&full.id)).unwrap().text(10_000);
        assert!(brief.contains(&format!("- by: {}\n", expected.1)), "{brief}");
    }
    let fixture = Fixture::new();
    fixture.repository("w");
    let (_, document) = saved(&fixture, "w", &summary("Mine"));
    assert_eq!(document["metadata"].get("agent"), None);
}

#[test]
fn a_variable_that_identifies_an_agent_makes_the_author_an_agent() {
    for (variable, name) in [
        ("CODEX_SESSION_ID", "Codex"),
        ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
        ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    ] {
        let mut fixture = Fixture::new();
        fixture.repository("w");
        fixture.variables.insert(variable.to_owned(), "1".to_owned());
        let workspace = fixture.open("w");
        let author = skein_workspace::Actor::find(&workspace, None);
        assert_eq!((author.name.as_str(), author.agent), (name, true), "{variable}");
    }
}

#[test]
fn the_commits_of_auto_checkpoints_are_found_after_any_number_of_saves() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    fixture.dir("w/workspace/threads");
    let mut workspace = fixture.open("w");
    let mut commits = Vec::new();
    for second in 1..=3 {
        let about = commit(&top, &format!("change {second}"));
        let auto = AutoCheckpoint {
            trigger: "git-commit".to_owned(),
            session: Some("s".to_owned()),
            commit: Some(about.clone()),
            create: true,
            ..AutoCheckpoint::default()
        };
        workspace.env.clock = Clock::new(move || at(&format!("2026-01-23T14:30:0{second}Z")));
        skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
        commits.push(about.short().to_owned());
    }
    // This one is in no auto-checkpoint.
    drop(commit(&top, "change 4"));
    for second in 4..=6 {
        workspace.env.clock = Clock::new(move || at(&format!("2026-01-23T14:30:0{second}Z")));
        let save = Save { session: Some("s".to_owned()), ..summary("Saved") };
        skein_checkpoints::save(&workspace, &save).unwrap();
    }
    for commit in commits {
        let filter = Filter { commit: Some(commit.clone()), ..Filter::default() };
        let found = list(&workspace, &filter, WorktreeScope::ThisWorktree).threads;
        assert!(!found.is_empty(), "{commit} is no longer found");
    }
}

#[test]
fn a_record_upgrades_the_auto_checkpoint_of_its_session() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let workspace = fixture.open("w");
    let auto = AutoCheckpoint {
        summary: "Half".to_owned(),
        trigger: "stop".to_owned(),
        files: vec!["a.rs".to_owned()],
        session: Some("s".to_owned()),
        create: true,
        ..AutoCheckpoint::default()
    };
    let half = skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    let record = r#"{"conversation_summary": "Whole", "session_id": "s", "learnings": [ "x" ],
        "git": {"branch": "mine"}, "files_touched": [{"path": "a.rs", "reason": "y"}, "b.rs"],
        "metadata": {"title": "Mine"}, "next_steps": null}"#;
    let save = Save { record: Some(record.as_bytes().to_vec()), ..Save::default() };
    let (full, value) = saved(&fixture, "w", &save);
    assert_eq!((full.action.as_str(), full.id.as_str()), ("upgraded", "T-20260123-143000-whole"));
    assert_eq!(value["type"], "checkpoint");
    assert_eq!(value["conversation_summary"], "Whole");
    assert_eq!(value["files_touched"], json!(["a.rs", "b.rs"]));
    assert_eq!((&value["learnings"], &value["next_steps"]), (&json!(["x"]), &json!([])));
    assert_eq!((&value["git"]["branch"], &value["git"]["dirty"]), (&json!("mine"), &json!(false)));
    assert_eq!(
        value["metadata"],
        json!({"title": "Mine", "tags": [], "trigger": "stop", "auto_summary": "Half",
            "upgraded_from": half.id})
    );
    // A record with its own id upgrades nothing.
    skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    let own = record.replacen('{', "{\"thread_id\": \"T-own\", ", 1);
    let save = Save { record: Some(own.into_bytes()), ..Save::default() };
    let (full, _) = saved(&fixture, "w", &save);
    assert_eq!((full.action.as_str(), full.id.as_str()), ("created", "T-own"));
}

#[test]
fn a_record_of_a_full_checkpoint_does_not_get_the_name_of_an_automatic_one() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let record =
        r#"{"thread_id": "T-20260123-100000-auto-x", "conversation_summary": "All of it"}"#;
    let save = Save { record: Some(record.as_bytes().to_vec()), ..Save::default() };
    let (full, _) = saved(&fixture, "w", &save);
    assert_eq!(full.id, "T-20260123-143000-all-of-it");
    assert!(full.notes.iter().any(|note| note.contains("reserved for auto-checkpoints")));
}

#[test]
fn a_store_behind_a_link_is_not_written() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("elsewhere/threads");
    fixture.link("w/workspace", fixture.path("elsewhere"));
    let workspace = fixture.open("w");
    let error = skein_checkpoints::save(&workspace, &summary("x")).unwrap_err();
    assert!(matches!(error, CheckpointError::File(FileError::Link { .. })), "{error}");
    assert_eq!(fixture.path("elsewhere/threads").read_dir().unwrap().count(), 0);
}

#[test]
fn a_store_above_the_repository_is_used_and_not_hidden() {
    let fixture = Fixture::new();
    fixture.repository("hq");
    fixture.dir("hq/workspace/threads");
    fixture.repository("hq/repos/x");
    let (one, value) = saved(&fixture, "hq/repos/x", &summary("x"));
    assert_eq!(value["cwd"], "repos/x");
    assert!(one.file.ends_with("hq/workspace/threads/T-20260123-143000-x.json"));
    // The store existed before, so its owner decides whether git ignores it.
    for top in ["hq", "hq/repos/x"] {
        assert!(!fixture.path(&format!("{top}/.git/info/exclude")).exists());
    }
    let workspace = fixture.open("hq/repos/x");
    assert_eq!(workspace.checkpoints, discover(&fixture.env("hq")).checkpoints);
}

#[test]
fn omitted_secrets_and_changed_ids_are_reported() {
    let fixture = Fixture::new();
    fixture.dir("w/workspace/threads");
    let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    let (first, _) = saved(&fixture, "w", &summary(&format!("took {token}")));
    assert_eq!(first.notes, ["What looks like a secret was left out: github-token"]);
    let record = |id: &str| Save {
        record: Some(format!(r#"{{"thread_id":"{id}","conversation_summary":"x"}}"#).into_bytes()),
        ..Save::default()
    };
    let (second, text) = saved(&fixture, "w", &record(&first.id));
    assert_ne!(second.id, first.id);
    assert!(second.notes[0].contains("is taken"), "{:?}", second.notes);
    assert_eq!(text["thread_id"], second.id);
    let workspace = fixture.open("w");
    let before = fixture.tree();
    for id in ["../../evil", "no"] {
        let refused = skein_checkpoints::save(&workspace, &record(id));
        assert!(
            matches!(refused, Err(CheckpointError::Record(RecordError::Id { .. }))),
            "{refused:?}"
        );
    }
    assert_eq!(fixture.tree(), before);
}
