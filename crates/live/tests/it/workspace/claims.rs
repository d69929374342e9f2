//! The claim on a thread is shown while it is active.

use std::time::{Duration, Instant};

use skein_format::time::Time;
use skein_live::LiveWorkspace;
use skein_model::Filter;
use skein_model::view::RowDetail;
use skein_review::{NextOptions, ReplyOptions, find, next, release, reply};
use skein_workspace::{Actor, Clock, Env};

use super::{comment, until};
use skein_fixtures::{Fixture, NOW, at};

fn agent() -> Actor {
    Actor { name: "Codex".to_owned(), agent: true }
}

/// Returns a repository with one thread that waits on an agent, and the id of the thread.
fn workspace() -> (Fixture, String) {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\nfn two() {}\n");
    fixture.repository("w");
    let id = comment(&fixture, "a.rs:2", "why", false);
    (fixture, id)
}

fn claim(env: &Env, lease: Duration) {
    let token = Some("token".to_owned());
    let options = NextOptions { lease: Some(lease), token, include_claimed: false };
    let workspace = skein_workspace::discover(env);
    let found = next(&workspace, &agent(), &Filter::default(), &options).unwrap();
    assert!(found.claim.is_some());
}

/// Formats the claim on a thread.
fn shown(live: &LiveWorkspace, id: &str) -> String {
    let threads = live.threads();
    let RowDetail::Review(detail) = &threads.get(id).unwrap().row.detail else {
        panic!("no review")
    };
    let claim = detail.claim.as_ref();
    claim.map_or("free".to_owned(), |claim| format!("{} until {}", claim.by, claim.until))
}

const HOUR: Duration = Duration::from_secs(3600);
const CLAIMED: &str = "Codex until 2026-01-23T15:30:00.000Z";

#[test]
fn a_new_and_a_released_claim_cause_events() {
    let (fixture, id) = workspace();
    let env = fixture.env("w");
    let live = super::open(&fixture);
    assert_eq!(shown(&live, &id), "free");
    let mut before = live.last_event_number();
    claim(&env, HOUR);
    before = until(&live, before, |event| event.threads == [id.as_str()]).number;
    assert_eq!(shown(&live, &id), CLAIMED);
    // Its code moves, and the claim stays.
    fixture.file("w/a.rs", "// more\nfn one() {}\nfn two() {}\n");
    before = until(&live, before, |event| event.threads == [id.as_str()]).number;
    assert_eq!(shown(&live, &id), CLAIMED);
    let workspace = skein_workspace::discover(&env);
    let thread = find(&workspace, &id).unwrap();
    release(&workspace, &thread, Some("token"), false).unwrap();
    until(&live, before, |event| event.threads == [id.as_str()]);
    assert_eq!(shown(&live, &id), "free");
}

#[test]
fn a_claim_ends_with_the_answer_of_the_agent() {
    let (fixture, id) = workspace();
    let env = fixture.env("w");
    claim(&env, HOUR);
    let live = super::open(&fixture);
    assert_eq!(shown(&live, &id), CLAIMED);
    let before = live.last_event_number();
    let workspace = skein_workspace::discover(&env);
    let thread = find(&workspace, &id).unwrap();
    reply(&workspace, &agent(), &thread, "Because.", ReplyOptions::default()).unwrap();
    until(&live, before, |event| event.threads == [id.as_str()]);
    assert_eq!(shown(&live, &id), "free");
}

#[test]
fn an_expired_claim_causes_an_event() {
    let (fixture, id) = workspace();
    let start = Instant::now();
    let now = move || {
        let passed = i64::try_from(start.elapsed().as_millis()).unwrap();
        Time::from_millis(at(NOW).as_millis() + passed)
    };
    let env = Env { clock: Clock::new(now), ..fixture.env("w") };
    claim(&env, Duration::from_secs(3));
    let live = LiveWorkspace::open(&env);
    assert!(shown(&live, &id).starts_with("Codex until "), "{}", shown(&live, &id));
    let before = live.last_event_number();
    until(&live, before, |event| event.threads == [id.as_str()]);
    assert_eq!(shown(&live, &id), "free");
}
