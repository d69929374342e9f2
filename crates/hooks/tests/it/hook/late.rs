//! What a brief omits when its time limit has passed.

use std::time::{Duration, Instant};

use serde_json::json;
use skein_checkpoints::agent_session;

use super::{accept, call, commit, place};
use skein_fixtures::{Fixture, Review, git};

/// A checkpoint of the last commit, with a file that has changed since and a review thread on it.
fn fixture_with_changes() -> Fixture {
    let fixture = place();
    commit(&fixture, "repo", "src/a.rs", "begin the lantern");
    let id = git(&fixture.path("repo"), &["rev-parse", "--short=7", "HEAD"]);
    let members = format!(
        "  \"type\": \"checkpoint\",\n  \"created_at\": \"2026-01-22T12:00:00.000Z\",\n  \"git\": {{\"branch\": \"main\", \"current_commit\": \"{}\", \"dirty\": false}},\n  \"conversation_summary\": \"Fixed the lantern.\",\n  \"files_touched\": [\"src/a.rs\"]",
        id.trim()
    );
    fixture.checkpoint("repo", "T-20260122-120000-fix", &members);
    commit(&fixture, "repo", "src/a.rs", "more of the lantern");
    fixture.review("repo", "one", &Review::default());
    fixture
}

#[test]
fn a_late_brief_says_what_it_omits() {
    let fixture = fixture_with_changes();
    let workspace = fixture.open("repo");
    let late = skein_summary::brief_until(&workspace, None, Some(Instant::now()), None).unwrap();
    let now = late.git_now.as_ref().unwrap();
    assert_eq!((now.dirty, now.commits_since, late.reviews.len()), (None, None, 0));
    assert_eq!(late.files[0].changed, None);
    let text = late.text(10_000);
    assert!(text.contains("Fixed the lantern."), "{text}");
    assert!(text.contains("git did not answer in time"), "{text}");
    assert!(text.contains("there was no time to look for review threads"), "{text}");
}

#[test]
fn a_brief_within_its_time_limit_is_complete() {
    let fixture = fixture_with_changes();
    let workspace = fixture.open("repo");
    let until = Instant::now() + Duration::from_secs(600);
    let brief = skein_summary::brief_until(&workspace, None, Some(until), None).unwrap();
    let now = brief.git_now.as_ref().unwrap();
    assert_eq!((now.commits_since, brief.reviews.len()), (Some(1), 1));
    assert!(now.dirty.is_some() && brief.files[0].changed == Some(true));
    let text = brief.text(10_000);
    assert!(!text.contains("no time") && !text.contains("in time"), "{text}");
}

#[test]
fn a_brief_that_was_cut_comes_whole_with_the_next_prompt_and_only_once() {
    let fixture = fixture_with_changes();
    accept(&fixture);
    let prompted = json!({"session_id": "s1", "prompt": "go on"});
    call(&fixture, "claude-code", "user-prompt-submit", 1, &prompted);
    agent_session::record(&fixture.open("repo"), ("claude-code", "s1"), |session| {
        session.cut_brief = Some("T-20260122-120000-fix".to_owned());
    })
    .unwrap();
    let env = fixture.env("repo");
    let output = skein_hooks::run(env, "claude-code", "stop", b"{\"session_id\": \"s1\"}", None);
    assert_eq!(output.unfinished, [fixture.path("repo")]);
    skein_hooks::finish(&fixture.env("repo"));
    let answer = call(&fixture, "claude-code", "user-prompt-submit", 2, &prompted);
    assert!(answer.contains("This is the whole one."), "{answer}");
    assert!(answer.contains("Fixed the lantern.") && answer.contains("1 commit was made since"));
    let answer = call(&fixture, "claude-code", "user-prompt-submit", 3, &prompted);
    assert!(!answer.contains("Fixed the lantern."), "{answer}");
    skein_hooks::finish(&fixture.env("repo"));
    assert_eq!(agent_session::find(&fixture.open("repo"), "s1").unwrap().late_brief, None);
}
