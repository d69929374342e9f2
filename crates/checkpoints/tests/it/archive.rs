use skein_catalog::{WorktreeScope, list, show};
use skein_checkpoints::{StepChange, StepRequest, StepsQuery, change_steps, steps};
use skein_model::Filter;
use skein_summary::brief;

use skein_fixtures::Fixture;

#[test]
fn an_archived_checkpoint_is_found_by_its_id_and_not_listed() {
    let fixture = Fixture::new();
    let dir = "r/workspace/threads/archive/2025-11";
    fixture.dir("r/workspace/threads");
    fixture.file(
        &format!("{dir}/T-20251101-100000-away.json"),
        "{\"thread_id\": \"T-20251101-100000-away\", \"next_steps\": [\"x\"], \"metadata\": {\"title\": \"Away\"}}",
    );
    fixture.file(&format!("{dir}/T-20251101-100000-away.changeset.json"), "{}");
    let workspace = fixture.open("r");
    for id in ["T-20251101-100000-away", "away", "T-2025", "aw"] {
        let brief = brief(&workspace, Some(id)).unwrap();
        assert!(brief.archived && brief.title == "Away", "{id}");
        assert_eq!(show(&workspace, id).unwrap().row.title, "Away");
    }
    assert!(brief(&workspace, Some("T-20251101-100000-away.changeset")).is_err());
    assert!(list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads.is_empty());
    assert!(steps(&workspace, &StepsQuery::default()).unwrap().steps.is_empty());
    fixture
        .file("r/workspace/threads/handoff.json", "{\"last_thread\": \"T-20251101-100000-away\"}");
    let followed = brief(&workspace, None).unwrap();
    assert_eq!((followed.chosen, followed.notes.len()), ("handoff", 0));
    let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
    change_steps(&workspace, &["away#1".to_owned()], &wanted).unwrap();
    assert!(fixture.read(&format!("{dir}/T-20251101-100000-away.json")).contains("\"done\""));
}
