//! The states of a handoff, and which work is offered in which directory.

use std::fs;
use std::time::Duration;

use skein_checkpoints::{
    Handoff, HandoffChange, ResumeLockRequest, StepChange, StepRequest, StepsQuery, change_handoff,
    change_steps,
};
use skein_summary::{MAX_SHORT_BRIEF, overview, short_brief};
use skein_workspace::discover;

use skein_fixtures::{Fixture, git};

fn new_fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.dir("r/workspace/threads");
    fixture
}

fn hand_over(fixture: &Fixture, dir: &str, message: &str, steps: &[&str]) -> String {
    let workspace = fixture.open(dir);
    let steps = steps.iter().map(|&step| step.to_owned()).collect();
    let handoff = Handoff { message: message.to_owned(), steps, ..Handoff::default() };
    skein_checkpoints::handoff(&workspace, &handoff).unwrap().saved.id
}

/// What is offered in a directory: by `resume`, by the hook, and by the overview.
fn offered(fixture: &Fixture, dir: &str) -> [String; 3] {
    let workspace = fixture.open(dir);
    let brief = skein_summary::brief(&workspace, None);
    let hook = short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap_or_default();
    let sum = overview(&workspace);
    [
        brief.map_or_else(|error| error.to_string(), |brief| brief.title),
        hook.lines().next().unwrap_or_default().to_owned(),
        sum.handoff.map(|row| row.title).unwrap_or_default(),
    ]
}

fn end(fixture: &Fixture, dir: &str, id: Option<&str>, change: HandoffChange) -> String {
    let workspace = fixture.open(dir);
    match change_handoff(&workspace, id, change) {
        Ok(changed) => format!("{} {}", changed.action, changed.status),
        Err(error) => error.to_string(),
    }
}

fn close(fixture: &Fixture, handle: &str, change: StepChange) {
    let workspace = fixture.open("r");
    let wanted = StepRequest { change, by: "Ada".to_owned(), note: None };
    change_steps(&workspace, &[handle.to_owned()], &wanted).unwrap();
}

fn status(fixture: &Fixture, id: &str) -> Option<String> {
    let text = fixture.read(&format!("r/workspace/threads/{id}.json"));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["status"].as_str().map(str::to_owned)
}

#[test]
fn an_ended_handoff_is_no_longer_offered() {
    for (change, word) in [(HandoffChange::Done, "done"), (HandoffChange::Cancel, "cancelled")] {
        let fixture = new_fixture();
        let id = hand_over(&fixture, "r", "Parser", &["Read lists"]);
        assert!(offered(&fixture, "r").iter().all(|text| text.contains("Parser")));
        assert_eq!(end(&fixture, "r", None, change), format!("{word} {word}"));
        assert_eq!(status(&fixture, &id).as_deref(), Some(word));
        let nothing = ["no work is open here", "", ""].map(str::to_owned);
        assert_eq!(offered(&fixture, "r"), nothing);
        let workspace = fixture.open("r");
        let open = skein_checkpoints::steps(&workspace, &StepsQuery::default()).unwrap();
        assert!(open.steps.is_empty(), "the steps of an ended handoff are not open");
        assert_eq!(end(&fixture, "r", Some(&id), change), format!("unchanged {word}"));
        assert_eq!(
            end(&fixture, "r", None, change),
            "no handoff is open in this worktree or on this branch"
        );
        assert_eq!(end(&fixture, "r", Some(&id), HandoffChange::Reopen), "reopened open");
        assert!(offered(&fixture, "r")[0].contains("Parser"));
    }
}

#[test]
fn closing_the_last_step_ends_a_handoff_and_reopening_a_step_reopens_it() {
    let fixture = new_fixture();
    let id = hand_over(&fixture, "r", "Parser", &["Read lists", "Read maps"]);
    close(&fixture, &format!("{id}#1"), StepChange::Done);
    assert_eq!(status(&fixture, &id), None);
    close(&fixture, &format!("{id}#2"), StepChange::Drop);
    assert_eq!(status(&fixture, &id).as_deref(), Some("done"));
    assert_eq!(offered(&fixture, "r")[0], "no work is open here");
    close(&fixture, &format!("{id}#2"), StepChange::Reopen);
    assert_eq!(status(&fixture, &id).as_deref(), Some("open"));
    assert!(offered(&fixture, "r")[0].contains("Parser"));
    // Another program closes steps without ending the handoff.
    let path = fixture.path(&format!("r/workspace/threads/{id}.json"));
    let text =
        fs::read_to_string(&path).unwrap().replace("\"status\": \"open\"", "\"status\": \"done\"");
    fs::write(&path, text).unwrap();
    assert_eq!(offered(&fixture, "r")[0], "no work is open here");
}

#[test]
fn a_reopened_handoff_is_offered_even_if_its_steps_are_closed() {
    let fixture = new_fixture();
    let id = hand_over(&fixture, "r", "Parser", &["Read lists"]);
    close(&fixture, &format!("{id}#1"), StepChange::Done);
    let workspace = fixture.open("r");
    assert!(!overview(&workspace).has_work);
    assert_eq!(end(&fixture, "r", Some(&id), HandoffChange::Reopen), "reopened open");
    assert!(offered(&fixture, "r").iter().all(|text| text.contains("Parser")));
    assert!(overview(&workspace).has_work);
    assert_eq!(end(&fixture, "r", None, HandoffChange::Done), "done done");
}

#[test]
fn ending_a_handoff_releases_its_resume_lock() {
    let owner = |name: &str| ResumeLockRequest {
        name: name.to_owned(),
        agent: false,
        session: None,
        lasts: Duration::from_secs(3600),
    };
    for by_step in [false, true] {
        let fixture = new_fixture();
        let id = hand_over(&fixture, "r", "Parser", &["Read lists"]);
        let workspace = fixture.open("r");
        skein_checkpoints::acquire(&workspace, &id, &owner("Bob"), false).unwrap();
        match by_step {
            true => close(&fixture, &format!("{id}#1"), StepChange::Done),
            false => drop(end(&fixture, "r", Some(&id), HandoffChange::Done)),
        }
        assert_eq!(skein_summary::brief(&workspace, Some(&id)).unwrap().taken, None);
        let refused =
            skein_checkpoints::acquire(&workspace, &id, &owner("Ada"), false).unwrap_err();
        assert_eq!(refused.to_string(), format!("the work is done: {id}"));
        end(&fixture, "r", Some(&id), HandoffChange::Reopen);
        let brief = skein_summary::brief(&workspace, Some(&id)).unwrap();
        assert_eq!((brief.status.as_deref(), brief.taken), (Some("open"), None));
        skein_checkpoints::acquire(&workspace, &id, &owner("Ada"), false).unwrap();
    }
}

#[test]
fn an_agent_does_not_end_work_that_another_session_has_taken() {
    let mut fixture = new_fixture();
    let id = hand_over(&fixture, "r", "Parser", &["Read lists", "Read maps"]);
    let owner = ResumeLockRequest {
        name: "Claude Code".to_owned(),
        agent: true,
        session: Some("s1".to_owned()),
        lasts: Duration::from_secs(3600),
    };
    skein_checkpoints::acquire(&fixture.open("r"), &id, &owner, false).unwrap();
    let close_first = |fixture: &Fixture| {
        let wanted =
            StepRequest { change: StepChange::Done, by: "Claude Code".to_owned(), note: None };
        change_steps(&fixture.open("r"), &[format!("{id}#1")], &wanted)
            .map_err(|error| error.to_string())
    };
    fixture.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    fixture.variables.insert("SKEIN_SESSION".to_owned(), "s2".to_owned());
    let taken = end(&fixture, "r", Some(&id), HandoffChange::Done);
    assert!(taken.starts_with("the work is taken by Claude Code"), "{taken}");
    assert_eq!(close_first(&fixture).unwrap_err(), taken);
    fixture.variables.insert("SKEIN_SESSION".to_owned(), "s1".to_owned());
    close_first(&fixture).unwrap();
    // A person decides.
    fixture.variables.clear();
    assert_eq!(end(&fixture, "r", Some(&id), HandoffChange::Done), "done done");
}

#[test]
fn a_hook_describes_the_checkpoint_that_its_command_resumes() {
    let fixture = new_fixture();
    let handed = hand_over(&fixture, "r", "Parser", &[]);
    let workspace = fixture.open("r");
    let owner = ResumeLockRequest {
        name: "Tom".to_owned(),
        agent: false,
        session: None,
        lasts: Duration::from_secs(3600),
    };
    skein_checkpoints::acquire(&workspace, &handed, &owner, false).unwrap();
    let save = skein_checkpoints::Save {
        summary: "Something else".to_owned(),
        ..skein_checkpoints::Save::default()
    };
    let saved = skein_checkpoints::save(&workspace, &save).unwrap();
    let output = short_brief(&workspace, Some("s1"), MAX_SHORT_BRIEF).unwrap();
    assert!(output.contains("Something else"), "{output}");
    assert!(output.contains(&format!("`skein resume {}` prints", saved.id)), "{output}");
}

#[test]
fn closed_steps_are_not_repeated_in_the_notes() {
    let fixture = new_fixture();
    let id = hand_over(&fixture, "r", "Parser", &["Read lists; all of them", "Read maps"]);
    close(&fixture, &format!("{id}#1"), StepChange::Done);
    let workspace = fixture.open("r");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!(brief.handoff_notes, None);
    let text = brief.text(10_000);
    assert!(!text.contains("Read lists") && text.contains("Read maps"), "{text}");
}

#[test]
fn a_hook_offers_a_taken_handoff_only_to_the_session_that_took_it() {
    let mut fixture = new_fixture();
    let id = hand_over(&fixture, "r", "Parser", &[]);
    let workspace = fixture.open("r");
    let owner = ResumeLockRequest {
        name: "Claude Code".to_owned(),
        agent: true,
        session: Some("s1".to_owned()),
        lasts: Duration::from_secs(3600),
    };
    skein_checkpoints::acquire(&workspace, &id, &owner, false).unwrap();
    assert_eq!(short_brief(&workspace, Some("s2"), MAX_SHORT_BRIEF), None);
    assert!(short_brief(&workspace, Some("s1"), MAX_SHORT_BRIEF).unwrap().contains("Parser"));
    let asked = skein_summary::brief(&workspace, None).unwrap();
    assert!(asked.taken.is_some(), "an explicit request names the holder");
    hand_over(&fixture, "r", "Docs", &[]);
    let asked = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!((asked.title.as_str(), asked.taken), ("Handoff: Docs", None));
    let listed = |status: &str| {
        let filter = skein_model::Filter { status: Some(status.to_owned()), ..Default::default() };
        let found =
            skein_catalog::list(&workspace, &filter, skein_catalog::WorktreeScope::ThisWorktree);
        found.threads.len()
    };
    assert_eq!([listed("taken"), listed("open"), listed("done")], [1, 1, 0]);
    let sum = overview(&workspace);
    let parser = sum.handoffs.iter().find(|handoff| handoff.row.id == id).unwrap();
    let by = parser.row.holder().and_then(|holder| holder.session_id.clone());
    assert_eq!(by.as_deref(), Some("s1"));
    fixture.variables.insert("SKEIN_SESSION".to_owned(), "s1".to_owned());
    assert_eq!(end(&fixture, "r", None, HandoffChange::Done), "done done");
}

#[test]
fn this_worktree_comes_first_then_this_branch_then_the_others_with_their_names() {
    let fixture = new_fixture();
    fixture.worktree("r", "api", "login");
    fixture.worktree("r", "ui", "theme");
    hand_over(&fixture, "api", "From api", &["x"]);
    // A worktree without work of its own is offered the work of another one, with its name.
    let workspace = fixture.open("ui");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!(brief.title, "Handoff: From api");
    assert_eq!(
        (brief.origin.place.as_str(), brief.origin.branch.as_deref()),
        ("elsewhere", Some("login"))
    );
    assert!(brief.text(10_000).contains("- from: worktree api, branch login\n"));
    let hook = short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap();
    assert!(hook.starts_with("Earlier work is recorded here") && hook.contains("worktree api"));
    // The work of this worktree comes first even if another worktree has newer work.
    hand_over(&fixture, "ui", "From ui", &[]);
    hand_over(&fixture, "r", "From main", &[]);
    let workspace = fixture.open("ui");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!(
        (brief.title.as_str(), brief.origin.place.as_str()),
        ("Handoff: From ui", "worktree")
    );
    let others: Vec<&str> = brief.others.iter().map(|other| other.title.as_str()).collect();
    assert_eq!(others.len(), 2, "{others:?}");
    assert!(brief.text(10_000).contains("(worktree api, branch login)"));
    assert!(short_brief(&workspace, None, MAX_SHORT_BRIEF).unwrap().contains("From ui"));
    assert_eq!(overview(&workspace).handoff.unwrap().title, "Handoff: From ui");
    // The work of a branch is offered where the branch is checked out now.
    git(
        &fixture.path("r"),
        &["worktree", "remove", "--force", &fixture.path("api").display().to_string()],
    );
    git(
        &fixture.path("r"),
        &["worktree", "add", "-q", &fixture.path("api2").display().to_string(), "login"],
    );
    let workspace = fixture.open("api2");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!(
        (brief.title.as_str(), brief.origin.place.as_str()),
        ("Handoff: From api", "branch")
    );
    assert_eq!(end(&fixture, "api2", None, HandoffChange::Done), "done done");
    let brief = skein_summary::brief(&discover(&workspace.env), None).unwrap();
    assert_eq!(brief.origin.place.as_str(), "elsewhere");
    assert_eq!(
        end(&fixture, "api2", None, HandoffChange::Done),
        "no handoff is open in this worktree or on this branch"
    );
}

#[test]
fn a_handoff_pointer_in_the_oldest_format_is_followed_and_can_be_ended() {
    let fixture = new_fixture();
    fixture.file(
        "r/workspace/checkpoints/spike.json",
        r#"{"task_id": "spike", "completed_at": "2026-01-20T00:00:00Z", "summary": "A spike"}"#,
    );
    let pointer =
        r#"{"last_checkpoint": "workspace/checkpoints/spike.json", "message": "Go on", "mine": 1}"#;
    for file in ["r/workspace/checkpoints/handoff.json", "r/workspace/threads/handoff.json"] {
        fixture.file(file, pointer);
        let workspace = fixture.open("r");
        let brief = skein_summary::brief(&workspace, None).unwrap();
        assert_eq!((brief.id.as_str(), brief.chosen), ("spike", "handoff"));
        assert_eq!(brief.handoff_message.as_deref(), Some("Go on"));
        assert_eq!(end(&fixture, "r", None, HandoffChange::Done), "done done");
        assert!(fixture.read(file).contains("\"mine\": 1"), "{}", fixture.read(file));
        assert_eq!(offered(&fixture, "r")[0], "no work is open here");
        fs::remove_file(fixture.path(file)).unwrap();
    }
    assert!(!fixture.read("r/workspace/checkpoints/spike.json").contains("done"));
}

#[test]
fn only_a_handoff_can_be_ended() {
    let fixture = new_fixture();
    fixture.checkpoint("r", "T-20260122-100000-x", "  \"type\": \"checkpoint\"");
    assert_eq!(
        end(&fixture, "r", Some("x"), HandoffChange::Done),
        "not a handoff: T-20260122-100000-x"
    );
}

#[test]
fn the_brief_of_a_handoff_that_ended_says_so() {
    let fixture = new_fixture();
    let members = "  \"type\": \"handoff\",\n  \"status\": \"cancelled\"";
    fixture.checkpoint("r", "T-20260122-105800-given-up", members);
    let workspace = fixture.open("r");
    let text = skein_summary::brief(&workspace, Some("given-up"))
        .unwrap()
        .text(skein_summary::Brief::LIMIT);
    assert!(text.contains("T-20260122-105800-given-up (handoff, cancelled)"), "{text}");
}

#[test]
fn the_pointer_decides_between_open_handoffs_of_the_same_place() {
    let fixture = new_fixture();
    let first = hand_over(&fixture, "r", "Parser", &["Read lists"]);
    let second = hand_over(&fixture, "r", "Printer", &["Print lists"]);
    assert!(offered(&fixture, "r").iter().all(|text| text.contains("Printer")));
    // Another program, or a person, names the earlier one.
    let pointer = fixture.read("r/workspace/threads/handoff.json").replace(&second, &first);
    fixture.file("r/workspace/threads/handoff.json", &pointer);
    assert!(offered(&fixture, "r").iter().all(|text| text.contains("Parser")));
    let brief = skein_summary::brief(&fixture.open("r"), None).unwrap();
    assert_eq!((brief.chosen, brief.others[0].id.as_str()), ("pointer", second.as_str()));
    let heading = "(handoff, named by `handoff.json`; a newer one is open)";
    assert!(brief.text(10_000).contains(heading), "{}", brief.text(10_000));
    end(&fixture, "r", Some(&first), HandoffChange::Done);
    assert!(offered(&fixture, "r").iter().all(|text| text.contains("Printer")));
}
