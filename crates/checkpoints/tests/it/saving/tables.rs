//! `INDEX.md` and `recent.md`.

use super::{saved, summary};
use skein_fixtures::Fixture;

#[test]
fn the_tables_list_all_threads_and_no_other_files() {
    let fixture = Fixture::new();
    for (day, id) in (10..30).map(|day| (day, format!("T-202512{day}-000000-t"))) {
        let members = format!(
            "\"type\": \"checkpoint\", \"updated_at\": \"2025-12-{day}T00:00:00Z\", \"metadata\": {{\"title\": \"Day {day}\"}}"
        );
        fixture.checkpoint("w", &id, &members);
    }
    let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    fixture.checkpoint("w", "T-later", "\"updated_at\": \"2999-01-01T00:00:00Z\"");
    fixture.checkpoint("w", "T-leak", &format!("\"title\": \"a | {token}\""));
    fixture.file("w/workspace/threads/T-broken.json", "{\"thread_id\": \"T-bro");
    fixture.file("w/workspace/threads/T-1.changeset.json", "{}");
    fixture.file("w/workspace/threads/handoff.json", "{\"last_thread\": \"T-later\"}");
    fixture.file("w/workspace/threads/resume-locks/T-1.lock/current.json", "{}");
    fixture.file("w/workspace/threads/archive/2025-01/T-old.json", "{}");
    fixture.file("w/workspace/threads/.skein-abc.tmp", "{}");
    saved(&fixture, "w", &summary("Done"));
    let index = fixture.read("w/workspace/threads/INDEX.md");
    let lines: Vec<&str> = index.lines().collect();
    assert_eq!(
        &lines[..10],
        [
            "# Threads INDEX",
            "",
            "Generated: 2026-01-23T14:30:00Z",
            "Active threads: 24 (archive/ excluded)",
            "",
            "| Thread | Type | Updated | Title |",
            "|--------|------|---------|-------|",
            "| T-20260123-143000-done | checkpoint | 2026-01-23T14:30:00.000Z | Done |",
            "| T-later | checkpoint | 2999-01-01T00:00:00Z | - |",
            "| T-20251229-000000-t | checkpoint | 2025-12-29T00:00:00Z | Day 29 |",
        ]
    );
    assert_eq!(
        &lines[29..],
        ["| T-broken | - | - | - |", "| T-leak | checkpoint | - | a / [REDACTED:github-token] |"]
    );
    let recent = fixture.read("w/workspace/threads/recent.md");
    let recent: Vec<&str> = recent.lines().collect();
    assert_eq!(recent[0], "# Recent Threads");
    assert_eq!((&recent[1..7], recent.len()), (&lines[1..7], 7 + 15));
    assert_eq!(&recent[7..], &lines[7..7 + 15]);
}
