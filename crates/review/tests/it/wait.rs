use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use skein_format::time::Time;
use skein_model::Turn::{Agent, Reviewer};
use skein_model::{Filter, Turn};
use skein_review::{NextOptions, WaitOptions, Waited, next, wait};
use skein_workspace::{Actor, Clock, Env, Workspace, discover};

use skein_fixtures::{Fixture, NOW, Review, at};

/// Nothing takes so long unless it hangs.
const BOUND: Duration = Duration::from_secs(20);
const HOUR: Duration = Duration::from_secs(3600);

fn options(whom: Turn, timeout: Duration, settle: Duration) -> WaitOptions {
    WaitOptions { whom, timeout, settle, token: None }
}

/// Waits, does something as soon as it waits, and says what came of it.
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

const NOBODY: fn(&Workspace) = |_| {};

#[test]
fn a_wait_for_nothing_ends() {
    let fixture = Fixture::new();
    fixture.dir("w");
    check(&fixture, &options(Agent, Duration::ZERO, HOUR), NOBODY, "at once: nothing");
    // Longer than a first look takes on a machine that has other things to do.
    let short = Duration::from_millis(500);
    check(&fixture, &options(Reviewer, short, HOUR), NOBODY, "later: nothing");
}

#[test]
fn what_has_settled_is_there_at_once() {
    let fixture = Fixture::new();
    age(&fixture.review("w", "old", &Review::default()));
    let patient = options(Agent, HOUR, Duration::from_secs(60));
    check(&fixture, &patient, NOBODY, "at once: settled old");
    let answered = [("Mira", "Why?"), ("Codex", "So.")];
    fixture.review("w", "answered", &Review { says: &answered, ..Review::default() });
    check(&fixture, &patient, NOBODY, "at once: settled old");
    check(&fixture, &options(Reviewer, HOUR, HOUR), NOBODY, "at once: waiting answered");
}

#[test]
fn a_thread_that_names_a_time_to_come_settles_too() {
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
    check(&fixture, &once, NOBODY, "at once: nothing");
    let soon = options(Agent, HOUR, Duration::from_millis(300));
    let begun = Instant::now();
    check(&fixture, &soon, NOBODY, "later: settled fresh");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    age(&fixture.path("w/.code-review/threads/fresh.md"));
    let drafts = discover(&fixture.env("w")).dirs().state.join("drafts");
    fs::create_dir_all(&drafts).unwrap();
    check(&fixture, &once, NOBODY, "at once: settled fresh");
    fs::write(drafts.join("d.md"), "x").unwrap();
    check(&fixture, &once, NOBODY, "at once: nothing");
}

#[test]
fn a_submit_ends_the_wait_whatever_was_written_last() {
    let fixture = Fixture::new();
    fixture.review("w", "fresh", &Review::default());
    let state = discover(&fixture.env("w")).dirs().state;
    let submit = |text: &str| {
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("submitted"), text).unwrap();
    };
    let patient = options(Agent, HOUR, HOUR);
    check(&fixture, &patient, |_| submit("one"), "later: submit fresh");
    check(&fixture, &patient, NOBODY, "at once: submit fresh");
    // What was written since the last submit is not part of it.
    age(&state.join("submitted"));
    check(&fixture, &options(Agent, Duration::ZERO, HOUR), NOBODY, "at once: nothing");
    check(&fixture, &patient, |_| submit("two"), "later: submit fresh");
}

#[test]
fn a_thread_that_another_agent_works_on_is_not_waited_for() {
    let fixture = Fixture::new();
    age(&fixture.review("w", "taken", &Review::default()));
    let workspace = fixture.open("w");
    let codex = Actor { name: "Codex".to_owned(), agent: true };
    let claim =
        NextOptions { lease: Some(HOUR), token: Some("mine".to_owned()), include_claimed: false };
    next(&workspace, &codex, &Filter::default(), &claim).unwrap();
    let other = options(Agent, Duration::ZERO, Duration::ZERO);
    check(&fixture, &other, NOBODY, "at once: nothing");
    let own = WaitOptions { token: claim.token, ..other };
    check(&fixture, &own, NOBODY, "at once: settled taken");
}

#[test]
fn a_store_that_comes_into_being_is_seen() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let quick = options(Agent, HOUR, Duration::ZERO);
    let begins = |_: &Workspace| drop(fixture.review("w", "new", &Review::default()));
    check(&fixture, &quick, begins, "later: settled new");
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
fn a_thread_that_is_being_written_is_waited_for() {
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
