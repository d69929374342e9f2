//! Whether work is open, taken, done or cancelled, in every list, search and view.

use std::time::Duration;

use skein_catalog::{WorktreeScope, list, show};
use skein_checkpoints::{
    Handoff, HandoffChange, ResumeLockRequest, Save, StepsQuery, acquire, change_handoff,
};
use skein_model::Filter;
use skein_model::view::ThreadRow;
use skein_search::{Page, Query, SearchScope, Searcher};
use skein_summary::overview;

use skein_fixtures::{Fixture, NOW, at};

const PAGE: Page = Page { offset: 0, limit: 100, width: 60 };

fn new_fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.dir("r/workspace/threads");
    fixture
}

fn save(fixture: &Fixture, dir: &str, summary: &str) -> String {
    let workspace = fixture.open(dir);
    let steps = vec!["Go on".to_owned()];
    let save = Save { summary: summary.to_owned(), steps, ..Save::default() };
    skein_checkpoints::save(&workspace, &save).unwrap().id
}

fn hand_over(fixture: &Fixture, message: &str) -> String {
    let workspace = fixture.open("r");
    let steps = vec!["Go on".to_owned()];
    let handoff = Handoff { message: message.to_owned(), steps, ..Handoff::default() };
    skein_checkpoints::handoff(&workspace, &handoff).unwrap().saved.id
}

fn take_as_codex(fixture: &Fixture, id: &str) {
    let workspace = fixture.open("r");
    let owner = ResumeLockRequest {
        name: "Codex".to_owned(),
        agent: true,
        session: Some("s1".to_owned()),
        lasts: Duration::from_secs(3600),
    };
    acquire(&workspace, id, &owner, false).unwrap();
}

/// Returns the status and the holder of a row.
fn status_and_holder(row: &ThreadRow) -> String {
    let status = row.status.as_deref().unwrap_or("-");
    let by = row.holder().and_then(|holder| holder.by.as_deref());
    format!("{status} {}", by.unwrap_or("-"))
}

/// Returns the status and the holder of a checkpoint in a list, a view and a search.
fn states_of(fixture: &Fixture, id: &str) -> [String; 3] {
    let workspace = fixture.open("r");
    let rows = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
    let listed = rows.iter().find(|row| row.id == id).unwrap();
    let shown = show(&workspace, id).unwrap();
    let searcher = Searcher::new(workspace, SearchScope::Here, false);
    let query = Query::parse("kind:checkpoint", at(NOW)).unwrap();
    let hits = searcher.query(&query, PAGE, &()).hits;
    let found = hits.iter().find(|hit| hit.row.id == id).unwrap();
    [status_and_holder(listed), status_and_holder(&shown.row), status_and_holder(&found.row)]
}

/// Returns the ids of the checkpoints with a status, by a list and by a search.
fn with_status(fixture: &Fixture, status: &str) -> [Vec<String>; 2] {
    let workspace = fixture.open("r");
    let filter = Filter { status: Some(status.to_owned()), ..Filter::default() };
    let rows = list(&workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let searcher = Searcher::new(workspace, SearchScope::Here, false);
    let query = Query::parse(&format!("status:{status}"), at(NOW)).unwrap();
    let hits = searcher.query(&query, PAGE, &()).hits;
    let mut listed: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let mut found: Vec<String> = hits.iter().map(|hit| hit.row.id.clone()).collect();
    listed.sort();
    found.sort();
    [listed, found]
}

#[test]
fn a_taken_checkpoint_of_any_type_names_its_holder() {
    let fixture = new_fixture();
    let (plain, handed) = (save(&fixture, "r", "Lexer"), hand_over(&fixture, "Parser"));
    assert_eq!(states_of(&fixture, &plain), ["- -"; 3].map(str::to_owned));
    assert_eq!(states_of(&fixture, &handed), ["open -"; 3].map(str::to_owned));
    take_as_codex(&fixture, &plain);
    take_as_codex(&fixture, &handed);
    for id in [&plain, &handed] {
        assert_eq!(states_of(&fixture, id), ["taken Codex"; 3].map(str::to_owned), "{id}");
    }
    let workspace = fixture.open("r");
    let sum = overview(&workspace);
    let remarks = |work: &[skein_summary::WorkRow<ThreadRow>]| {
        work[0].remarks(workspace.env.clock.local()).join("; ")
    };
    let taken = "taken by Codex, session s1, until 15:30";
    assert_eq!([remarks(&sum.to_resume), remarks(&sum.handoffs)], [taken, taken]);
    let json = serde_json::to_value(&sum).unwrap();
    assert_eq!(json["to_resume"][0]["taken"]["by"], "Codex");
    assert_eq!(json["handoffs"][0]["taken"]["until"], "2026-01-23T15:30:00.000Z");
}

#[test]
fn a_status_filter_finds_taken_checkpoints() {
    let fixture = new_fixture();
    let (plain, first) = (save(&fixture, "r", "Lexer"), hand_over(&fixture, "Parser"));
    let second = hand_over(&fixture, "Printer");
    take_as_codex(&fixture, &plain);
    take_as_codex(&fixture, &first);
    let mut taken = vec![plain, first.clone()];
    taken.sort();
    assert_eq!(with_status(&fixture, "taken"), [taken.clone(), taken]);
    assert_eq!(with_status(&fixture, "open"), [vec![second.clone()], vec![second]]);
    let workspace = fixture.open("r");
    change_handoff(&workspace, Some(&first), HandoffChange::Cancel).unwrap();
    assert_eq!(states_of(&fixture, &first), ["cancelled -"; 3].map(str::to_owned));
    assert_eq!(with_status(&fixture, "cancelled"), [vec![first.clone()], vec![first]]);
}

#[test]
fn the_pointer_ends_the_handoff_of_a_legacy_checkpoint() {
    let fixture = new_fixture();
    fixture.file(
        "r/workspace/checkpoints/old.json",
        r#"{"checkpoint_id": "old", "created_at": "2026-01-20T10:00:00Z", "summary": "Old work"}"#,
    );
    let pointer = |status: &str| {
        let text = format!(r#"{{"last_thread": "old", "message": "m"{status}}}"#);
        fixture.file("r/workspace/threads/handoff.json", text);
    };
    pointer("");
    assert_eq!(states_of(&fixture, "old"), ["open -"; 3].map(str::to_owned));
    take_as_codex(&fixture, "old");
    assert_eq!(states_of(&fixture, "old"), ["taken Codex"; 3].map(str::to_owned));
    pointer(r#", "status": "done""#);
    assert_eq!(states_of(&fixture, "old"), ["done -"; 3].map(str::to_owned));
    assert_eq!(with_status(&fixture, "done"), [vec!["old".to_owned()], vec!["old".to_owned()]]);
}

#[test]
fn work_to_resume_of_another_worktree_names_it() {
    let fixture = new_fixture();
    fixture.worktree("r", "api", "login");
    save(&fixture, "api", "From api");
    save(&fixture, "r", "From here");
    let workspace = fixture.open("r");
    let sum = overview(&workspace);
    let remarks: Vec<_> = sum
        .to_resume
        .iter()
        .map(|work| work.remarks(workspace.env.clock.local()).join("; "))
        .collect();
    assert_eq!(remarks, ["", "worktree api, branch login"]);
}

#[test]
fn steps_of_work_that_has_ended_are_marked() {
    let fixture = new_fixture();
    let (id, other) = (hand_over(&fixture, "Parser"), hand_over(&fixture, "Printer"));
    let workspace = fixture.open("r");
    change_handoff(&workspace, Some(&id), HandoffChange::Cancel).unwrap();
    let all = StepsQuery { all: true, ..StepsQuery::default() };
    let alone = StepsQuery { thread: Some(id.clone()), ..StepsQuery::default() };
    let ended = |query: &StepsQuery| -> Vec<(String, Option<String>)> {
        let steps = skein_checkpoints::steps(&workspace, query).unwrap().steps;
        let mut ended: Vec<_> = steps.into_iter().map(|step| (step.thread, step.ended)).collect();
        ended.sort();
        ended
    };
    let cancelled = (id, Some("cancelled".to_owned()));
    assert_eq!(ended(&all), [cancelled.clone(), (other, None)]);
    assert_eq!(ended(&alone), [cancelled]);
}
