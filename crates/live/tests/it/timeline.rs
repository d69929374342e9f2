//! The checkpoints and sessions of a live workspace follow the files.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_checkpoints::{
    CheckpointError, CleanupOptions, ExpectedStep, StepChange, StepRequest, change_shown_step,
    cleanup,
};
use skein_format::session::MappingField;
use skein_live::{ChangeEvent, LiveWorkspace};
use skein_model::Filter;
use skein_sessions::{SessionError, SetRequest, set_session};

use skein_fixtures::{Fixture, session};

const TIMEOUT: Duration = Duration::from_secs(20);
const DIR: &str = "r/workspace/threads";
const PARSER: &str = "T-20260122-100000-parser";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.checkpoint("r", PARSER, "  \"created_at\": \"2026-01-22T10:00:00Z\",\n  \"git\": {\"branch\": \"fix/x\"},\n  \"next_steps\": [\"Read objects\", {\"id\": \"own\", \"step\": \"Read texts\", \"status\": \"done\", \"more\": 1}],\n  \"metadata\": {\"tags\": [\"json\", \"json\"]}");
    fixture.checkpoint("r", "T-20260123-100000-lexer", "  \"created_at\": \"2026-01-23T10:00:00Z\",\n  \"git\": {\"branch\": \"main\"},\n  \"metadata\": {\"tags\": [\"json\"]}");
    fixture.file("r/workspace/checkpoints/spike.json", "{\"task_id\": \"spike\", \"completed_at\": \"2026-01-01T00:00:00Z\", \"summary\": \"Tried\"}");
    fixture.file(&format!("{DIR}/T-20260101-000000-broken.json"), "{");
    fixture
}

fn open(fixture: &Fixture) -> LiveWorkspace {
    LiveWorkspace::open(&fixture.env("r"))
}

fn ids(live: &LiveWorkspace) -> String {
    let timeline = live.timeline();
    let ids = timeline.entries.iter().map(|entry| entry.row.id.as_str());
    ids.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn until(live: &LiveWorkspace, mut number: u64, is_expected: impl Fn(&ChangeEvent) -> bool) -> u64 {
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        for event in live.events_after(number, Duration::from_millis(500)) {
            number = event.number;
            if is_expected(&event) || event.everything {
                return number;
            }
        }
    }
    panic!("the expected event is missing");
}

#[test]
fn checkpoints_are_sorted_by_time_of_creation() {
    let fixture = fixture();
    // A time of creation in the future counts as now.
    fixture.checkpoint(
        "r",
        "T-20990101-000000-ahead",
        "  \"created_at\": \"2099-01-01T00:00:00Z\"",
    );
    let live = open(&fixture);
    let all = "T-20990101-000000-ahead T-20260123-100000-lexer T-20260122-100000-parser spike T-20260101-000000-broken";
    assert_eq!(ids(&live), all);
    let timeline = live.timeline();
    assert_eq!(timeline.branches, [("fix/x".to_owned(), 1), ("main".to_owned(), 1)]);
    assert_eq!(timeline.tags, [("json".to_owned(), 2)]);
    let filter = Filter { branch: Some("x".to_owned()), ..Filter::default() };
    let passing = timeline.entries.iter().filter(|entry| entry.passes(&filter));
    assert_eq!(passing.map(|entry| entry.open_steps()).collect::<Vec<_>>(), [1]);
}

#[test]
fn created_changed_and_deleted_files_are_noticed() {
    let fixture = fixture();
    let live = open(&fixture);
    ids(&live);
    let reported =
        |id: &'static str| move |event: &ChangeEvent| event.checkpoints.iter().any(|one| one == id);
    let before = live.last_event_number();
    fixture.checkpoint("r", "T-20260124-000000-new", "  \"created_at\": \"2026-01-23T11:00:00Z\"");
    let number = until(&live, before, reported("T-20260124-000000-new"));
    assert!(ids(&live).contains("T-20260124-000000-new"));
    let text = fixture.read(&format!("{DIR}/{PARSER}.json")).replace("Read objects", "Read dates");
    fixture.file(&format!("{DIR}/{PARSER}.json"), text);
    let number = until(&live, number, reported(PARSER));
    assert_eq!(live.timeline().get(PARSER).unwrap().steps[0].step, "Read dates");
    fs::remove_file(fixture.path(&format!("{DIR}/{PARSER}.json"))).unwrap();
    let number = until(&live, number, reported(PARSER));
    assert!(live.timeline().get(PARSER).is_none());
    // A thread hides a legacy checkpoint of the same id.
    let hidden = fixture.file(
        "r/workspace/checkpoints/T-20260123-100000-lexer.json",
        "{\"task_id\": \"x\", \"completed_at\": \"2026-01-01T00:00:00Z\"}",
    );
    until(&live, number, reported("T-20260123-100000-lexer"));
    assert_eq!(ids(&live).matches("T-20260123-100000-lexer").count(), 1);
    assert!(hidden.exists());
}

#[test]
fn a_refresh_finds_changes_without_an_event() {
    let fixture = fixture();
    let live = open(&fixture);
    ids(&live);
    fixture.checkpoint("r", "T-20260123-120000-late", "  \"created_at\": \"2026-01-23T12:00:00Z\"");
    live.refresh_checkpoints();
    assert!(ids(&live).starts_with("T-20260123-120000-late"));
    fixture.file(&format!("{DIR}/handoff.json"), format!("{{\"last_thread\": \"{PARSER}\"}}"));
    live.refresh_checkpoints();
    assert_eq!(live.timeline().handoff.as_ref().unwrap().id, PARSER);
}

#[test]
fn sessions_follow_the_map() {
    let fixture = fixture();
    let one = session("ses_one", "active", "2026-01-16T10:00:00.000Z");
    fixture.sessions(std::slice::from_ref(&one));
    let live = open(&fixture);
    let count = || live.sessions().sessions.len();
    assert_eq!(count(), 1);
    assert!(Arc::ptr_eq(&live.sessions(), &live.sessions()) || count() == 1);
    let before = live.last_event_number();
    fixture.sessions(&[one, session("ses_two", "ended", "2026-01-16T10:00:00.000Z")]);
    until(&live, before, |event| event.sessions);
    assert_eq!(count(), 2);
}

fn close(fixture: &Fixture, shown: &ExpectedStep) -> Result<&'static str, CheckpointError> {
    let workspace = fixture.open("r");
    let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
    change_shown_step(&workspace, PARSER, shown, &wanted).map(|written| written.action.as_str())
}

#[test]
fn a_step_is_changed_only_if_it_is_what_was_shown() {
    let fixture = fixture();
    let shown = |id: &str, step: &str, status: &str| ExpectedStep {
        id: id.to_owned(),
        step: step.to_owned(),
        status: Some(status.to_owned()),
    };
    let first = format!("{PARSER}#1");
    let before = fixture.tree();
    let error = close(&fixture, &shown(&first, "Something else", "open")).unwrap_err();
    assert!(
        matches!(&error, CheckpointError::StepChanged { now, .. } if now == "Read objects (open)")
    );
    let error = close(&fixture, &shown(&first, "Read objects", "dropped")).unwrap_err();
    assert!(matches!(error, CheckpointError::StepChanged { .. }));
    let error = close(&fixture, &shown("own", "Other text", "done")).unwrap_err();
    assert!(matches!(error, CheckpointError::StepChanged { .. }));
    assert!(matches!(
        close(&fixture, &shown("none", "", "open")),
        Err(CheckpointError::NoStep { .. })
    ));
    assert_eq!(fixture.tree(), before);
    assert_eq!(close(&fixture, &shown(&first, "Read objects", "open")).unwrap(), "done");
    assert_eq!(close(&fixture, &shown("own", "Read texts", "done")).unwrap(), "unchanged");
    assert!(fixture.read(&format!("{DIR}/{PARSER}.json")).contains("\"more\": 1"));
}

#[test]
fn cleanup_removes_only_what_was_shown() {
    let fixture = fixture();
    let auto = |id: &str| {
        fixture.checkpoint(
            "r",
            id,
            "  \"type\": \"auto-checkpoint\",\n  \"created_at\": \"2026-01-01T00:00:00Z\"",
        )
    };
    auto("T-20260101-000000-auto-one");
    let workspace = fixture.open("r");
    let look = CleanupOptions { archive_days: None, apply: false, expect: None };
    let seen = cleanup(&workspace, &look).unwrap().token;
    auto("T-20260101-000000-auto-two");
    let before = fixture.tree();
    let go = |token| {
        cleanup(
            &workspace,
            &CleanupOptions { archive_days: None, apply: true, expect: Some(token) },
        )
    };
    assert!(matches!(go(seen), Err(CheckpointError::OtherCleanup)));
    assert_eq!(fixture.tree(), before);
    let now = cleanup(&workspace, &look).unwrap().token;
    assert_eq!(go(now).unwrap().goes.len(), 2);
}

#[test]
fn a_status_is_set_only_if_it_is_still_the_one_that_was_shown() {
    let fixture = fixture();
    fixture.sessions(&[session("ses_one", "active", "2026-01-16T10:00:00.000Z")]);
    let workspace = fixture.open("r");
    let set = |expect: &str| {
        let fields = vec![(MappingField::Status, "orphaned".to_owned())];
        let expect = Some(expect.to_owned());
        let request = SetRequest { file: None, lenient: false, expect, fields };
        set_session(&workspace, "ses_one", &request)
    };
    let before = fixture.tree();
    assert!(
        matches!(set("disconnected"), Err(SessionError::Changed { now, .. }) if now == "active")
    );
    assert_eq!(fixture.tree(), before);
    assert_eq!(set("active").unwrap().action.as_str(), "updated");
}
