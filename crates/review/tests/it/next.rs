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

fn asks(lease: Option<Duration>, token: &str) -> NextOptions {
    let token = (!token.is_empty()).then(|| token.to_owned());
    NextOptions { lease, token, include_claimed: false }
}

fn agent(name: &str) -> Actor {
    Actor { name: name.to_owned(), agent: true }
}

/// Asks, and says what came: the thread, then how many wait and how many are claimed.
fn ask(env: &Env, options: &NextOptions) -> String {
    let found = next(&discover(env), &agent("Codex"), &Filter::default(), options).unwrap();
    let id = found.thread.map_or("-".to_owned(), |view| view.row.id.clone());
    let claim = found.claim.map_or(String::new(), |claim| format!(" until {}", claim.until));
    format!("{id}{claim} {}/{}", found.claimed, found.waiting)
}

fn three() -> Fixture {
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
    let fixture = three();
    assert_eq!(ask(&fixture.env("w"), &asks(None, "")), "first 0/2");
    assert!(!fixture.path("home/state").exists(), "asking alone leaves nothing behind");
    assert_eq!(ask(&fixture.env("home"), &asks(None, "")), "- 0/0");
}

#[test]
fn a_claim_is_passed_over_by_others_and_found_again_by_its_claimant() {
    let fixture = three();
    let env = fixture.env("w");
    assert_eq!(ask(&env, &asks(LEASE, "a")), "first until 2026-01-23T15:00:00.000Z 0/2");
    assert_eq!(ask(&env, &asks(None, "")), "later 1/2");
    assert_eq!(ask(&env, &asks(LEASE, "a")), "first until 2026-01-23T15:00:00.000Z 0/2");
    assert_eq!(ask(&env, &asks(LEASE, "")), "later until 2026-01-23T15:00:00.000Z 1/2");
    assert_eq!(ask(&env, &asks(LEASE, "")), "- 2/2");
    let all = NextOptions { include_claimed: true, ..asks(None, "") };
    assert_eq!(ask(&env, &all), "first until 2026-01-23T15:00:00.000Z 2/2");
}

#[test]
fn a_lease_ends_with_its_time_and_can_be_given_back() {
    let fixture = three();
    let mut env = fixture.env("w");
    ask(&env, &asks(LEASE, "a"));
    let give_back =
        |token, force| release(&discover(&env), &first(&env), Some(token), force).unwrap();
    assert_eq!(give_back("c", false), Released::OfAnother { by: "Codex".to_owned() });
    assert_eq!(give_back("a", false), Released::Yes);
    assert_eq!(give_back("a", false), Released::NotClaimed);
    assert_eq!(ask(&env, &asks(LEASE, "b")), "first until 2026-01-23T15:00:00.000Z 0/2");
    env.clock = Clock::new(|| at("2026-01-23T15:00:00.000Z"));
    assert_eq!(ask(&env, &asks(None, "")), "first 0/2");
    assert_eq!(ask(&env, &asks(LEASE, "c")), "first until 2026-01-23T15:30:00.000Z 0/2");
}

#[test]
fn an_answer_ends_the_lease_and_a_word_of_the_reviewer_does_not() {
    let fixture = three();
    let env = fixture.env("w");
    let workspace = discover(&env);
    let says = |name: &str, text: &str| {
        let actor = Actor { name: name.to_owned(), agent: name != "Mira" };
        reply(&workspace, &actor, &first(&env), text, ReplyOptions::default()).unwrap();
    };
    ask(&env, &asks(LEASE, "a"));
    says("Mira", "And another thing.");
    assert_eq!(ask(&env, &asks(None, "b")), "later 1/2");
    says("Codex", "Done.");
    assert_eq!(ask(&env, &asks(None, "b")), "later 0/1");
    says("Mira", "Not quite.");
    // The thread was touched last, so that it comes after the other one.
    assert_eq!(ask(&env, &asks(LEASE, "b")), "later until 2026-01-23T15:00:00.000Z 0/2");
    assert_eq!(ask(&env, &asks(LEASE, "c")), "first until 2026-01-23T15:00:00.000Z 1/2");
}

#[test]
fn what_is_no_lease_is_swept_away() {
    let fixture = three();
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
    assert_eq!(ask(&env, &asks(LEASE, "")), "first until 2026-01-23T15:00:00.000Z 0/2");
    let left: Vec<_> = claims.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["first.json"]);
}

#[test]
fn a_filter_narrows_what_comes_next() {
    let fixture = three();
    fixture.review("w", "other", &Review { path: "lib/b.rs", ..Review::default() });
    let workspace = fixture.open("w");
    let filter = Filter { file: Some("lib".to_owned()), ..Filter::default() };
    let found = next(&workspace, &agent("Codex"), &filter, &asks(LEASE, "")).unwrap();
    assert_eq!((found.thread.unwrap().row.id.as_str(), found.waiting), ("other", 1));
}

#[test]
fn agents_that_ask_at_once_get_different_threads() {
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
        let options = asks(LEASE, "");
        next(&workspace, &agent("Codex"), &Filter::default(), &options).unwrap().thread
    };
    std::iter::from_fn(|| take().map(|view| view.row.id.clone())).collect()
}
