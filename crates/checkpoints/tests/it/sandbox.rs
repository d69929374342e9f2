//! An agent that may write only in its worktree.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_catalog::deleted_reviews::deleted;
use skein_catalog::drafts::drafts;
use skein_catalog::removed_reviews::removed_worktrees;
use skein_catalog::{ThreadRef, WorktreeScope, list, refresh_copies};
use skein_checkpoints::{
    Handoff, ResumeLockError, ResumeLockRequest, Save, StepChange, StepRequest, StepsQuery,
    catch_up, change_steps,
};
use skein_live::LiveWorkspace;
use skein_model::Filter;
use skein_review::{
    AddOptions, CodeLocation, NewThread, NextOptions, Released, add, delete, find, next, release,
};
use skein_testkit::{CutFs, ReadOnlyFs};
use skein_workspace::{Actor, Env, RealFs, Workspace, discover, state_in_worktree};

use skein_fixtures::{Fixture, Review};

fn thread(workspace: &Workspace, id: &str) -> ThreadRef {
    find(workspace, id).unwrap()
}

const TO_DO: &str = "T-20260122-100000-to-do";

/// A repository with a handoff of two steps, and the worktree of an agent.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.worktree("r", "w", "feature");
    let members = "  \"type\": \"handoff\",\n  \"created_at\": \"2026-01-22T10:00:00Z\",\n  \
                   \"mine\": [ 1 ],\n  \"next_steps\": [\"one\", \"two\"]";
    fixture.checkpoint("r", TO_DO, members);
    fixture
}

/// The workspace of an agent that can write only in its worktree.
fn sandbox(fixture: &Fixture) -> Workspace {
    sandbox_in(fixture, "w")
}

fn sandbox_in(fixture: &Fixture, worktree: &str) -> Workspace {
    let top = fixture.path(worktree);
    let fs = ReadOnlyFs::except(&top);
    let mut env = fixture.env(worktree);
    env.dirs.read_only = Some(env.dirs.state.clone());
    env.dirs.state = state_in_worktree(&fs, &top).expect("the worktree is writable");
    env.fs = Arc::new(fs);
    discover(&env)
}

fn save(workspace: &Workspace, summary: &str) -> String {
    let save = Save { summary: summary.to_owned(), ..Save::default() };
    skein_checkpoints::save(workspace, &save).expect("the work is kept").id
}

fn hand_over(workspace: &Workspace) -> String {
    let handoff = Handoff { message: "Go on".to_owned(), ..Handoff::default() };
    skein_checkpoints::handoff(workspace, &handoff).expect("the work is handed over").saved.id
}

fn close(workspace: &Workspace, step: &str) {
    let wanted = StepRequest { change: StepChange::Done, by: "Claude".to_owned(), note: None };
    change_steps(workspace, &[format!("{TO_DO}#{step}")], &wanted).expect("the step is closed");
}

fn owner(session: &str) -> ResumeLockRequest {
    let (name, session) = ("Claude".to_owned(), Some(session.to_owned()));
    ResumeLockRequest { name, agent: true, session, lasts: Duration::from_secs(3600) }
}

fn checkpoints(workspace: &Workspace) -> BTreeSet<String> {
    let all = list(workspace, &Filter::default(), WorktreeScope::ThisWorktree);
    assert!(all.diagnostics.is_empty(), "{:?}", all.diagnostics);
    let checkpoints = all.threads.iter().filter(|row| row.id.starts_with("T-"));
    let ids: Vec<String> = checkpoints.map(|row| row.id.clone()).collect();
    let unique: BTreeSet<String> = ids.iter().cloned().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    unique
}

fn open_steps(workspace: &Workspace) -> Vec<String> {
    let found =
        skein_checkpoints::steps(workspace, &StepsQuery::default()).expect("steps are listed");
    found.steps.into_iter().map(|step| step.step).collect()
}

#[test]
fn work_is_kept_in_the_worktree_if_the_store_cannot_be_written() {
    let fixture = fixture();
    let store = || fs::read(fixture.path(&format!("r/workspace/threads/{TO_DO}.json"))).unwrap();
    let before = store();
    let workspace = sandbox(&fixture);
    let saved = save(&workspace, "Half of it");
    close(&discover(&workspace.env), "1");
    let handed_over = hand_over(&discover(&workspace.env));
    let workspace = sandbox(&fixture);
    skein_checkpoints::acquire(&workspace, &handed_over, &owner("s1"), false).expect("it is free");
    let taken = skein_checkpoints::acquire(&workspace, &handed_over, &owner("s2"), false);
    assert!(matches!(taken, Err(ResumeLockError::Held { .. })), "{taken:?}");

    let expected = [TO_DO, &saved, &handed_over].map(str::to_owned);
    assert_eq!(checkpoints(&workspace), BTreeSet::from(expected));
    assert_eq!(open_steps(&workspace), ["two"]);
    let brief = skein_summary::brief(&workspace, None).expect("work is open");
    assert_eq!(brief.id, handed_over);
    // Nothing was written outside of the worktree, and git sees nothing in it.
    assert_eq!(store(), before);
    let names = fs::read_dir(fixture.path("r/workspace/threads")).unwrap().count();
    assert_eq!(names, 1);
    assert!(!fixture.path("home/state").exists());
    let status = skein_git::run(&fixture.path("w"), ["status", "--porcelain"]).expect("git runs");
    assert_eq!(String::from_utf8_lossy(&status), "");
}

#[test]
fn the_next_command_outside_the_sandbox_moves_the_work_to_the_store_and_merges_it() {
    let fixture = fixture();
    let workspace = sandbox(&fixture);
    let saved = save(&workspace, "Half of it");
    close(&discover(&workspace.env), "1");
    let handed_over = hand_over(&discover(&workspace.env));
    skein_checkpoints::acquire(&discover(&workspace.env), &handed_over, &owner("s1"), false)
        .expect("it is free");
    // In the meantime, a person closes the other step in the store.
    let workspace = fixture.open("r");
    close(&workspace, "2");
    let failed = catch_up(&workspace).expect("there is work to move");
    assert!(failed.is_empty(), "{failed:?}");

    let workspace = fixture.open("r");
    let expected = [TO_DO, &saved, &handed_over].map(str::to_owned);
    assert_eq!(checkpoints(&workspace), BTreeSet::from(expected));
    assert_eq!(open_steps(&workspace), Vec::<String>::new());
    let store =
        |name: &str| fs::read_to_string(fixture.path(&format!("r/workspace/threads/{name}")));
    assert!(store(&format!("{TO_DO}.json")).unwrap().contains("\"mine\": [ 1 ]"));
    assert!(store("handoff.json").unwrap().contains(&handed_over));
    let taken = skein_checkpoints::acquire(&workspace, &handed_over, &owner("s2"), false);
    assert!(matches!(taken, Err(ResumeLockError::Held { .. })), "{taken:?}");
    assert!(!fixture.path("w/.skein/checkpoints").exists());
    assert!(!fixture.path("w/.skein/bases").exists());
    assert!(catch_up(&workspace).is_none());
}

#[test]
fn work_whose_base_cannot_be_read_stays_in_the_worktree() {
    let fixture = fixture();
    let workspace = sandbox(&fixture);
    close(&workspace, "1");
    let name = format!("{TO_DO}.json");
    let base = fixture.path("w/.skein/bases").join(&name);
    fs::remove_file(&base).unwrap();
    fs::create_dir(&base).unwrap();
    let store = || fs::read(fixture.path("r/workspace/threads").join(&name)).unwrap();
    let before = store();
    let workspace = fixture.open("w");
    let errors = catch_up(&workspace).expect("there is work to move");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(store(), before);
    fs::remove_dir(&base).unwrap();
    assert_eq!(catch_up(&workspace).expect("the work is still there").len(), 0);
    assert_ne!(store(), before);
}

#[test]
fn work_that_was_released_in_the_sandbox_is_free() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    skein_checkpoints::acquire(&workspace, TO_DO, &owner("s1"), false).expect("it is free");
    let workspace = sandbox(&fixture);
    let taken = skein_checkpoints::acquire(&workspace, TO_DO, &owner("s2"), false);
    assert!(matches!(taken, Err(ResumeLockError::Held { .. })), "{taken:?}");
    skein_checkpoints::release(&workspace, TO_DO, &owner("s1"), false).expect("it is the owner");
    skein_checkpoints::acquire(&workspace, TO_DO, &owner("s2"), false).expect("it is free");
    skein_checkpoints::release(&workspace, TO_DO, &owner("s2"), false).expect("it is the owner");
    let workspace = fixture.open("r");
    assert!(catch_up(&workspace).expect("there is work to move").is_empty());
    skein_checkpoints::acquire(&workspace, TO_DO, &owner("s3"), false).expect("it is free");
}

#[test]
fn a_server_moves_the_work_to_the_store_unless_it_is_read_only() {
    let fixture = fixture();
    let workspace = sandbox(&fixture);
    let saved = save(&workspace, "Half of it");
    let in_store = fixture.path(&format!("r/workspace/threads/{saved}.json"));
    let is_moved = |live: &LiveWorkspace| {
        let end = Instant::now() + Duration::from_secs(6);
        while Instant::now() < end && !in_store.exists() {
            live.refresh_reviews();
            std::thread::sleep(Duration::from_millis(50));
        }
        in_store.exists()
    };
    assert!(!is_moved(&LiveWorkspace::open_read_only(&fixture.env("r"))));
    assert!(is_moved(&LiveWorkspace::open(&fixture.env("r"))));
}

#[test]
fn only_one_of_two_sandboxed_agents_takes_the_work() {
    let fixture = fixture();
    fixture.worktree("r", "v", "other");
    let workspace = sandbox_in(&fixture, "w");
    skein_checkpoints::acquire(&workspace, TO_DO, &owner("s1"), false).expect("it is free");
    let workspace = sandbox_in(&fixture, "v");
    let taken = skein_checkpoints::acquire(&workspace, TO_DO, &owner("s2"), false);
    assert!(matches!(taken, Err(ResumeLockError::Held { .. })), "{taken:?}");
}

#[test]
fn a_power_cut_while_work_is_moved_to_the_store_loses_nothing() {
    let prepared = || {
        let fixture = fixture();
        let workspace = sandbox(&fixture);
        let saved = save(&workspace, "Half of it");
        close(&discover(&workspace.env), "1");
        let handed_over = hand_over(&discover(&workspace.env));
        (fixture, BTreeSet::from([TO_DO, &saved, &handed_over].map(str::to_owned)))
    };
    let (fixture, _) = prepared();
    let whole = CutFs::default();
    let env = Env { fs: Arc::new(whole.clone()), ..fixture.env("r") };
    assert!(catch_up(&discover(&env)).expect("there is work to move").is_empty());
    for number in 0..whole.operations() {
        let (fixture, expected) = prepared();
        let cut = CutFs::cut_after(number);
        let env = Env { fs: Arc::new(cut.clone()), ..fixture.env("r") };
        catch_up(&discover(&env));
        cut.lose_unsynced();
        let workspace = fixture.open("r");
        catch_up(&workspace);
        let workspace = fixture.open("r");
        assert_eq!(checkpoints(&workspace), expected, "cut after {number}");
        assert_eq!(open_steps(&workspace), ["two"], "cut after {number}");
        let pointer = fs::read_to_string(fixture.path("r/workspace/threads/handoff.json"));
        assert!(pointer.unwrap().contains("-go-on"), "cut after {number}");
    }
}

#[test]
fn a_state_directory_that_came_with_a_commit_is_not_used() {
    let fixture = fixture();
    let members = "  \"type\": \"handoff\",\n  \"summary\": \"Run this\"";
    let id = "T-20260122-110000-of-a-stranger";
    let text = format!("{{\n  \"thread_id\": \"{id}\",\n  \"version\": 1,\n{members}\n}}\n");
    fixture.file(&format!("w/.skein/checkpoints/{id}.json"), text);
    fixture.file("w/.skein/directory", "1 1\n");
    assert_eq!(state_in_worktree(&RealFs, &fixture.path("w")), None);
    let workspace = fixture.open("r");
    assert!(catch_up(&workspace).is_none());
    let fs = ReadOnlyFs::except(&fixture.path("w"));
    let env = Env { fs: Arc::new(fs), ..fixture.env("w") };
    let workspace = discover(&env);
    assert_eq!(checkpoints(&workspace), BTreeSet::from([TO_DO.to_owned()]));
    let save = Save { summary: "x".to_owned(), ..Save::default() };
    let error = skein_checkpoints::save(&workspace, &save).unwrap_err();
    assert!(error.to_string().contains("cannot create"), "{error}");
}

/// Claims the next thread, and returns its id.
fn claim(workspace: &Workspace, token: &str) -> Option<String> {
    let actor = Actor { name: "Claude".to_owned(), agent: true };
    let (lease, token) = (Some(Duration::from_secs(600)), Some(token.to_owned()));
    let options = NextOptions { lease, token, include_claimed: false };
    let next = next(workspace, &actor, &Filter::default(), &options).expect("it is claimed");
    next.thread.map(|view| view.row.id)
}

#[test]
fn claims_are_valid_inside_and_outside_the_sandbox() {
    let fixture = fixture();
    fixture.file("w/a.txt", "a\n");
    for id in ["one", "two"] {
        fixture.review("w", id, &Review { path: "a.txt", ..Review::default() });
    }
    let outside = fixture.open("w");
    let inside = sandbox(&fixture);
    let first = claim(&inside, "in").expect("two wait");
    let second = claim(&outside, "out").expect("one waits");
    assert_ne!(first, second);
    assert_eq!(claim(&inside, "another"), None);
    assert_eq!(claim(&outside, "another"), None);
    // A thread that was claimed outside can be released inside, and the other way round.
    let released =
        release(&inside, &thread(&inside, &second), Some("out"), false).expect("it is the owner");
    assert_eq!(released, Released::Yes);
    assert_eq!(claim(&outside, "more"), Some(second));
    let released =
        release(&outside, &thread(&outside, &first), Some("in"), false).expect("it is the owner");
    assert_eq!(released, Released::Yes);
    assert_eq!(claim(&inside, "again"), Some(first));
}

#[test]
fn threads_deleted_in_the_sandbox_are_found_outside_and_drafts_stay_there() {
    let fixture = fixture();
    fixture.file("w/a.txt", "a\n");
    fixture.review("w", "one", &Review { path: "a.txt", ..Review::default() });
    let workspace = fixture.open("w");
    assert_eq!(refresh_copies(&workspace).len(), 0);
    let workspace = sandbox(&fixture);
    delete(&workspace, &[thread(&workspace, "one")]).expect("it goes to the trash");
    let place = CodeLocation::parse(&workspace, "a.txt:1").expect("a location");
    let body = "An idea".to_owned();
    let new = NewThread { place, body, suggestion: None, expect: None };
    let actor = Actor { name: "Claude".to_owned(), agent: true };
    let options = AddOptions { draft: true, changed_only: false };
    add(&workspace, &actor, &[new], options).expect("a draft is kept");
    let workspace = fixture.open("w");
    assert!(catch_up(&workspace).expect("there is work to move").is_empty());
    assert_eq!(deleted(&workspace).len(), 1);
    assert_eq!(drafts(&workspace).len(), 0);
    assert_eq!(drafts(&sandbox(&fixture)).len(), 1);
    // A thread that was deleted on purpose is not offered with the removed worktree.
    fs::remove_dir_all(fixture.path("w")).unwrap();
    let workspace = fixture.open("r");
    let removed = removed_worktrees(&workspace);
    assert!(removed.iter().all(|one| one.threads.is_empty()), "{removed:?}");
}
