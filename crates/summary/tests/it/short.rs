use skein_checkpoints::{ResumeLockRequest, acquire};
use skein_summary::{MAX_SHORT_BRIEF, short_brief};
use std::time::Duration;

use skein_fixtures::Fixture;

#[track_caller]
fn check(fixture: &Fixture, expected: Option<&str>) {
    let workspace = fixture.open("r");
    assert_eq!(short_brief(&workspace, None, MAX_SHORT_BRIEF).as_deref(), expected);
}

const MEMBERS: &str = r#"  "type": "checkpoint",
  "updated_at": "2026-01-22T10:00:00Z",
  "git": {"branch": "main"},
  "conversation_summary": "The parser\nreads lists.",
  "next_steps": ["Read objects", {"step": "x", "status": "done"}],
  "metadata": {"title": "Parser"}"#;

#[test]
fn the_newest_checkpoint_of_the_branch_is_summarised() {
    let fixture = Fixture::new();
    check(&fixture, None);
    fixture.repository("r");
    check(&fixture, None);
    fixture.checkpoint("r", "T-20260122-100000-parser", MEMBERS);
    fixture.checkpoint(
        "r",
        "T-20260121-235959-earlier",
        "  \"updated_at\": \"2026-01-23T00:00:00Z\"",
    );
    fixture.file("r/workspace/threads/T-20990101-000000-x.changeset.json", "{}");
    check(
        &fixture,
        Some(
            "Record of earlier work, as data: \u{201c}Parser\u{201d} (checkpoint, 1d ago, branch main)
Checkpoint T-20260122-100000-parser
> The parser
> reads lists.
Open steps (1):
- Read objects
`skein resume T-20260122-100000-parser` prints the summary, and what changed since.",
        ),
    );
    let workspace = fixture.open("r");
    let owner = ResumeLockRequest {
        name: "Mira".to_owned(),
        agent: false,
        session: None,
        lasts: Duration::from_secs(60),
    };
    acquire(&workspace, "parser", &owner, false).unwrap();
    let shown = short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap();
    assert!(shown.contains("\nTaken: by Mira until 14:31\n"), "{shown}");
}

#[test]
fn another_branch_or_an_old_checkpoint_gets_one_line() {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.checkpoint("r", "T-20260122-100000-parser", &MEMBERS.replace("main", "topic"));
    check(
        &fixture,
        Some(
            "Earlier work is recorded here: \u{201c}Parser\u{201d} (1d ago, branch topic). `skein resume T-20260122-100000-parser` prints the summary.",
        ),
    );
    let old = MEMBERS.replace("2026-01-22", "2026-01-16");
    fixture.checkpoint("r", "T-20260122-100000-parser", &old);
    check(
        &fixture,
        Some(
            "Earlier work is recorded here: \u{201c}Parser\u{201d} (1w ago, branch main). `skein resume T-20260122-100000-parser` prints the summary.",
        ),
    );
}

#[test]
fn the_handoff_is_preferred_and_the_length_is_limited() {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.checkpoint("r", "T-20260123-100000-newer", MEMBERS);
    let long = "word ".repeat(2000);
    let steps = vec![format!("\"{long}\""); 30].join(",");
    let members = format!(
        "  \"updated_at\": \"2026-01-22T10:00:00Z\", \"git\": {{\"branch\": \"main\"}}, \"conversation_summary\": \"{long}\", \"next_steps\": [{steps}]"
    );
    fixture.checkpoint("r", "T-20260122-100000-handed", &members);
    let pointer =
        format!("{{\"last_thread\": \"T-20260122-100000-handed\", \"message\": \"{long}\"}}");
    fixture.file("r/workspace/threads/handoff.json", pointer);
    let workspace = fixture.open("r");
    let shown = short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap();
    assert!(shown.contains("Checkpoint T-20260122-100000-handed"), "{shown}");
    let end = "`skein resume T-20260122-100000-handed` prints the summary, and what changed since.";
    assert!(shown.ends_with(end), "{shown}");
    assert!(shown.chars().count() <= 1500, "{}", shown.chars().count());
}

#[test]
fn an_auto_checkpoint_does_not_hide_the_last_full_one() {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.checkpoint("r", "T-20260122-100000-parser", MEMBERS);
    for n in 0..20 {
        let auto = r#"  "type": "auto-checkpoint",
  "updated_at": "2026-01-22T11:00:00Z",
  "git": {"branch": "main"},
  "conversation_summary": "The conversation is about to be compacted",
  "metadata": {"title": "Auto: compacted"}"#;
        fixture.checkpoint("r", &format!("T-20260122-1100{n:02}-auto-x"), auto);
    }
    check(
        &fixture,
        Some(
            "Record of earlier work, as data: \u{201c}Auto: compacted\u{201d} (auto-checkpoint, 1d ago, branch main)
Checkpoint T-20260122-110019-auto-x
> The conversation is about to be compacted
The last full checkpoint before it: \u{201c}Parser\u{201d} (checkpoint, 1d ago)
Checkpoint T-20260122-100000-parser
> The parser
> reads lists.
Its open steps (1):
- Read objects
`skein resume T-20260122-110019-auto-x` prints the summary, and what changed since.",
        ),
    );
    let long = MEMBERS.replace("Read objects", &"word ".repeat(500));
    let long = long.replace("The parser", &"word ".repeat(500));
    fixture.checkpoint("r", "T-20260122-100000-parser", &long);
    let workspace = fixture.open("r");
    let shown = short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap();
    assert!(
        shown.chars().count() <= 1500 && shown.contains("Its open steps (1):\n- word"),
        "{shown}"
    );
}
