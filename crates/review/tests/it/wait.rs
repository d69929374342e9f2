use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use skein_format::time::Time;
use skein_model::Turn::{Agent, Reviewer};
use skein_model::{Filter, Turn};
use skein_review::{Cancel, NextOptions, WaitOptions, Waited, next, wait};
use skein_workspace::{Actor, Clock, Env, Workspace, discover};

use skein_fixtures::{Fixture, NOW, Review, at};

/// Maximum duration of a wait; a longer one hangs.
const BOUND: Duration = Duration::from_secs(20);
const HOUR: Duration = Duration::from_secs(3600);

fn options(whom: Turn, timeout: Duration, settle: Duration) -> WaitOptions {
    WaitOptions {
        whom,
        timeout,
        settle,
        token: None,
        filter: Filter::default(),
        cancel: Cancel::default(),
    }
}

/// Waits, calls `act` as soon as the wait has begun, and compares the result.
fn check(fixture: &Fixture, options: &WaitOptions, act: impl Fn(&Workspace), expected: &str) {
    let env = fixture.env("w");
    let begun = Instant::now();
    let mut waited = false;
    let done: Waited = wait(&env, options, &mut || {
        waited = true;
        act(&discover(&env));
    });
    assert!(begun.elapsed() < BOUND);
    let ids: Vec<&str> = done.waiting.iter().map(|row| row.id.as_str()).collect();
    let when = if waited { "later" } else { "at once" };
    let reason = done.reason.unwrap_or("nothing");
    assert_eq!(format!("{when}: {reason} {}", ids.join(" ")).trim_end(), expected);
    assert_eq!(done.timed_out, done.reason.is_none());
}

fn age(path: &Path) {
    let old = at("2026-01-20T10:00:00.000Z").as_millis().cast_unsigned();
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_millis(old);
    File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
}

fn append(path: &Path, author: &str) {
    let mut file = File::options().append(true).open(path).unwrap();
    let marker = format!(
        "\n<local-code-review-comment id=\"x\" author=\"{author}\" createdAt=\"2026-01-22T10:00:00.000Z\"/>\n\nDone.\n"
    );
    file.write_all(marker.as_bytes()).unwrap();
}

const NO_ACTION: fn(&Workspace) = |_| {};

#[test]
fn a_wait_without_threads_times_out() {
    let fixture = Fixture::new();
    fixture.dir("w");
    check(&fixture, &options(Agent, Duration::ZERO, HOUR), NO_ACTION, "at once: nothing");
    // Longer than the first check takes on a busy machine.
    let short = Duration::from_millis(500);
    check(&fixture, &options(Reviewer, short, HOUR), NO_ACTION, "later: nothing");
}

#[test]
fn a_settled_thread_ends_the_wait_at_once() {
    let fixture = Fixture::new();
    age(&fixture.review("w", "old", &Review::default()));
    let patient = options(Agent, HOUR, Duration::from_secs(60));
    check(&fixture, &patient, NO_ACTION, "at once: settled old");
    let answered = [("Mira", "Why?"), ("Codex", "So.")];
    fixture.review("w", "answered", &Review { says: &answered, ..Review::default() });
    check(&fixture, &patient, NO_ACTION, "at once: settled old");
    check(&fixture, &options(Reviewer, HOUR, HOUR), NO_ACTION, "at once: waiting answered");
}

#[test]
fn a_thread_with_a_time_in_the_future_settles_too() {
    let fixture = Fixture::new();
    let ahead = Review { updated_at: "2030-01-01T00:00:00Z", ..Review::default() };
    age(&fixture.review("w", "t", &ahead));
    let begun = Instant::now();
    let start = at(NOW).as_millis();
    let clock = Clock::new(move || {
        Time::from_millis(start + i64::try_from(begun.elapsed().as_millis()).unwrap())
    });
    let env = Env { clock, ..fixture.env("w") };
    let options = options(Agent, Duration::from_secs(2), Duration::from_millis(100));
    assert_eq!(wait(&env, &options, &mut || {}).reason, Some("settled"));
}

#[test]
fn the_reviewer_is_given_time_to_finish() {
    let fixture = Fixture::new();
    fixture.review("w", "fresh", &Review::default());
    let once = options(Agent, Duration::ZERO, HOUR);
    check(&fixture, &once, NO_ACTION, "at once: nothing");
    let soon = options(Agent, HOUR, Duration::from_millis(300));
    let begun = Instant::now();
    check(&fixture, &soon, NO_ACTION, "later: settled fresh");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    age(&fixture.path("w/.code-review/threads/fresh.md"));
    let drafts = discover(&fixture.env("w")).dirs().state.join("drafts");
    fs::create_dir_all(&drafts).unwrap();
    check(&fixture, &once, NO_ACTION, "at once: settled fresh");
    fs::write(drafts.join("d.md"), "x").unwrap();
    check(&fixture, &once, NO_ACTION, "at once: nothing");
}

#[test]
fn a_submit_ends_the_wait_before_the_threads_have_settled() {
    let fixture = Fixture::new();
    fixture.review("w", "fresh", &Review::default());
    let state = discover(&fixture.env("w")).dirs().state;
    let submit = |text: &str| {
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("submitted"), text).unwrap();
    };
    let patient = options(Agent, HOUR, HOUR);
    check(&fixture, &patient, |_| submit("one"), "later: submit fresh");
    check(&fixture, &patient, NO_ACTION, "at once: submit fresh");
    // What was written since the last submit is not part of it.
    age(&state.join("submitted"));
    check(&fixture, &options(Agent, Duration::ZERO, HOUR), NO_ACTION, "at once: nothing");
    check(&fixture, &patient, |_| submit("two"), "later: submit fresh");
}

#[test]
fn a_thread_that_another_agent_has_claimed_does_not_end_the_wait() {
    let fixture = Fixture::new();
    age(&fixture.review("w", "taken", &Review::default()));
    let workspace = fixture.open("w");
    let codex = Actor { name: "Codex".to_owned(), agent: true };
    let claim =
        NextOptions { lease: Some(HOUR), token: Some("mine".to_owned()), include_claimed: false };
    next(&workspace, &codex, &Filter::default(), &claim).unwrap();
    let other = options(Agent, Duration::ZERO, Duration::ZERO);
    check(&fixture, &other, NO_ACTION, "at once: nothing");
    let own = WaitOptions { token: claim.token, ..other };
    check(&fixture, &own, NO_ACTION, "at once: settled taken");
}

#[test]
fn a_store_that_is_created_during_the_wait_is_seen() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let quick = options(Agent, HOUR, Duration::ZERO);
    let create_thread = |_: &Workspace| drop(fixture.review("w", "new", &Review::default()));
    check(&fixture, &quick, create_thread, "later: settled new");
}

#[test]
fn answers_of_other_programs_are_seen() {
    let fixture = Fixture::new();
    let file = fixture.review("w", "asked", &Review::default());
    let reviewer = options(Reviewer, HOUR, HOUR);
    check(&fixture, &reviewer, |_| append(&file, "Codex"), "later: reply asked");

    let says = [("Mira", "Why?"), ("Codex", "Done.")];
    let done = Review { says: &says, status: "resolved", ..Review::default() };
    fixture.review("w", "asked", &done);
    fixture.review("w", "open", &Review::default());
    let resolves = |_: &Workspace| drop(fixture.review("w", "open", &done));
    check(&fixture, &reviewer, resolves, "later: resolved open");
}

#[test]
fn a_partly_written_thread_does_not_end_the_wait() {
    let fixture = Fixture::new();
    let file = fixture.review("w", "slow", &Review::default());
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let (head, rest) = whole.split_at(120);
    let quick = options(Agent, HOUR, Duration::ZERO);
    std::thread::scope(|scope| {
        let write = |_: &Workspace| {
            let mut half = File::create(&file).unwrap();
            half.write_all(head).unwrap();
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(400));
                half.write_all(rest).unwrap();
            });
        };
        check(&fixture, &quick, write, "later: settled slow");
    });
}

#[test]
fn a_wait_is_cancelled_by_another_thread() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let options = options(Agent, HOUR, HOUR);
    let begun = Instant::now();
    let cancel = options.cancel.clone();
    let mut canceller = None;
    let done = wait(&fixture.env("w"), &options, &mut || {
        let cancel = cancel.clone();
        canceller = Some(std::thread::spawn(move || cancel.cancel()));
    });
    canceller.unwrap().join().unwrap();
    assert!(done.timed_out);
    assert!(begun.elapsed() < BOUND);
    // One that was cancelled before it begins ends at once.
    assert!(wait(&fixture.env("w"), &options, &mut || panic!("it pauses")).timed_out);
}

#[test]
fn a_wait_counts_only_the_threads_of_its_filter() {
    let fixture = Fixture::new();
    age(&fixture.review("w", "old", &Review::default()));
    let file = |path: &str| WaitOptions {
        filter: Filter { file: Some(path.to_owned()), ..Filter::default() },
        ..options(Agent, Duration::ZERO, Duration::ZERO)
    };
    check(&fixture, &file("other.rs"), NO_ACTION, "at once: nothing");
}
