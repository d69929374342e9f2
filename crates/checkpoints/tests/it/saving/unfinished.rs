//! What a hook leaves because it has no time or is killed, and the process that finishes it.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use skein_checkpoints::{AutoCheckpoint, Finisher, SaveResult, has_unfinished, save_auto};
use skein_testkit::CutFs;
use skein_workspace::Workspace;

use super::auto::{abandon, claim, commit, of_commit};
use super::{names, value};
use skein_fixtures::{Fixture, git};

/// A repository with a store, and a file that is not committed.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("w/workspace/threads");
    fixture.file("w/src/new.rs", "1");
    fixture
}

/// The checkpoint of a hook that has no time to ask git.
fn hurried() -> AutoCheckpoint {
    AutoCheckpoint {
        trigger: "session-end".to_owned(),
        summary: "The session ended".to_owned(),
        session: Some("s1".to_owned()),
        with_changes: true,
        deadline: Some(Duration::ZERO),
        ..AutoCheckpoint::default()
    }
}

fn finish(workspace: &Workspace) -> Vec<SaveResult> {
    let finisher = Finisher::new(workspace).unwrap();
    finisher.finish_checkpoints().into_iter().map(Result::unwrap).collect()
}

fn only_checkpoint(fixture: &Fixture) -> Value {
    let names = names(fixture, "w");
    assert_eq!(names.len(), 1, "{names:?}");
    serde_json::from_str(&fixture.read(&format!("w/workspace/threads/{}", names[0]))).unwrap()
}

/// A workspace whose process is killed after a number of operations on files.
fn cut(fixture: &Fixture, fs: &CutFs) -> Workspace {
    let mut workspace = fixture.open("w");
    workspace.env.fs = Arc::new(fs.clone());
    workspace
}

#[test]
fn what_git_did_not_answer_in_time_is_added_later_and_only_once() {
    let fixture = fixture();
    let workspace = fixture.open("w");
    let written = save_auto(&workspace, &hurried()).unwrap().unwrap();
    assert_eq!(value(&written)["git"].get("dirty"), None);
    assert!(has_unfinished(&workspace));
    let finished = finish(&workspace);
    assert_eq!(finished.iter().map(|one| &one.id).collect::<Vec<_>>(), [&written.id]);
    let complete = only_checkpoint(&fixture);
    assert_eq!(complete["git"]["dirty"], true);
    assert_eq!(complete["files_touched"], json!(["src/new.rs"]));
    assert_eq!(complete["updated_at"], complete["created_at"]);
    assert!(!has_unfinished(&workspace));
    assert_eq!(finish(&workspace), []);
    assert_eq!(only_checkpoint(&fixture), complete);
}

#[test]
fn the_files_of_a_commit_that_git_did_not_list_in_time_are_added_later() {
    let fixture = fixture();
    let top = fixture.path("w");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "the cache"]);
    let workspace = fixture.open("w");
    let auto = AutoCheckpoint {
        summary: "the cache".to_owned(),
        are_files_unknown: true,
        deadline: Some(Duration::ZERO),
        ..of_commit(commit(&fixture, "w"))
    };
    save_auto(&workspace, &auto).unwrap().unwrap();
    finish(&workspace);
    let complete = only_checkpoint(&fixture);
    assert_eq!(
        (&complete["git"]["dirty"], &complete["files_touched"]),
        (&json!(false), &json!(["src/new.rs"]))
    );
}

#[test]
fn a_checkpoint_that_was_deleted_meanwhile_is_not_written_again() {
    let fixture = fixture();
    let workspace = fixture.open("w");
    let written = save_auto(&workspace, &hurried()).unwrap().unwrap();
    fs::remove_file(&written.file).unwrap();
    assert_eq!(finish(&workspace), []);
    assert!(!has_unfinished(&workspace) && names(&fixture, "w").is_empty());
}

#[test]
fn only_one_process_finishes_and_it_leaves_alone_what_a_hook_works_on() {
    let fixture = fixture();
    let workspace = fixture.open("w");
    save_auto(&workspace, &hurried()).unwrap();
    let first = Finisher::new(&workspace).unwrap();
    assert!(Finisher::new(&workspace).is_none());
    assert_eq!(first.finish_checkpoints().len(), 1);
    drop(first);
    assert!(Finisher::new(&workspace).is_some());
}

#[test]
fn a_hook_that_is_killed_at_any_step_loses_nothing() {
    let counting = CutFs::default();
    let whole = fixture();
    save_auto(&cut(&whole, &counting), &of_hook(&whole)).unwrap().unwrap();
    let operations = counting.operations();
    assert!(operations > 20, "{operations}");
    for number in 0..operations {
        let fixture = fixture();
        let auto = of_hook(&fixture);
        drop(save_auto(&cut(&fixture, &CutFs::cut_after(number)), &auto));
        if let Some(claim) = claim(&fixture).filter(|claim| fs::read(claim).unwrap().is_empty()) {
            // A hook that may still run is not overtaken.
            abandon(&claim);
        }
        // The next call sees the same commit, and starts the process that finishes what is left.
        let workspace = fixture.open("w");
        drop(save_auto(&workspace, &auto).unwrap());
        finish(&workspace);
        assert_eq!(only_checkpoint(&fixture)["git"]["dirty"], true, "cut after {number}");
        assert!(!has_unfinished(&workspace), "cut after {number}");
        assert_eq!(save_auto(&workspace, &auto).unwrap(), None, "cut after {number}");
    }
}

fn of_hook(fixture: &Fixture) -> AutoCheckpoint {
    AutoCheckpoint { deadline: Some(Duration::ZERO), ..of_commit(commit(fixture, "w")) }
}

#[test]
fn a_finishing_process_that_is_killed_at_any_step_is_followed_by_another() {
    let run = |fixture: &Fixture, fs: &CutFs| {
        let workspace = cut(fixture, fs);
        Finisher::new(&workspace).map(|finisher| finisher.finish_checkpoints())
    };
    for is_saved in [true, false] {
        let start = || {
            let fixture = fixture();
            let written = save_auto(&fixture.open("w"), &hurried()).unwrap().unwrap();
            if !is_saved {
                unsave(&fixture, &written);
            }
            fixture
        };
        let counting = CutFs::default();
        run(&start(), &counting);
        let operations = counting.operations();
        assert!(operations > 10, "{operations}");
        for number in 0..operations {
            let fixture = start();
            drop(run(&fixture, &CutFs::cut_after(number)));
            let names = names(&fixture, "w");
            assert!(names.len() <= 1, "cut after {number}: {names:?}");
            finish(&fixture.open("w"));
            assert_eq!(only_checkpoint(&fixture)["git"]["dirty"], true, "cut after {number}");
            assert!(!has_unfinished(&fixture.open("w")), "cut after {number}");
        }
    }
}

/// Makes it look as if the hook had been killed before it saved the checkpoint.
fn unsave(fixture: &Fixture, written: &SaveResult) {
    fs::remove_file(&written.file).unwrap();
    let state = fixture.open("w").worktree_dirs().state.join("unfinished");
    let record = state.read_dir().unwrap().next().unwrap().unwrap().path().join("checkpoint.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("\"is_saved\": true", "\"is_saved\": false")).unwrap();
}

#[test]
fn where_git_never_answers_the_checkpoint_gets_what_is_known_without_it() {
    for is_saved in [true, false] {
        let fixture = fixture();
        let workspace = fixture.open("w");
        let written = save_auto(&workspace, &hurried()).unwrap().unwrap();
        if !is_saved {
            unsave(&fixture, &written);
        }
        let state = workspace.worktree_dirs().state.join("unfinished");
        let record = state.read_dir().unwrap().next().unwrap().unwrap().path();
        let record = record.join("checkpoint.json");
        let text = fs::read_to_string(&record).unwrap();
        fs::write(&record, text.replace("\"attempts\": 0", "\"attempts\": 3")).unwrap();
        let finished = Finisher::new(&workspace).unwrap().finish_checkpoints();
        let error = finished[0].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("git does not answer"), "{error}");
        assert!(!has_unfinished(&workspace));
        let checkpoint = only_checkpoint(&fixture);
        assert_eq!(checkpoint["conversation_summary"], "The session ended");
        assert_eq!(checkpoint["git"].get("dirty"), None, "git was not asked");
    }
}
