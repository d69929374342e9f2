//! The links between files, commits, sessions, threads and checkpoints, as pages use them.

use std::sync::Arc;

use skein_live::links::LinkCache;
use skein_live::{LiveWorkspace, TimelineEntry};

use skein_fixtures::{Fixture, Review};

const CHECKPOINT: &str = r#"  "title": "The limit",
  "created_at": "2026-01-23T13:00:00Z",
  "updated_at": "2026-01-23T13:00:00Z",
  "session_id": "ses_1",
  "git": {"commits_made": ["ddefe54: say so", "1a2b3c4d5e: and so"], "current_commit": "2222222"},
  "files_touched": ["src/a.rs", {"path": "./src/b.rs", "reason": "moved"}, "../outside.rs"]"#;

fn ids(entries: &[Arc<TimelineEntry>]) -> String {
    entries.iter().map(|entry| entry.row.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_commits_and_sessions_link_to_their_checkpoints() {
    let fixture = Fixture::new();
    fixture.file("repo/src/a.rs", "one\ntwo\n");
    fixture.repository("repo");
    let open = Review { path: "src/a.rs", says: &[("Ann", "Why?")], ..Review::default() };
    fixture.review("repo", "open", &open);
    fixture.review("repo", "done", &Review { status: "resolved", ..open });
    fixture.checkpoint("repo", "T-20260123-130000-limit", CHECKPOINT);
    let (live, last) = (LiveWorkspace::open(&fixture.env("repo")), LinkCache::default());
    let links = || last.connect(live.threads(), live.timeline(), &live.workspace());
    let found = links();
    // The files of a checkpoint link to the open threads on them.
    let entry = &found.touched("src/a.rs")[0];
    let threads: Vec<&str> = entry
        .refs
        .files
        .iter()
        .flat_map(|file| found.threads_on(file))
        .map(|view| view.row.id.as_str())
        .collect();
    assert_eq!(threads, ["open"]);
    let one = "T-20260123-130000-limit";
    assert_eq!(ids(found.touched("src/b.rs")), one);
    assert_eq!(ids(found.touched("outside.rs")), "");
    assert_eq!(ids(found.touched("../outside.rs")), "");
    assert_eq!(ids(&found.made("ddefe54")), one);
    assert_eq!(ids(&found.made("1A2B3C4D5E6F")), one);
    assert_eq!(ids(&found.made("1a2b3c4fff")), "");
    assert_eq!(
        (ids(&found.made("1a2b")), ids(&found.made("0000000"))),
        (String::new(), String::new())
    );
    assert_eq!(
        (ids(found.of_session("ses_1")), ids(found.of_session(""))),
        (one.to_owned(), String::new())
    );
    // Only a checkpoint with the trigger `git-commit` has made the commit that was checked out.
    assert_eq!(ids(&found.made("2222222")), "");
    let auto = r#"  "type": "auto-checkpoint", "git": {"current_commit": "2222222"}, "metadata": {"trigger": "git-commit"}"#;
    fixture.checkpoint("repo", "T-20260123-140000-auto-commit", auto);
    live.refresh_checkpoints();
    assert_eq!(ids(&links().made("2222222")), "T-20260123-140000-auto-commit");
    let found = links();
    // Nothing changed, so the links are not computed again.
    assert!(Arc::ptr_eq(&found, &links()));
}
