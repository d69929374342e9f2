//! Files as other programs write them: none of them follows the format, and all of them can be used.

use skein_catalog::{WorktreeScope, list, show};
use skein_checkpoints::{StepChange, StepRequest, StepsQuery, change_steps, steps};
use skein_model::Filter;
use skein_summary::{Brief, brief};

use skein_fixtures::Fixture;

/// Checkpoints that do not follow the format, each in another way.
const THREADS: [(&str, &str); 6] = [
    // No time in the id, no version, no type; the title, the status and more are at the top level.
    (
        "T-20260317-removal",
        "{\n  \"thread_id\": \"T-20260317-removal\",\n  \"title\": \"Remove it\",\n  \"created_at\": \"2026-03-17T00:00:00Z\",\n  \"conversation_summary\": \"Gone.\",\n  \"git\": {\n    \"repo\": \"nx\",\n    \"branch\": \"master\",\n    \"pr\": \"#29 (MERGED)\",\n    \"current_commit\": \"a7693296d\"\n  },\n  \"tasks_completed\": [\"one\"],\n  \"next_steps\": [\"Tell the others\"]\n}",
    ),
    // A commit under another name, and a task.
    (
        "T-20260308-033256-e2e",
        "{\n  \"thread_id\": \"T-20260308-033256-e2e\",\n  \"task_id\": \"x.3.2\",\n  \"status\": \"completed\",\n  \"created_at\": \"2026-03-08T03:32:56Z\",\n  \"git\": {\"commit\": \"d8dc893\"},\n  \"skills_run\": [\"qa\"],\n  \"next_steps\": [ \"a\",\n    \"b\" ]\n}\n",
    ),
    // An unknown type, steps after the metadata, absolute directories.
    (
        "T-20260310-120000-prd",
        "{\n  \"thread_id\": \"T-20260310-120000-prd\",\n  \"version\": 1,\n  \"type\": \"session\",\n  \"created_at\": \"2026-03-10T12:00:00Z\",\n  \"updated_at\": \"2026-03-10T12:00:00Z\",\n  \"workspace_root\": \"~/repos/hq\",\n  \"cwd\": \"/Users/me/repos/hq\",\n  \"metadata\": { \"title\": \"PRD\", \"tags\": [\"prd\"], \"company\": \"x\" },\n  \"next_steps\": [\n    \"Start\",\n    \"Or not\"\n  ]\n}\n",
    ),
    // Times without dashes, steps and files as objects without ids, a company that is a list.
    (
        "T-20260322-170712-retry",
        "{\n  \"thread_id\": \"T-20260322-170712-retry\",\n  \"version\": 1,\n  \"type\": \"handoff\",\n  \"created_at\": \"20260322T170711Z\",\n  \"updated_at\": \"20260322T170711Z\",\n  \"changeset_path\": \"workspace/threads/T-20260322-170712-retry.changeset.json\",\n  \"next_steps\": [\n    {\n      \"step\": \"Validate\"\n    }\n  ],\n  \"files_touched\": [\n    {\n      \"path\": \"core/a.sh\",\n      \"reason\": \"why\"\n    },\n    {\n      \"path\": \"core/b.sh\",\n      \"status\": \"deleted\"\n    }\n  ],\n  \"learnings\": [],\n  \"metadata\": {\"company\": []}\n}\n",
    ),
    // An auto-checkpoint with members that it must not have, set to null.
    (
        "T-20260317-212012-auto-skill",
        "{\r\n  \"thread_id\": \"T-20260317-212012-auto-skill\",\r\n  \"version\": 1,\r\n  \"type\": \"auto-checkpoint\",\r\n  \"created_at\": \"2026-03-17T21:20:12.666Z\",\r\n  \"updated_at\": \"2026-03-17T21:20:12.666Z\",\r\n  \"git\": {\"branch\": \"HEAD\\nunknown\", \"initial_commit\": null, \"commits_made\": []},\r\n  \"worker\": {\"id\": null, \"skill\": null, \"state\": null},\r\n  \"next_steps\": [\"Merge\"],\r\n  \"metadata\": {\"trigger\": \"stop-gate\"}\r\n}\r\n",
    ),
    // A byte order mark, a duplicate key, and a number that no parser represents exactly.
    (
        "T-2026-03-01-1100-x",
        "\u{feff}{\"thread_id\": \"T-2026-03-01-1100-x\", \"updated_at\": \"2026-03-01\", \"n\": 1.000000000000000000001, \"next_steps\": [\"old\"], \"next_steps\": [\"Go on\"]}",
    ),
];

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let dir = "r/workspace/threads";
    for (id, text) in THREADS {
        fixture.file(&format!("{dir}/{id}.json"), text);
    }
    for name in [
        "T-20260322-170712-retry.changeset.json",
        "resume-locks/T-20260322-170712-retry.lock/current.json",
        ".handoff-tmp/T-1.json",
        "INDEX.md",
        "recent.md",
    ] {
        fixture.file(&format!("{dir}/{name}"), "{}");
    }
    let legacy = "r/workspace/checkpoints";
    for (name, text) in [
        (
            "one",
            "{\"task_id\": \"one\", \"completed_at\": \"2026-01-01T00:00:00Z\", \"summary\": \"One\", \"files_touched\": [], \"next_steps\": []}",
        ),
        (
            "two",
            "{\"task_id\": \"two\", \"completed_at\": \"2026-01-02T00:00:00Z\", \"summary\": \"Two\", \"context_notes\": \"n\"}",
        ),
        (
            "three",
            "{\"taskId\": \"three\", \"created_at\": \"2026-01-03T00:00:00Z\", \"recent_commits\": [\"a\"], \"next_steps\": [\"x\"]}",
        ),
        ("T-20260317-removal", "{\"summary\": \"hidden\"}"),
        ("handoff", "{\"last_checkpoint\": \"one\"}"),
    ] {
        fixture.file(&format!("{legacy}/{name}.json"), text);
    }
    fixture
}

#[test]
fn every_unusual_checkpoint_is_listed_shown_and_resumed() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    let rows = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let mut expected: Vec<&str> =
        THREADS.iter().map(|(id, _)| *id).chain(["one", "two", "three"]).collect();
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    for row in &rows {
        assert!(row.usable, "{row:?}");
        assert!(show(&workspace, &row.id).is_ok());
        let brief = brief(&workspace, Some(&row.id)).unwrap();
        assert!(!brief.text(Brief::LIMIT).contains("hidden"), "{}", row.id);
    }
}

#[test]
fn closing_a_step_keeps_the_rest_of_every_unusual_checkpoint() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    for (id, before) in THREADS {
        let query = StepsQuery { thread: Some(id.to_owned()), ..StepsQuery::default() };
        let open = steps(&workspace, &query).unwrap().steps;
        let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
        change_steps(&workspace, &[open[0].handle.clone()], &wanted).unwrap();
        let after = fixture.read(&format!("r/workspace/threads/{id}.json"));
        let kept = |text: &str| -> Vec<String> {
            let lines = text.split('\n').map(|line| line.trim_end_matches(',').to_owned());
            lines.collect()
        };
        let (old, new) = (kept(before), kept(&after));
        let gone = old.iter().filter(|line| !new.contains(line)).count();
        assert!(gone <= 2 || before.lines().count() < 3, "{id}: {after}");
        assert_eq!(after.contains("\r\n"), before.contains("\r\n"), "{id}");
        assert_eq!(after.starts_with('\u{feff}'), before.starts_with('\u{feff}'), "{id}");
        let left = steps(&workspace, &query).unwrap().steps;
        assert_eq!(left.len(), open.len() - 1, "{id}");
    }
}
