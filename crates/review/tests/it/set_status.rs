//! Many threads that are resolved or reopened in one command.

use std::sync::Arc;

use skein_catalog::ThreadRef;
use skein_format::review::Status;
use skein_model::view::WriteAction;
use skein_review::settle;
use skein_testkit::CutFs;
use skein_workspace::{Actor, Workspace};

use skein_fixtures::{Fixture, Review};

fn store(count: usize) -> (Fixture, Vec<String>) {
    let fixture = Fixture::new();
    let ids: Vec<String> = (0..count).map(|n| format!("thread-{n}")).collect();
    for id in &ids {
        fixture.review("r", id, &Review::default());
    }
    (fixture, ids)
}

fn threads(workspace: &Workspace, ids: &[String]) -> Vec<ThreadRef> {
    let path = |id: &String| workspace.reviews.threads().join(format!("{id}.md"));
    let thread = |id| ThreadRef { reviews: workspace.reviews.clone(), path: path(id) };
    ids.iter().map(thread).collect()
}

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

#[test]
fn the_index_has_every_thread_that_was_resolved() {
    let (fixture, ids) = store(3);
    let workspace = fixture.open("r");
    let settled = settle(&workspace, &mira(), &threads(&workspace, &ids), None, Status::Resolved);
    assert!(settled.error.is_none(), "{:?}", settled.error);
    let index = fixture.read("r/.code-review/index.json");
    assert_eq!(index.matches("\"resolved\"").count(), 3, "{index}");
    let settled = settle(&workspace, &mira(), &threads(&workspace, &ids[1..]), None, Status::Open);
    assert!(settled.written.iter().all(|one| one.action == WriteAction::Reopened));
    let index = fixture.read("r/.code-review/index.json");
    assert_eq!(index.matches("\"resolved\"").count(), 1, "{index}");
}

#[test]
fn threads_before_one_that_cannot_be_written_are_in_the_index() {
    let (fixture, mut ids) = store(2);
    let workspace = fixture.open("r");
    ids.insert(1, "missing".to_owned());
    let settled = settle(&workspace, &mira(), &threads(&workspace, &ids), None, Status::Resolved);
    assert_eq!(settled.written.len(), 1);
    assert!(settled.error.is_some());
    let index = fixture.read("r/.code-review/index.json");
    assert_eq!(index.matches("\"resolved\"").count(), 1, "{index}");
}

#[test]
fn the_index_is_written_once_for_many_threads() {
    let operations = |count: usize| {
        let (fixture, ids) = store(count);
        let mut workspace = fixture.open("r");
        let fs = CutFs::default();
        workspace.env.fs = Arc::new(fs.clone());
        let settled =
            settle(&workspace, &mira(), &threads(&workspace, &ids), None, Status::Resolved);
        assert!(settled.error.is_none(), "{:?}", settled.error);
        fs.operations()
    };
    let [none, one, two] = [0, 1, 2].map(operations);
    assert_eq!(none, 0);
    // The second thread adds its own operations, but no write of the index.
    assert!(two - one < one, "{one} {two}");
    assert!(operations(6) - two < 4 * one);
}
