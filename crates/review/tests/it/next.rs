use std::collections::BTreeSet;
use std::time::Duration;

use skein_catalog::ThreadRef;
use skein_model::Filter;
use skein_review::{NextOptions, Released, ReplyOptions, find, next, release, reply};
use skein_workspace::{Actor, Clock, Env, discover};

use skein_fixtures::{Fixture, Review, at};

fn first(env: &Env) -> ThreadRef {
    find(&discover(env), "first").unwrap()
}

const LEASE: Option<Duration> = Some(Duration::from_secs(1800));

fn next_options(lease: Option<Duration>, token: &str) -> NextOptions {
    let token = (!token.is_empty()).then(|| token.to_owned());
    NextOptions { lease, token, include_claimed: false }
}

fn agent(name: &str) -> Actor {
    Actor { name: name.to_owned(), agent: true }
}

/// Requests the next thread and describes the answer: the thread, then how many are claimed and how many wait.
fn request_next(env: &Env, options: &NextOptions) -> String {
    let found = next(&discover(env), &agent("Codex"), &Filter::default(), options).unwrap();
    let id = found.thread.map_or("-".to_owned(), |view| view.row.id.clone());
    let claim = found.claim.map_or(String::new(), |claim| format!(" until {}", claim.until));
    format!("{id}{claim} {}/{}", found.claimed, found.waiting)
}

fn three_threads() -> Fixture {
    let fixture = Fixture::new();
    let thread = |id: &str, updated_at: &str, says: &[(&str, &str)]| {
        fixture.review("w", id, &Review { updated_at, says, ..Review::default() });
    };
    thread("later", "2026-01-22T10:00:00.000Z", &[("Mira", "Why?")]);
    thread("first", "2026-01-20T10:00:00.000Z", &[("Mira", "Why?")]);
    thread("answered", "2026-01-19T10:00:00.000Z", &[("Mira", "Why?"), ("Codex", "Because.")]);
    let resolved = Review { status: "resolved", ..Review::default() };
    fixture.review("w", "resolved", &resolved);
    fixture.file("w/.code-review/threads/broken.md", "nothing");
    fixture
}

#[test]
fn the_thread_that_has_waited_longest_comes_first() {
    let fixture = three_threads();
    assert_eq!(request_next(&fixture.env("w"), &next_options(None, "")), "first 0/2");
    assert!(!fixture.path("home/state").exists(), "a request without a claim writes nothing");
    assert_eq!(request_next(&fixture.env("home"), &next_options(None, "")), "- 0/0");
}

#[test]
fn a_claimed_thread_is_skipped_for_others_and_returned_to_its_claimant() {
    let fixture = three_threads();
    let env = fixture.env("w");
    assert_eq!(
        request_next(&env, &next_options(LEASE, "a")),
        "first until 2026-01-23T15:00:00.000Z 0/2"
    );
    assert_eq!(request_next(&env, &next_options(None, "")), "later 1/2");
    assert_eq!(
        request_next(&env, &next_options(LEASE, "a")),
        "first until 2026-01-23T15:00:00.000Z 0/2"
    );
    assert_eq!(
        request_next(&env, &next_options(LEASE, "")),
        "later until 2026-01-23T15:00:00.000Z 1/2"
    );
    assert_eq!(request_next(&env, &next_options(LEASE, "")), "- 2/2");
    let all = NextOptions { include_claimed: true, ..next_options(None, "") };
    assert_eq!(request_next(&env, &all), "first until 2026-01-23T15:00:00.000Z 2/2");
}

#[test]
fn a_claim_lasts_no_longer_than_agreed_after_the_clock_was_set_back() {
    let fixture = three_threads();
    let env_at = |time: &str| {
        let now = at(time);
        Env { clock: Clock::new(move || now), ..fixture.env("w") }
    };
    let tomorrow = env_at("2026-01-24T14:30:00.000Z");
    assert_eq!(
        request_next(&tomorrow, &next_options(LEASE, "a")),
        "first until 2026-01-24T15:00:00.000Z 0/2"
    );
    // The clock is corrected: the claim does not end at once.
    assert_eq!(
        request_next(&fixture.env("w"), &next_options(LEASE, "b")),
        "later until 2026-01-23T15:00:00.000Z 1/2"
    );
    let later = env_at("2026-01-23T15:00:01.000Z");
    assert_eq!(
        request_next(&later, &next_options(LEASE, "c")),
        "first until 2026-01-23T15:30:01.000Z 0/2"
    );
}

#[test]
fn a_lease_expires_and_can_be_released() {
    let fixture = three_threads();
    let mut env = fixture.env("w");
    request_next(&env, &next_options(LEASE, "a"));
    let release_first =
        |token, force| release(&discover(&env), &first(&env), Some(token), force).unwrap();
    assert_eq!(release_first("c", false), Released::OfAnother { by: "Codex a".to_owned() });
    assert_eq!(release_first("a", false), Released::Yes);
    assert_eq!(release_first("a", false), Released::NotClaimed);
    assert_eq!(
        request_next(&env, &next_options(LEASE, "b")),
        "first until 2026-01-23T15:00:00.000Z 0/2"
    );
    env.clock = Clock::new(|| at("2026-01-23T15:00:00.000Z"));
    assert_eq!(request_next(&env, &next_options(None, "")), "first 0/2");
    assert_eq!(
        request_next(&env, &next_options(LEASE, "c")),
        "first until 2026-01-23T15:30:00.000Z 0/2"
    );
}

#[test]
fn a_reply_of_the_agent_ends_the_lease_and_a_comment_of_the_reviewer_does_not() {
    let fixture = three_threads();
    let env = fixture.env("w");
    let workspace = discover(&env);
    let says = |name: &str, text: &str| {
        let actor = Actor { name: name.to_owned(), agent: name != "Mira" };
        reply(&workspace, &actor, &first(&env), text, ReplyOptions::default()).unwrap();
    };
    request_next(&env, &next_options(LEASE, "a"));
    says("Mira", "And another thing.");
    assert_eq!(request_next(&env, &next_options(None, "b")), "later 1/2");
    says("Codex", "Done.");
    assert_eq!(request_next(&env, &next_options(None, "b")), "later 0/1");
    says("Mira", "Not quite.");
    // The thread was changed last, so it comes after the other one.
    assert_eq!(
        request_next(&env, &next_options(LEASE, "b")),
        "later until 2026-01-23T15:00:00.000Z 0/2"
    );
    assert_eq!(
        request_next(&env, &next_options(LEASE, "c")),
        "first until 2026-01-23T15:00:00.000Z 1/2"
    );
}

#[test]
fn invalid_claim_files_are_removed() {
    let fixture = three_threads();
    let env = fixture.env("w");
    let claims = discover(&env).dirs().state.join("claims");
    std::fs::create_dir_all(&claims).unwrap();
    for (name, text) in [
        ("first.json", ""),
        ("later.json", "[]"),
        (
            "gone.json",
            r#"{"thread":"gone","by":"x","token":"y","until":"2030-01-01","comments":1}"#,
        ),
        (
            "other.json",
            r#"{"thread":"../x","by":"x","token":"y","until":"2030-01-01","comments":1}"#,
        ),
    ] {
        std::fs::write(claims.join(name), text).unwrap();
    }
    assert_eq!(
        request_next(&env, &next_options(LEASE, "")),
        "first until 2026-01-23T15:00:00.000Z 0/2"
    );
    let left: Vec<_> = claims.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["first.json"]);
}

#[test]
fn a_filter_limits_the_next_thread() {
    let fixture = three_threads();
    fixture.review("w", "other", &Review { path: "lib/b.rs", ..Review::default() });
    let workspace = fixture.open("w");
    let filter = Filter { file: Some("lib".to_owned()), ..Filter::default() };
    let found = next(&workspace, &agent("Codex"), &filter, &next_options(LEASE, "")).unwrap();
    assert_eq!((found.thread.unwrap().row.id.as_str(), found.waiting), ("other", 1));
}

#[test]
fn concurrent_agents_get_different_threads() {
    let fixture = Fixture::new();
    for n in 0..20 {
        fixture.review("w", &format!("t{n:02}"), &Review::default());
    }
    let taken: Vec<String> = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..8).map(|_| scope.spawn(|| take_all(&fixture))).collect();
        agents.into_iter().flat_map(|agent| agent.join().unwrap()).collect()
    });
    assert_eq!(taken.len(), 20);
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 20);
}

fn take_all(fixture: &Fixture) -> Vec<String> {
    let env = fixture.env("w");
    let workspace = discover(&env);
    let take = || {
        let options = next_options(LEASE, "");
        next(&workspace, &agent("Codex"), &Filter::default(), &options).unwrap().thread
    };
    std::iter::from_fn(|| take().map(|view| view.row.id.clone())).collect()
}
