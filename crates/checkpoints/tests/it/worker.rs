use skein_checkpoints::{MoveOptions, move_worker};

use skein_fixtures::Fixture;

fn moved(fixture: &Fixture, id: &str, state: &str, force: bool) -> String {
    let workspace = fixture.open("r");
    let options = MoveOptions { state: state.to_owned(), error: None, force };
    match move_worker(&workspace, id, &options) {
        Ok(moved) => format!("{} to {}", moved.from.unwrap_or_default(), moved.to),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn a_worker_follows_the_allowed_transitions_and_its_times_are_recorded() {
    let fixture = Fixture::new();
    fixture.checkpoint("r", "T-20260122-100000-w", "  \"updated_at\": \"2026-01-22T10:00:00Z\",\n  \"worker\": {\"id\": \"w\", \"state\": \"idle\"}");
    assert_eq!(
        moved(&fixture, "w", "completed", false),
        "error: a worker cannot go from idle to completed"
    );
    for (state, expected) in [
        ("loading", "idle to loading"),
        ("executing", "loading to executing"),
        ("verifying", "executing to verifying"),
        ("completed", "verifying to completed"),
    ] {
        assert_eq!(moved(&fixture, "w", state, false), expected);
    }
    let text = fixture.read("r/workspace/threads/T-20260122-100000-w.json");
    assert!(text.contains("\"worker\": {\"id\": \"w\", \"state\": \"completed\", \"started_at\": \"2026-01-23T14:30:00.000Z\", \"completed_at\": \"2026-01-23T14:30:00.000Z\"}"), "{text}");
}

#[test]
fn the_index_table_has_the_time_of_a_worker_transition() {
    let fixture = Fixture::new();
    let members =
        "  \"updated_at\": \"2026-01-22T10:00:00Z\",\n  \"worker\": {\"state\": \"idle\"}";
    fixture.checkpoint("r", "T-20260122-100000-w", members);
    fixture.file("r/workspace/threads/INDEX.md", "old\n");
    assert_eq!(moved(&fixture, "w", "loading", false), "idle to loading");
    let table = fixture.read("r/workspace/threads/INDEX.md");
    assert!(table.contains("| T-20260122-100000-w | "), "{table}");
    assert!(table.contains("2026-01-23T14:30:00"), "{table}");
}

#[test]
fn an_invalid_transition_is_reported_and_nothing_is_written() {
    let fixture = Fixture::new();
    fixture.checkpoint("r", "T-20260122-100000-none", "  \"worker\": null");
    fixture.checkpoint("r", "T-20260122-100000-odd", "  \"worker\": {\"state\": \"planning\"}");
    fixture.file("r/workspace/checkpoints/old.json", "{\"worker\": {\"state\": \"idle\"}}");
    let before = fixture.tree();
    assert_eq!(
        moved(&fixture, "none", "loading", true),
        "error: the checkpoint has no worker: T-20260122-100000-none"
    );
    assert_eq!(
        moved(&fixture, "odd", "executing", false),
        "error: a worker cannot go from planning to executing"
    );
    assert_eq!(moved(&fixture, "odd", "dancing", false), "error: a worker has no state `dancing`");
    assert_eq!(
        moved(&fixture, "old", "loading", false),
        "error: a legacy checkpoint is never written"
    );
    assert_eq!(fixture.tree(), before);
    assert_eq!(moved(&fixture, "odd", "executing", true), "planning to executing");
}
