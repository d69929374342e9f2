//! Closing and reopening steps, and changing the state of workers.

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointFileKind, Closing, MoveError, StepStatus, WorkerMove, WorkerState,
};
use skein_format::time::{self, Time};

fn now() -> Time {
    time::parse("2026-01-23T14:30:00Z").unwrap().time
}

#[track_caller]
fn check(text: &str, edit: impl Fn(&mut CheckpointDoc), expected: &str) {
    let mut doc =
        CheckpointDoc::parse(text.as_bytes().to_vec(), "T-1", CheckpointFileKind::Thread).0;
    edit(&mut doc);
    assert_eq!(String::from_utf8(doc.into_bytes()).unwrap(), expected);
}

fn close(status: StepStatus, note: Option<&str>) -> Closing {
    Closing { status, by: "Ada".to_owned(), note: note.map(str::to_owned) }
}

#[test]
fn closing_a_text_step_makes_it_an_object_and_keeps_its_neighbours() {
    check(
        "{\n  \"next_steps\": [\n    \"a\",\n    \"b\"\n  ],\n  \"updated_at\": null\n}\n",
        |doc| doc.close_steps(&[1], &close(StepStatus::Done, Some("well")), now()).unwrap(),
        "{\n  \"next_steps\": [\n    \"a\",\n    { \"id\": \"T-1#2\", \"step\": \"b\", \"status\": \"done\", \"closed_at\": \"2026-01-23T14:30:00.000Z\", \"closed_by\": \"Ada\", \"note\": \"well\" }\n  ],\n  \"updated_at\": \"2026-01-23T14:30:00.000Z\"\n}\n",
    );
}

#[test]
fn an_object_step_keeps_its_other_members() {
    let open = "{\n  \"next_steps\": [\n    {\n      \"step\": \"a\",\n      \"why\": 1.0\n    }\n  ],\n  \"updated_at\": null\n}\n";
    let closed = "{\n  \"next_steps\": [\n    {\n      \"step\": \"a\",\n      \"why\": 1.0,\n      \"status\": \"dropped\",\n      \"closed_at\": \"2026-01-23T14:30:00.000Z\",\n      \"closed_by\": \"Ada\"\n    }\n  ],\n  \"updated_at\": \"2026-01-23T14:30:00.000Z\"\n}\n";
    let again = "{\n  \"next_steps\": [\n    {\n      \"step\": \"a\",\n      \"why\": 1.0,\n      \"status\": \"open\"\n    }\n  ],\n  \"updated_at\": \"2026-01-23T14:30:00.000Z\"\n}\n";
    check(
        open,
        |doc| doc.close_steps(&[0], &close(StepStatus::Dropped, None), now()).unwrap(),
        closed,
    );
    check(closed, |doc| doc.reopen_steps(&[0], now()).unwrap(), again);
}

#[test]
fn closing_many_steps_gives_the_same_as_closing_them_one_by_one() {
    for text in [
        "{\"next_steps\":[\"a\",{\"step\":\"b\"},{\"id\":\"x\",\"step\":\"c\"}],\"updated_at\":null}",
        "{\n\t\"next_steps\": [\n\t\t\"a\",\n\t\t{\n\t\t\t\"step\": \"b\"\n\t\t}, {\"step\": \"c\", \"n\": 1}\n\t],\n\t\"updated_at\": null\n}\n",
        "{\r\n  \"next_steps\": [\r\n    { \"step\": \"a\" }, \"b\",\r\n    {\r\n      \"step\": \"c\"\r\n    }\r\n  ],\r\n  \"updated_at\": null\r\n}\r\n",
    ] {
        let parse = |text: &str| {
            CheckpointDoc::parse(text.as_bytes().to_vec(), "T-1", CheckpointFileKind::Thread).0
        };
        let done = close(StepStatus::Done, Some("well"));
        let mut one_by_one = parse(text);
        for index in 0..3 {
            one_by_one.close_steps(&[index], &done, now()).unwrap();
        }
        let expected = String::from_utf8(one_by_one.into_bytes()).unwrap();
        check(text, |doc| doc.close_steps(&[2, 0, 1, 0], &done, now()).unwrap(), &expected);
        let mut one_by_one = parse(&expected);
        for index in 0..3 {
            one_by_one.reopen_steps(&[index], now()).unwrap();
        }
        let open = String::from_utf8(one_by_one.into_bytes()).unwrap();
        check(&expected, |doc| doc.reopen_steps(&[1, 2, 0], now()).unwrap(), &open);
    }
}

fn to(word: &str) -> WorkerMove {
    WorkerMove { to: WorkerState::parse(word), error: None, force: false }
}

#[test]
fn a_worker_gets_the_times_when_it_starts_and_ends() {
    let text = "{\"worker\":{\"id\":\"w\",\"state\":null},\"updated_at\":null}";
    let at = "\"2026-01-23T14:30:00.000Z\"";
    check(
        text,
        |doc| doc.move_worker(&to("loading"), now()).unwrap(),
        &format!(
            "{{\"worker\":{{\"id\":\"w\",\"state\":\"loading\",\"started_at\":{at}}},\"updated_at\":{at}}}"
        ),
    );
    check(
        "{\"worker\":{\"id\":\"w\",\"state\":\"executing\",\"started_at\":\"2026-01-01T00:00:00Z\"},\"updated_at\":null}",
        |doc| {
            let failed = WorkerMove { error: Some("no room".to_owned()), ..to("error") };
            doc.move_worker(&failed, now()).unwrap();
        },
        &format!(
            "{{\"worker\":{{\"id\":\"w\",\"state\":\"error\",\"started_at\":\"2026-01-01T00:00:00Z\",\"completed_at\":{at},\"error\":\"no room\"}},\"updated_at\":{at}}}"
        ),
    );
    check(
        "{\"worker\":{\"state\":\"error\",\"started_at\":\"2026-01-01T00:00:00Z\",\"completed_at\":\"2026-01-01T00:00:00Z\",\"error\":\"x\"},\"updated_at\":null}",
        |doc| doc.move_worker(&WorkerMove { force: true, ..to("loading") }, now()).unwrap(),
        &format!(
            "{{\"worker\":{{\"state\":\"loading\",\"started_at\":\"2026-01-01T00:00:00Z\"}},\"updated_at\":{at}}}"
        ),
    );
}

#[test]
fn a_move_that_is_refused_changes_nothing() {
    for (text, expected) in [
        ("{\"worker\":{\"state\":\"idle\"}}", "a worker cannot go from idle to completed"),
        ("{\"worker\":{\"state\":\"planning\"}}", "a worker cannot go from planning to completed"),
        ("{\"worker\":{}}", "the checkpoint has no worker"),
        ("{}", "the checkpoint has no worker"),
        (
            "{\"version\":2,\"worker\":{\"state\":\"verifying\"}}",
            "the checkpoint has version 2, which is newer than 1",
        ),
    ] {
        check(
            text,
            |doc| {
                let error: MoveError = doc.move_worker(&to("completed"), now()).unwrap_err();
                assert_eq!(error.to_string(), expected);
            },
            text,
        );
    }
}
