//! Writing checkpoints: new ones, handoffs, and auto-checkpoints that become full ones.

use std::collections::BTreeMap;

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointFileKind, CheckpointType, GitState, KnowledgeRepo, NewCheckpoint,
    NewGit, Pointer, Record, RecordError, Worker, WorkerState,
};
use skein_format::id::CheckpointId;
use skein_format::time::{self, Time};

pub(crate) const ID: &str = "T-20260123-143052-mrr-report";

fn at(text: &str) -> Time {
    time::parse(text).unwrap().time
}

/// A checkpoint with every member of the format.
pub(crate) fn whole(kind: CheckpointType) -> NewCheckpoint {
    let text = |text: &str| Some(text.to_owned());
    let ralph = KnowledgeRepo { commit: text("abc1234"), dirty: Some(false) };
    NewCheckpoint {
        id: CheckpointId::parse(ID).unwrap(),
        kind,
        created_at: at("2026-01-23T14:30:52Z"),
        workspace_root: text("~/Documents/HQ"),
        cwd: text("repos/private/x"),
        git: Some(NewGit {
            branch: text("main"),
            remote_url: Some(["https://user:pass", "word@host.example/x.git"].concat()),
            initial_commit: text("abc1234"),
            current_commit: text("def5678"),
            commits_made: Some(vec!["def5678: feat: add MRR calculation".to_owned()]),
            dirty: Some(false),
            knowledge_repos: BTreeMap::from([("knowledge-ralph".to_owned(), ralph)]),
        }),
        worker: Some(Worker {
            id: text("cfo"),
            skill: text("mrr"),
            state: Some(WorkerState::Completed),
            started_at: Some(at("2026-01-23T14:30:52Z")),
            completed_at: Some(at("2026-01-23T14:35:00Z")),
        }),
        summary: "Generated the MRR report".to_owned(),
        files: vec!["reports/mrr.md".to_owned()],
        steps: vec!["Send it".to_owned()],
        session_id: text("fd7a841d-2f89-47e9-9778-4a1e108cb923"),
        agent: None,
        title: None,
        tags: vec!["finance".to_owned()],
        trigger: text("git-commit").filter(|_| false),
        transcript_path: None,
        previous_handoff: None,
    }
}

fn text(doc: &CheckpointDoc) -> &str {
    str::from_utf8(doc.to_bytes()).unwrap()
}

#[test]
fn a_full_checkpoint_has_the_keys_of_the_format_in_its_order() {
    let doc = whole(CheckpointType::Checkpoint).to_doc();
    assert_eq!(
        text(&doc),
        r#"{
  "thread_id": "T-20260123-143052-mrr-report",
  "version": 1,
  "type": "checkpoint",
  "created_at": "2026-01-23T14:30:52.000Z",
  "updated_at": "2026-01-23T14:30:52.000Z",
  "workspace_root": "~/Documents/HQ",
  "cwd": "repos/private/x",
  "git": {
    "branch": "main",
    "remote_url": "https://host.example/x.git",
    "initial_commit": "abc1234",
    "current_commit": "def5678",
    "commits_made": [
      "def5678: feat: add MRR calculation"
    ],
    "dirty": false,
    "knowledge_repos": {
      "knowledge-ralph": {
        "commit": "abc1234",
        "dirty": false
      }
    }
  },
  "worker": {
    "id": "cfo",
    "skill": "mrr",
    "state": "completed",
    "started_at": "2026-01-23T14:30:52.000Z",
    "completed_at": "2026-01-23T14:35:00.000Z"
  },
  "conversation_summary": "Generated the MRR report",
  "files_touched": [
    "reports/mrr.md"
  ],
  "next_steps": [
    "Send it"
  ],
  "session_id": "fd7a841d-2f89-47e9-9778-4a1e108cb923",
  "metadata": {
    "title": "Generated the MRR report",
    "tags": [
      "finance"
    ]
  }
}
"#
    );
}

#[test]
fn an_auto_checkpoint_leaves_out_the_members_of_a_full_one() {
    let mut new = whole(CheckpointType::Auto);
    new.trigger = Some("git-commit".to_owned());
    new.transcript_path = Some("~/.claude/x.jsonl".to_owned());
    new.tags.clear();
    new.summary =
        "Rewrote the hq-integrations skill for the full CLI lifecycle and opened it".to_owned();
    assert_eq!(
        text(&new.to_doc()),
        r#"{
  "thread_id": "T-20260123-143052-mrr-report",
  "version": 1,
  "type": "auto-checkpoint",
  "created_at": "2026-01-23T14:30:52.000Z",
  "updated_at": "2026-01-23T14:30:52.000Z",
  "workspace_root": "~/Documents/HQ",
  "cwd": "repos/private/x",
  "git": {
    "branch": "main",
    "current_commit": "def5678",
    "dirty": false
  },
  "conversation_summary": "Rewrote the hq-integrations skill for the full CLI lifecycle and opened it",
  "files_touched": [
    "reports/mrr.md"
  ],
  "session_id": "fd7a841d-2f89-47e9-9778-4a1e108cb923",
  "metadata": {
    "title": "Auto: Rewrote the hq-integrations skill for the full CLI lifecy...",
    "tags": [
      "auto-checkpoint"
    ],
    "trigger": "git-commit",
    "transcript_path": "~/.claude/x.jsonl"
  }
}
"#
    );
}

#[test]
fn unknown_values_are_left_out() {
    let mut new = whole(CheckpointType::Handoff);
    new.git = None;
    new.worker = None;
    new.session_id = None;
    new.workspace_root = None;
    new.cwd = None;
    new.files.clear();
    new.steps.clear();
    let doc = new.to_doc();
    let value: serde_json::Value = serde_json::from_slice(doc.to_bytes()).unwrap();
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "thread_id",
            "version",
            "type",
            "created_at",
            "updated_at",
            "conversation_summary",
            "files_touched",
            "next_steps",
            "metadata"
        ]
    );
    assert_eq!(value["type"], "handoff");
    new.git = Some(NewGit { branch: Some("main".to_owned()), ..NewGit::default() });
    let value: serde_json::Value = serde_json::from_slice(new.to_doc().to_bytes()).unwrap();
    assert_eq!(value["git"], serde_json::json!({"branch": "main"}));
}

/// An auto-checkpoint as another program wrote it.
const AUTO: &str = r#"{
	"thread_id": "T-20260123-143052-mrr-report", "version": 1,
	"type": "auto-checkpoint",
	"learnings": [ "a",  "b" ],
	"git": {"branch": "main", "current_commit": "abc1234", "repo": "x"},
	"created_at": "20260123T143000Z",
	"conversation_summary": "half",
	"files_touched": [{"path": "reports/mrr.md", "reason": "why"}],
	"metadata": {"title": "Auto: MRR commit", "tags": ["auto-checkpoint", "mine"], "trigger": "stop"}
}"#;

#[test]
fn an_auto_checkpoint_becomes_a_full_one_and_keeps_the_rest() {
    let (mut doc, _) =
        CheckpointDoc::parse(AUTO.as_bytes().to_vec(), ID, CheckpointFileKind::Thread);
    let mut new = whole(CheckpointType::Checkpoint);
    new.files = vec!["reports/mrr.md".to_owned(), "b".to_owned(), "c".to_owned()];
    new.worker = None;
    new.git.as_mut().unwrap().knowledge_repos.clear();
    doc.upgrade(&new).unwrap();
    assert_eq!(
        text(&doc),
        r#"{
	"thread_id": "T-20260123-143052-mrr-report", "version": 1,
	"type": "checkpoint",
	"learnings": [ "a",  "b" ],
	"git": {"branch": "main", "current_commit": "def5678", "repo": "x", "remote_url": "https://host.example/x.git", "initial_commit": "abc1234", "commits_made": [
	  "def5678: feat: add MRR calculation"
	], "dirty": false},
	"created_at": "20260123T143000Z",
	"conversation_summary": "Generated the MRR report",
	"files_touched": [{"path": "reports/mrr.md", "reason": "why"},"b",
	"c"],
	"metadata": {"title": "Generated the MRR report", "tags": [
	  "mine",
	  "finance"
	], "trigger": "stop", "auto_summary": "half"},
	"next_steps": [
	  "Send it"
	],
	"session_id": "fd7a841d-2f89-47e9-9778-4a1e108cb923",
	"updated_at": "2026-01-23T14:30:52.000Z"
}"#
    );
    let once = text(&doc).to_owned();
    doc.upgrade(&new).unwrap();
    assert_eq!(text(&doc), once);
}

fn complete(record: &str) -> Result<String, RecordError> {
    complete_with(record, "")
}

fn complete_with(record: &str, summary: &str) -> Result<String, RecordError> {
    let record = Record::parse(record.as_bytes())?;
    let mut new = whole(record.kind().unwrap_or_default());
    new.summary = summary.to_owned();
    new.worker = None;
    new.session_id = None;
    new.git =
        Some(NewGit { branch: Some("main".to_owned()), dirty: Some(true), ..NewGit::default() });
    Ok(text(&record.complete(&new)?).to_owned())
}

#[test]
fn a_record_keeps_its_text_and_gets_the_missing_members() {
    let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    let record = format!(
        r#"{{
    "mine": {{ "deep": ["{token}", 1.50] }},
    "git": {{"dirty": false, "remote_url": "https://u:p@host/x?y"}},
    "conversation_summary": "Done \u00e9",
    "next_steps": null,
    "worker": {{"id": "w", "state": "planned later"}}
}}"#
    );
    assert_eq!(
        complete(&record),
        Err(RecordError::WorkerState { word: "planned later".to_owned() })
    );
    assert_eq!(
        complete_with(&record.replace("planned later", "idle"), "Generated the MRR report")
            .unwrap(),
        r#"{
    "mine": { "deep": ["[REDACTED:github-token]", 1.50] },
    "git": {"dirty": false, "remote_url": "https://host/x", "branch": "main"},
    "conversation_summary": "Done \u00e9",
    "next_steps": [
      "Send it"
    ],
    "worker": {"id": "w", "state": "idle"},
    "thread_id": "T-20260123-143052-mrr-report",
    "version": 1,
    "type": "checkpoint",
    "created_at": "2026-01-23T14:30:52.000Z",
    "updated_at": "2026-01-23T14:30:52.000Z",
    "workspace_root": "~/Documents/HQ",
    "cwd": "repos/private/x",
    "files_touched": [
      "reports/mrr.md"
    ],
    "metadata": {
      "title": "Generated the MRR report",
      "tags": [
        "finance"
      ]
    }
}
"#
    );
}

#[test]
fn a_record_without_a_summary_gets_the_given_one() {
    for record in ["{}", r#"{"conversation_summary": " "}"#, r#"{"conversation_summary": null}"#] {
        let text = complete_with(record, "Given").unwrap();
        assert!(text.replace(": ", ":").contains(r#""conversation_summary":"Given""#), "{text}");
    }
}

#[test]
fn a_record_that_breaks_the_format_is_refused() {
    let check = |record: &str, expected: &str| {
        assert_eq!(complete(record).unwrap_err().to_string(), expected, "{record}");
    };
    check("", "it is not a JSON object: line 1: expected a value");
    check(
        "{\"conversation_summary\": \"x\"",
        "it is not a JSON object: line 1: expected `,` or `}`",
    );
    check("[1]", "it is not a JSON object: it is another value");
    check(
        "{\"conversation_summary\": \"x\"} {}",
        "it is not a JSON object: line 1: expected the end of the text",
    );
    check(
        "{\"conversation_summary\": \"x\", \"type\": \"task\"}",
        "there is no type `task` of checkpoints",
    );
    check(
        "{\"conversation_summary\": \"x\", \"version\": 2}",
        "unsupported format version; expected 1",
    );
    check(
        "{\"conversation_summary\": \"x\", \"version\": 0}",
        "unsupported format version; expected 1",
    );
    check(
        "{\"conversation_summary\": \"x\",\n\"git\": \"main\"}",
        "line 2: `git` is not an object",
    );
    check(
        "{\"conversation_summary\": \"x\", \"next_steps\": \"y\"}",
        "line 1: `next_steps` is not a list",
    );
    check(
        "{\"conversation_summary\": \"x\", \"created_at\": \"soon\"}",
        "line 1: `created_at` is not a time",
    );
    check("{\"conversation_summary\": \"  \"}", "it has no `conversation_summary`");
    check("{}", "it has no `conversation_summary`");
    assert_eq!(Record::parse(b"{\"a\": \"\xff\"}").unwrap_err(), RecordError::NotText);
    assert!(complete("\u{feff}{\"summary\": \"x\"}").is_ok());
}

#[test]
fn setting_a_pointer_keeps_its_other_members() {
    let pointer = Pointer {
        created_at: at("2026-01-23T14:30:52Z"),
        message: "Go on".to_owned(),
        thread: CheckpointId::parse(ID).unwrap(),
        context_notes: String::new(),
        git: Some(GitState { branch: Some("topic".to_owned()), ..GitState::default() }),
    };
    let fresh = r#"{
  "created_at": "2026-01-23T14:30:52.000Z",
  "message": "Go on",
  "last_thread": "T-20260123-143052-mrr-report",
  "thread_path": "workspace/threads/T-20260123-143052-mrr-report.json",
  "context_notes": ""
}
"#;
    assert_eq!(String::from_utf8(pointer.to_bytes()).unwrap(), fresh);
    let old = "{\"mine\":  [1 ],\n \"message\": null, \"last_thread\": \"T-1\"}";
    let set = String::from_utf8(pointer.set_in(old.as_bytes()).unwrap()).unwrap();
    assert!(
        set.starts_with(
            "{\"mine\":  [1 ],\n \"message\": \"Go on\", \"last_thread\": \"T-20260123"
        )
    );
    for broken in ["", "[]", "{\"a\":", "{} x"] {
        assert_eq!(pointer.set_in(broken.as_bytes()), None, "{broken}");
    }
}
