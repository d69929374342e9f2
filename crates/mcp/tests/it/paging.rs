//! Long lists and long threads.

use std::collections::BTreeSet;

use serde_json::json;
use skein_fixtures::{Fixture, Review};

use crate::peer::Peer;

const COUNT: usize = 300;

fn many() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", "one\n");
    for number in 0..COUNT {
        fixture.review("w", &format!("{number:04}-thread"), &Review::default());
    }
    fixture
}

/// Returns the ids of a page, and the cursor.
fn page(peer: &mut Peer, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let text = peer.call("review_threads", json!({ "limit": 100, "cursor": cursor }));
    assert!(text.chars().count() <= 6_000, "{} characters", text.chars().count());
    let is_row = |line: &&str| line.contains(" `src/a.rs");
    let id = |line: &str| line.split(' ').next().unwrap().to_owned();
    let ids = text.lines().filter(is_row).map(id).collect();
    let cursor = text.lines().find_map(|line| line.strip_prefix("cursor: "));
    (ids, cursor.map(str::to_owned))
}

#[test]
fn every_thread_is_on_one_page_while_threads_come_and_go() {
    let fixture = many();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let (ids, next) = page(&mut peer, cursor.as_deref());
        assert!(!ids.is_empty());
        seen.extend(ids);
        pages += 1;
        let Some(next) = next else { break };
        cursor = Some(next);
        // One is added, one changed, and the last that was shown is deleted.
        fixture.review("w", &format!("9{pages:03}-new"), &Review::default());
        let last = seen.last().unwrap().clone();
        std::fs::remove_file(fixture.path(&format!("w/.code-review/threads/{last}-thread.md")))
            .unwrap();
        let changed = Review { updated_at: "2026-01-22T10:00:00.000Z", ..Review::default() };
        fixture.review("w", &format!("{:04}-thread", COUNT - 1), &changed);
    }
    assert!(pages > 3, "{pages}");
    let old: Vec<_> = seen.iter().filter(|id| !id.starts_with('9')).collect();
    let distinct: BTreeSet<_> = old.iter().collect();
    assert_eq!((old.len(), distinct.len()), (COUNT, COUNT));
}

#[test]
fn a_cursor_of_other_filters_is_refused() {
    let fixture = many();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let (_, cursor) = page(&mut peer, None);
    let answer = peer.call("review_threads", json!({ "status": "all", "cursor": cursor }));
    assert_eq!(
        answer,
        "Error: this cursor belongs to other parameters. Hint: leave cursor out to begin again"
    );
}

#[test]
fn no_answer_is_longer_than_its_limit() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", format!("{}\n", "x".repeat(1_000_000)));
    let (long, hidden) = ("a\n".repeat(500_000), "\u{202e}".repeat(10_000));
    let longest = [("Mira", long.as_str()), ("Mira", &hidden)];
    let comments: Vec<_> = [&long[..20_000], &hidden].map(|body| ("Mira", body)).repeat(4);
    let ids: Vec<_> = (0..20).map(|number| format!("{number:02}")).collect();
    for id in &ids {
        let says = if id == "00" { &longest[..] } else { &comments };
        fixture.review("w", id, &Review { says, ..Review::default() });
    }
    let mut peer = Peer::new(&fixture, "w", "zed");
    let mut check = |tool: &str, arguments: serde_json::Value, limit: usize| {
        let text = peer.call(tool, arguments);
        assert!(text.chars().count() <= limit, "{} characters", text.chars().count());
        text
    };
    check("review_threads", json!({}), 6_000);
    check("review_threads", json!({ "ids": ["01"] }), 6_200);
    let text = check("review_threads", json!({ "ids": ["00"] }), 6_200);
    assert!(text.contains("characters are left out)"), "{text}");
    let text = check("review_threads", json!({ "ids": ids }), 24_000);
    assert!(text.contains("Left out, ask again: "), "{text}");
    check("review_next", json!({}), 8_000);
    let replies: Vec<_> =
        ids.iter().map(|id| json!({ "id": id, "body": long[..60_000] })).collect();
    check("review_reply", json!({ "replies": replies }), 4_000);
}
