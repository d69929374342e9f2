use skein_checkpoints::{StepChange, StepRequest, StepsQuery, change_steps, steps};
use skein_model::Filter;

use skein_testkit::CutFs;

use skein_fixtures::{Fixture, NOW, at};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.checkpoint(
        "r",
        "T-20260122-100000-parser",
        "  \"updated_at\": \"2026-01-22T10:00:00Z\",\n  \"git\": {\"branch\": \"fix/x\"},\n  \"next_steps\": [\n    \"Read objects\",\n    {\"id\": \"T-20260122-100000-parser#7\", \"step\": \"Read numbers\", \"status\": \"open\"},\n    {\"step\": \"Done already\", \"status\": \"done\"}\n  ],\n  \"metadata\": {\"tags\": [\"json\"]}",
    );
    fixture.checkpoint(
        "r",
        "T-20260123-100000-lexer",
        "  \"updated_at\": \"2026-01-23T10:00:00Z\",\n  \"next_steps\": [\"Count lines\"]",
    );
    fixture.file("r/workspace/threads/T-1.json", "{");
    fixture.file(
        "r/workspace/checkpoints/spike.json",
        "{\"task_id\": \"spike\", \"completed_at\": \"2026-01-01T00:00:00Z\", \"next_steps\": [\"Old\"]}",
    );
    fixture
}

fn list(fixture: &Fixture, query: &StepsQuery) -> Vec<String> {
    let workspace = fixture.open("r");
    let found = steps(&workspace, query).unwrap();
    let line =
        |step: skein_checkpoints::StepRow| format!("{} {} {}", step.handle, step.status, step.step);
    found.steps.into_iter().map(line).collect()
}

fn change(fixture: &Fixture, handles: &[&str], change: StepChange) -> String {
    let workspace = fixture.open("r");
    let handles: Vec<String> = handles.iter().map(|&handle| handle.to_owned()).collect();
    let wanted = StepRequest { change, by: "Ada".to_owned(), note: None };
    match change_steps(&workspace, &handles, &wanted) {
        Ok(written) => {
            let lines = written.iter().map(|one| format!("{} {}", one.action, one.step.handle));
            lines.collect::<Vec<_>>().join(", ")
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn the_steps_of_all_checkpoints_are_one_list() {
    let fixture = fixture();
    let open = [
        "lexer#1 open Count lines",
        "parser#1 open Read objects",
        "parser#7 open Read numbers",
        "spike#1 open Old",
    ];
    assert_eq!(list(&fixture, &StepsQuery::default()), open);
    let all = StepsQuery { all: true, ..StepsQuery::default() };
    assert_eq!(list(&fixture, &all).len(), 5);
    assert!(list(&fixture, &all).contains(&"parser#3 done Done already".to_owned()));
    let mut filter = Filter::default();
    filter.set("branch", "x", at(NOW)).unwrap();
    filter.set("tag", "json", at(NOW)).unwrap();
    let narrow = StepsQuery { filter, ..StepsQuery::default() };
    assert_eq!(list(&fixture, &narrow), &open[1..3]);
    let one = StepsQuery { thread: Some("lexer".to_owned()), ..StepsQuery::default() };
    assert_eq!(list(&fixture, &one), &open[..1]);
}

#[test]
fn closing_a_step_changes_only_that_step() {
    let fixture = fixture();
    let before = fixture.read("r/workspace/threads/T-20260122-100000-parser.json");
    let reported = change(&fixture, &["parser#1", "T-20260122-100000-parser#7"], StepChange::Done);
    assert_eq!(reported, "done parser#1, done parser#7");
    let after = fixture.read("r/workspace/threads/T-20260122-100000-parser.json");
    let changed: Vec<&str> =
        after.lines().zip(before.lines()).filter(|(a, b)| a != b).map(|(a, _)| a.trim()).collect();
    assert_eq!(
        changed,
        [
            "\"updated_at\": \"2026-01-23T14:30:00.000Z\",",
            "{ \"id\": \"T-20260122-100000-parser#1\", \"step\": \"Read objects\", \"status\": \"done\", \"closed_at\": \"2026-01-23T14:30:00.000Z\", \"closed_by\": \"Ada\" },",
            "{\"id\": \"T-20260122-100000-parser#7\", \"step\": \"Read numbers\", \"status\": \"done\", \"closed_at\": \"2026-01-23T14:30:00.000Z\", \"closed_by\": \"Ada\"},",
        ]
    );
    assert_eq!(change(&fixture, &["parser#1"], StepChange::Done), "unchanged parser#1");
    assert_eq!(change(&fixture, &["pars#1", "parser#1"], StepChange::Reopen), "reopened parser#1");
    assert_eq!(change(&fixture, &["parser#2"], StepChange::Drop), "dropped parser#7");
}

#[test]
fn a_step_that_cannot_be_closed_is_reported_and_nothing_is_written() {
    let fixture = fixture();
    fixture.checkpoint(
        "r",
        "T-20260120-100000-new",
        "  \"version\": 2,\n  \"next_steps\": [\"x\"]",
    );
    let before = fixture.tree();
    for (handle, expected) in [
        ("parser#9", "error: no step has this id: parser#9"),
        ("parser", "error: no step has this id: parser"),
        ("nobody#1", "error: no step has this id: nobody#1"),
        ("spike#1", "error: a legacy checkpoint is never written"),
        ("new#1", "error: the checkpoint has version 2, which is newer than 1"),
    ] {
        assert_eq!(change(&fixture, &["lexer#1", handle], StepChange::Done), expected);
    }
    let reported = change(&fixture, &["T-1#1"], StepChange::Done);
    assert!(
        reported.starts_with("error: the checkpoint cannot be used and is not written"),
        "{reported}"
    );
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_step_whose_own_id_has_a_number_sign_can_be_closed() {
    let fixture = Fixture::new();
    fixture.checkpoint(
        "r",
        "T-20260122-100000-parser",
        r##"  "next_steps": [{"id": "x#2", "step": "One"}, {"id": "T-20260122-100000-parser#1", "step": "Two"}]"##,
    );
    fixture.checkpoint("r", "T-20260122-110000-xylo", "  \"next_steps\": [\"A\", \"B\"]");
    let handles = list(&fixture, &StepsQuery::default());
    assert!(handles.contains(&"parser#x#2 open One".to_owned()), "{handles:?}");
    assert_eq!(change(&fixture, &["parser#x#2"], StepChange::Done), "done parser#x#2");
    assert_eq!(change(&fixture, &["x#2"], StepChange::Reopen), "reopened parser#x#2");
    assert_eq!(change(&fixture, &["xylo#2"], StepChange::Done), "done xylo#2");
}

#[test]
fn many_steps_of_one_checkpoint_are_written_at_once() {
    let operations = |count: usize| {
        let fixture = Fixture::new();
        let steps: Vec<String> =
            (0..count).map(|n| format!("{{\"id\": \"own-{n}\", \"step\": \"x\"}}")).collect();
        let members = format!("  \"next_steps\": [{}]", steps.join(","));
        fixture.checkpoint("r", "T-20260122-100000-many", &members);
        let mut workspace = fixture.open("r");
        let fs = CutFs::default();
        workspace.env.fs = std::sync::Arc::new(fs.clone());
        let handles: Vec<String> = (0..count).map(|n| format!("many#own-{n}")).collect();
        let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
        let written = change_steps(&workspace, &handles, &wanted).unwrap();
        assert!(
            written.iter().all(|one| one.action.as_str() == "done" && one.step.status == "done")
        );
        let numbers: Vec<usize> = written.iter().map(|one| one.step.number).collect();
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>());
        assert_eq!(list(&fixture, &StepsQuery::default()), Vec::<String>::new());
        fs.operations()
    };
    // One write per step would be fifty times as many operations.
    assert!(operations(50) < 2 * operations(1));
}
