//! Briefs of auto-checkpoints, which mention the last full checkpoint before.

use skein_fixtures::Fixture;
use skein_summary::brief;

use crate::brief::{fixture, text};

const AUTO: &str = r#"  "type": "auto-checkpoint",
  "created_at": "2026-01-22T11:00:00Z",
  "conversation_summary": "The conversation is about to be compacted",
  "metadata": {"title": "Auto: compacted"}"#;

#[test]
fn an_auto_checkpoint_mentions_the_last_full_one_before_it() {
    let (fixture, _) = fixture();
    for n in 0..20 {
        fixture.checkpoint("r", &format!("T-20260122-1100{n:02}-auto-compacted"), AUTO);
    }
    fixture.checkpoint("r", "T-20260122-103000-named-so", AUTO);
    fixture.checkpoint("r", "T-20260122-120000-later", "  \"type\": \"checkpoint\"");
    let shown = text(&fixture, Some("T-20260122-110019-auto-compacted"));
    let expected = "Summary:
> The conversation is about to be compacted

The last full checkpoint before it:
- checkpoint: T-20260122-100000-parser (checkpoint, 1d ago)
- title: Parser
> The parser reads lists.
> Its key is [REDACTED:aws-access-key].\\u{1b}[2J
- open step T-20260122-100000-parser#1: Read objects
`skein resume T-20260122-100000-parser` prints the summary.
";
    assert!(shown.contains(expected), "{shown}");
    assert!(!text(&fixture, Some("later")).contains("The last full"));
}

#[test]
fn an_upgraded_auto_checkpoint_counts_as_a_full_one() {
    let (fixture, _) = fixture();
    let full = AUTO.replace("auto-checkpoint", "checkpoint").replace("T11:00", "T10:59");
    fixture.checkpoint("r", "T-20260122-105900-auto-full", &full);
    fixture.checkpoint("r", "T-20260122-110000-auto-compacted", AUTO);
    let workspace = fixture.open("r");
    let brief = brief(&workspace, None).unwrap();
    assert_eq!(brief.id, "T-20260122-110000-auto-compacted");
    assert_eq!(brief.before.unwrap().id, "T-20260122-105900-auto-full");
}

#[test]
fn a_long_earlier_checkpoint_does_not_make_the_brief_too_long() {
    let fixture = Fixture::new();
    let long = "word ".repeat(5000);
    let steps = vec![format!("\"{long}\""); 300].join(",");
    let members = format!("  \"conversation_summary\": \"{long}\", \"next_steps\": [{steps}]");
    fixture.checkpoint("r", "T-20260122-100000-full", &members);
    fixture.checkpoint("r", "T-20260122-110000-auto-x", AUTO);
    let workspace = fixture.open("r");
    let brief = brief(&workspace, Some("auto-x")).unwrap();
    let text = brief.text(5000);
    assert!(text.chars().count() <= 5000, "{text}");
    assert!(text.contains("more; `skein show T-20260122-100000-full` shows all"), "{text}");
    let json = serde_json::to_string(&brief.fitted(5000)).unwrap();
    assert!(json.chars().count() <= 5000 && json.contains("\"open_step_count\":300"), "{json}");
}

#[test]
fn learnings_are_included_and_cut_first_without_room() {
    let fixture = Fixture::new();
    let members = |word: &str, steps: usize| {
        let steps = vec!["\"Go on with what is left to do here\""; steps].join(",");
        format!(
            r#"  "learnings": ["{word}", "AKIAIOSFODNN7EXAMPLE"], "context_notes": "n", "mood": ["x"],
  "worker": {{"id": "w", "state": "error", "error": "boom"}}, "next_steps": [{steps}]"#
        )
    };
    fixture.checkpoint("r", "T-20260122-100000-x", &members("Nobody passes 0.", 1));
    let shown = text(&fixture, None);
    let expected = "\nLearnings (2):
- Nobody passes 0.
- [REDACTED:aws-access-key]

Context notes (1):
- n

Worker error (1):
- boom
";
    assert!(shown.contains(expected) && !shown.contains("mood"), "{shown}");
    fixture.checkpoint("r", "T-20260122-100000-x", &members(&"long ".repeat(100), 30));
    let workspace = fixture.open("r");
    let brief = brief(&workspace, None).unwrap();
    let whole = brief.text(10_000).chars().count();
    let shown = brief.text(whole - 100);
    assert!(shown.contains("#30: ") && shown.contains("Learnings (2):\n"), "{shown}");
    assert!(shown.contains("\u{2026} and "), "{shown}");
    let json = serde_json::to_string(&brief).unwrap().chars().count();
    let fitted = brief.fitted(json - 100);
    assert_eq!((fitted.left_out.open_steps, fitted.open_steps.len()), (0, 30));
    assert!(fitted.left_out.learned > 0);
}

#[test]
fn a_checkpoint_of_another_branch_is_not_the_earlier_one() {
    let (fixture, _) = fixture();
    let on = |kind: &str, branch: &str, dir: &str| {
        format!(
            "  \"type\": \"{kind}\",\n  \"created_at\": \"2026-01-22T11:00:00Z\",\n  \
             \"cwd\": \"{dir}\",\n  \"git\": {{\"branch\": \"{branch}\"}}"
        )
    };
    fixture.checkpoint("r", "T-20260122-105800-mine", &on("checkpoint", "login", "/x"));
    fixture.checkpoint("r", "T-20260122-105900-theirs", &on("checkpoint", "api", "/y"));
    fixture.checkpoint("r", "T-20260122-110000-auto-x", &on("auto-checkpoint", "login", "/x"));
    let workspace = fixture.open("r");
    let brief = brief(&workspace, Some("T-20260122-110000-auto-x")).unwrap();
    assert_eq!(brief.before.unwrap().id, "T-20260122-105800-mine");
}
