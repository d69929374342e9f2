//! Checkpoints of a linked worktree can be restored after it is removed, even if the store is inside the worktree
//! because it is shared.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_catalog::{OtherWorktree, WorktreeScope, list, other_worktrees, refresh_copies};
use skein_checkpoints::{
    CleanupOptions, Handoff, Restoration, RestoreSelection, Save, cleanup, dismiss, handoff,
    restorable, restore, save,
};
use skein_install::setup::share;
use skein_live::LiveWorkspace;
use skein_model::Filter;
use skein_testkit::CutFs;

use skein_fixtures::{Fixture, Review, git};

const M1: &str = "T-20260122-100000-m1";
const W1: &str = "T-20260122-110000-w1";
const AUTO: &str = "T-20260122-120000-auto-wt-commit";

/// A repository that shares its checkpoints, with a linked worktree.
fn shared() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("main");
    checkpoint(&fixture, "main", M1, "2026-01-22T10:00:00Z", "\"one\", \"two\"");
    let workspace = fixture.open("main");
    share(&workspace).unwrap();
    fixture.commit("main", "share");
    fixture.worktree("main", "feat", "feat");
    fixture
}

fn checkpoint(fixture: &Fixture, dir: &str, id: &str, updated: &str, steps: &str) {
    let members = format!(
        "  \"type\": \"checkpoint\",\n  \"updated_at\": \"{updated}\",\n  \"next_steps\": [{steps}]"
    );
    fixture.checkpoint(dir, id, &members);
}

fn auto(fixture: &Fixture) {
    fixture.checkpoint("feat", AUTO, "  \"type\": \"auto-checkpoint\"");
}

fn refresh(fixture: &Fixture, dir: &str) {
    let workspace = fixture.open(dir);
    let errors = refresh_copies(&workspace);
    assert!(errors.is_empty(), "{errors:?}");
}

fn remove_with_git(fixture: &Fixture) {
    let path = fixture.path("feat").display().to_string();
    git(&fixture.path("main"), &["worktree", "remove", "--force", &path]);
}

fn offered(fixture: &Fixture, dir: &str) -> Vec<String> {
    let workspace = fixture.open(dir);
    let mut ids: Vec<String> = restorable(&workspace).into_iter().map(|one| one.id).collect();
    ids.sort();
    ids
}

fn restored(fixture: &Fixture, meant: RestoreSelection<'_>) -> Restoration {
    let workspace = fixture.open("main");
    let mut done = Restoration::default();
    restore(&workspace, meant, &mut done).unwrap();
    assert!(done.diagnostics.is_empty(), "{done:?}");
    done
}

fn reported(fixture: &Fixture) -> Vec<String> {
    let workspace = fixture.open("main");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let found = report.diagnostics.into_iter().filter(|found| found.code == "worktree-removed");
    found.map(|found| found.message).collect()
}

fn in_main(id: &str) -> String {
    format!("main/workspace/threads/{id}.json")
}

#[test]
fn checkpoints_of_a_removed_worktree_are_listed_and_restored_byte_for_byte() {
    for remove in [remove_with_git, |it: &Fixture| fs::remove_dir_all(it.path("feat")).unwrap()] {
        let fixture = shared();
        checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
        auto(&fixture);
        refresh(&fixture, "feat");
        assert_eq!(offered(&fixture, "main"), [""; 0]);
        let before = fixture.read(&format!("feat/workspace/threads/{W1}.json"));
        remove(&fixture);
        assert_eq!(offered(&fixture, "main"), [W1, AUTO]);
        let expected_message = "1 checkpoint of the removed worktree on feat can be restored: `skein checkpoint restore --worktree feat`";
        assert_eq!(reported(&fixture), [expected_message]);
        let done = restored(&fixture, RestoreSelection::Ids(&["w1".to_owned()]));
        assert_eq!(done.checkpoints[0].action.as_str(), "restored");
        assert_eq!(fixture.read(&in_main(W1)), before);
        // An auto-checkpoint describes what is in the commits, so it causes no warning.
        assert_eq!(
            (offered(&fixture, "main"), reported(&fixture)),
            (vec![AUTO.to_owned()], vec![])
        );
        restored(&fixture, RestoreSelection::Worktree("feat"));
        assert_eq!(offered(&fixture, "main"), [""; 0]);
        let workspace = fixture.open("main");
        let again =
            restore(&workspace, RestoreSelection::Worktree("feat"), &mut Restoration::default());
        let expected_message = "no worktree with checkpoints was removed under this name: feat";
        assert_eq!(again.unwrap_err().to_string(), expected_message);
    }
}

#[test]
fn threads_and_checkpoints_are_reported_together() {
    let fixture = shared();
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    fixture.review("feat", "t1", &Review::default());
    refresh(&fixture, "main");
    remove_with_git(&fixture);
    let expected_message = "1 checkpoint and 1 thread of the removed worktree on feat can be restored: \
                `skein checkpoint restore --worktree feat` and `skein review restore --worktree feat`";
    assert_eq!(reported(&fixture), [expected_message]);
}

#[test]
fn a_checkpoint_that_a_branch_has_is_not_missing() {
    let fixture = shared();
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    refresh(&fixture, "feat");
    fixture.commit("feat", "w1");
    refresh(&fixture, "feat");
    // A committed file disappears from the worktree when another branch is checked out.
    git(&fixture.path("feat"), &["switch", "-q", "-c", "other", "main"]);
    refresh(&fixture, "feat");
    assert_eq!(offered(&fixture, "feat"), [""; 0]);
    remove_with_git(&fixture);
    assert_eq!((offered(&fixture, "main"), reported(&fixture)), (vec![], vec![]));
    git(&fixture.path("main"), &["branch", "-D", "feat"]);
    assert_eq!(offered(&fixture, "main"), [W1]);
}

#[test]
fn a_checkpoint_that_the_main_checkout_has_is_neither_copied_nor_missing() {
    let fixture = shared();
    refresh(&fixture, "feat");
    assert!(!fixture.path("main/.git/skein/worktrees").exists());
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    refresh(&fixture, "feat");
    fixture.commit("feat", "w1");
    git(&fixture.path("main"), &["merge", "-q", "feat"]);
    remove_with_git(&fixture);
    git(&fixture.path("main"), &["branch", "-D", "feat"]);
    assert_eq!(offered(&fixture, "main"), [""; 0]);
    // A later version in the main checkout lacks nothing.
    checkpoint(&fixture, "main", W1, "2026-01-22T15:00:00Z", "\"b\", \"c\"");
    assert_eq!(offered(&fixture, "main"), [""; 0]);
}

/// Returns the number of operations of a refresh in the linked worktree.
fn operations(fixture: &Fixture) -> usize {
    let mut workspace = fixture.open("feat");
    let counting = CutFs::default();
    workspace.env.fs = Arc::new(counting.clone());
    assert!(refresh_copies(&workspace).is_empty());
    counting.operations()
}

#[test]
fn a_checkpoint_compared_with_the_main_checkout_is_read_again_only_after_a_change() {
    let in_feat = format!("feat/workspace/threads/{M1}.json");
    for (path, is_removed) in [(in_feat.clone(), false), (in_main(M1), false), (in_main(M1), true)]
    {
        let fixture = shared();
        assert!(operations(&fixture) > 0);
        // A file that was written within two seconds is compared each time.
        let until = Instant::now() + Duration::from_secs(30);
        while operations(&fixture) > 0 {
            assert!(Instant::now() < until);
            std::thread::sleep(Duration::from_millis(100));
        }
        let copies = fixture.path("main/.git/skein/worktrees");
        assert!(!copies.exists());
        if is_removed {
            fs::remove_file(fixture.path(&path)).unwrap();
        } else {
            // The same length, so that only the content differs.
            fixture.file(&path, fixture.read(&path).replace("two", "owt"));
        }
        let expected = fixture.read(&in_feat);
        assert!(operations(&fixture) > 0);
        let copied = copies.read_dir().unwrap().next().unwrap().unwrap().path();
        let copied = copied.join(format!("checkpoints/{M1}.json"));
        assert_eq!(fs::read_to_string(copied).unwrap(), expected);
    }
}

#[test]
fn a_store_in_the_main_checkout_is_copied_once_for_all_worktrees() {
    let fixture = Fixture::new();
    fixture.repository("main");
    checkpoint(&fixture, "main", M1, "2026-01-22T10:00:00Z", "");
    fixture.worktree("main", "feat", "feat");
    refresh(&fixture, "main");
    refresh(&fixture, "feat");
    let worktrees = fixture.path("main/.git/skein/worktrees").read_dir().unwrap();
    let copies = worktrees.map(|entry| entry.unwrap().path());
    let copies: Vec<PathBuf> = copies
        .map(|dir| dir.join(format!("checkpoints/{M1}.json")))
        .filter(|copy| copy.exists())
        .collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), fixture.read(&in_main(M1)));
}

#[test]
fn an_existing_checkpoint_is_merged_with_the_copy() {
    let fixture = shared();
    checkpoint(&fixture, "feat", M1, "2026-01-22T11:00:00Z", "\"one\", \"two\", \"three\"");
    refresh(&fixture, "feat");
    // In the main checkout, a step was removed.
    checkpoint(&fixture, "main", M1, "2026-01-22T12:00:00Z", "\"two\"");
    remove_with_git(&fixture);
    assert_eq!(offered(&fixture, "main"), [M1]);
    let done = restored(&fixture, RestoreSelection::Worktree("feat"));
    assert_eq!(done.checkpoints[0].action.as_str(), "merged");
    let text = fixture.read(&in_main(M1));
    assert!(text.contains("[\"two\",\"three\"]") && text.contains("12:00:00Z"), "{text}");
    assert_eq!(offered(&fixture, "main"), [""; 0]);
}

#[test]
fn a_checkpoint_that_cannot_be_merged_does_not_prevent_the_others() {
    let fixture = shared();
    for id in [M1, W1] {
        checkpoint(&fixture, "feat", id, "2026-01-22T11:00:00Z", "\"b\"");
    }
    refresh(&fixture, "feat");
    fixture.file(&in_main(M1), "{ broken");
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let mut done = Restoration::default();
    let error = restore(&workspace, RestoreSelection::Worktree("feat"), &mut done).unwrap_err();
    assert!(error.to_string().starts_with("the checkpoint cannot be merged"), "{error}");
    assert_eq!(done.checkpoints.len(), 1);
    assert_eq!(fixture.read(&in_main(M1)), "{ broken");
    assert_eq!(offered(&fixture, "main"), [M1]);
}

#[test]
fn a_note_asks_for_a_commit_before_a_merge_of_the_branch() {
    let fixture = shared();
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    fixture.commit("feat", "w1");
    checkpoint(&fixture, "feat", W1, "2026-01-22T12:00:00Z", "\"b\", \"c\"");
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let done = restored(&fixture, RestoreSelection::Worktree("feat"));
    let expected_message = format!(
        "The branch feat has earlier versions of {W1}: before you merge it, commit these with `git add workspace/threads && git commit`"
    );
    assert_eq!(done.notes, [expected_message]);
}

#[test]
fn a_handoff_is_restored_with_its_pointer_and_its_changeset() {
    let fixture = shared();
    let workspace = fixture.open("feat");
    let message = "Go on".to_owned();
    let handed = handoff(&workspace, &Handoff { message, ..Handoff::default() }).unwrap();
    let id = handed.saved.id;
    fixture.file(&format!("feat/workspace/threads/{id}.changeset.json"), "{}");
    refresh(&fixture, "feat");
    let pointer = fixture.read("feat/workspace/threads/handoff.json");
    remove_with_git(&fixture);
    let done = restored(&fixture, RestoreSelection::Worktree("feat"));
    assert_eq!(done.checkpoints.len(), 1);
    assert_eq!(fixture.read("main/workspace/threads/handoff.json"), pointer);
    assert_eq!(fixture.read(&format!("main/workspace/threads/{id}.changeset.json")), "{}");
}

#[test]
fn an_archived_checkpoint_is_restored_to_the_archive() {
    let fixture = shared();
    let old = "T-20251122-110000-old";
    checkpoint(&fixture, "feat", old, "2025-11-22T11:00:00Z", "");
    refresh(&fixture, "feat");
    let workspace = fixture.open("feat");
    let options = CleanupOptions { archive_days: Some(30), apply: true, expect: None };
    assert_eq!(cleanup(&workspace, &options).unwrap().goes.len(), 1);
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let done = restored(&fixture, RestoreSelection::Ids(&[old.to_owned()]));
    let file = format!("workspace/threads/archive/2025-11/{old}.json");
    assert!(done.checkpoints[0].file.ends_with(&file), "{done:?}");
    assert_eq!(offered(&fixture, "main"), [""; 0]);
}

#[test]
fn a_checkpoint_in_the_trash_is_not_offered() {
    let fixture = shared();
    let old = "T-20251122-110000-auto-x";
    let members = "  \"type\": \"auto-checkpoint\",\n  \"updated_at\": \"2025-11-22T11:00:00Z\"";
    fixture.checkpoint("feat", old, members);
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    refresh(&fixture, "feat");
    let workspace = fixture.open("feat");
    let options = CleanupOptions { archive_days: None, apply: true, expect: None };
    assert_eq!(cleanup(&workspace, &options).unwrap().goes.len(), 1);
    remove_with_git(&fixture);
    assert_eq!(offered(&fixture, "main"), [W1]);
    let workspace = fixture.open("main");
    let mut done = Restoration::default();
    dismiss(&workspace, RestoreSelection::Worktree("feat"), &mut done).unwrap();
    assert_eq!(done.checkpoints[0].action.as_str(), "dismissed");
    assert!(fs::read_to_string(&done.checkpoints[0].file).unwrap().contains(W1));
    assert_eq!((offered(&fixture, "main"), reported(&fixture)), (vec![], vec![]));
}

#[test]
fn a_checkpoint_that_git_clean_removed_can_be_restored() {
    let fixture = shared();
    let workspace = fixture.open("feat");
    let new = Save { summary: "Mine".to_owned(), ..Save::default() };
    let id = save(&workspace, &new).unwrap().id;
    refresh(&fixture, "feat");
    git(&fixture.path("feat"), &["clean", "-fdxq"]);
    assert_eq!((offered(&fixture, "feat"), reported(&fixture)), (vec![id], vec![]));
}

#[test]
fn a_server_copies_what_is_saved_while_it_runs() {
    let fixture = shared();
    let live = LiveWorkspace::open(&fixture.env("feat"));
    // From here on, a checkpoint that the watcher missed is found too.
    drop(live.timeline());
    let mut number = live.last_event_number();
    checkpoint(&fixture, "feat", W1, "2026-01-22T11:00:00Z", "\"b\"");
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut is_seen = false;
    while !is_seen && Instant::now() < deadline {
        for event in live.events_after(number, Duration::from_millis(500)) {
            number = event.number;
            is_seen |= event.checkpoints.iter().any(|id| id == W1);
        }
    }
    assert!(is_seen);
    drop(live);
    remove_with_git(&fixture);
    assert_eq!(offered(&fixture, "main"), [W1]);
}

#[test]
fn a_server_copies_checkpoints_that_no_page_has_requested() {
    let fixture = shared();
    let live = LiveWorkspace::open(&fixture.env("feat"));
    let copies = fixture.path("main/.git/skein");
    let is_copied = || {
        let mut dirs = vec![copies.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.ends_with(format!("{W1}.json")) {
                    return true;
                }
                dirs.extend(path.is_dir().then_some(path));
            }
        }
        false
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    // A write before the watch has started is not reported.
    for second in (10..60).cycle().take_while(|_| !is_copied() && Instant::now() < deadline) {
        checkpoint(&fixture, "feat", W1, &format!("2026-01-22T11:00:{second}Z"), "\"b\"");
        std::thread::sleep(Duration::from_millis(300));
    }
    drop(live);
    remove_with_git(&fixture);
    assert_eq!(offered(&fixture, "main"), [W1]);
}

#[test]
fn open_work_in_stores_of_other_worktrees_is_counted_and_listed_once() {
    let fixture = shared();
    fixture.worktree("main", "more", "more");
    for dir in ["feat", "more"] {
        checkpoint(&fixture, dir, W1, "2026-01-22T11:00:00Z", "\"b\"");
    }
    checkpoint(&fixture, "feat", "T-20260122-130000-idle", "2026-01-22T13:00:00Z", "");
    auto(&fixture);
    let workspace = fixture.open("main");
    let found = other_worktrees(&workspace);
    let other = |branch: &str| OtherWorktree {
        root: fixture.path(branch).display().to_string(),
        branch: branch.to_owned(),
        open: 0,
        open_work: 1,
    };
    assert_eq!(found, [other("feat"), other("more")]);
    let ids = |scope: WorktreeScope| {
        let all = list(&workspace, &Filter::default(), scope).threads;
        let mut ids: Vec<String> = all.into_iter().map(|row| row.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(WorktreeScope::ThisWorktree), [M1]);
    assert_eq!(ids(WorktreeScope::AllWorktrees), [M1, W1, AUTO, "T-20260122-130000-idle"]);
    let workspace = fixture.open("feat");
    assert_eq!(other_worktrees(&workspace), []);
}
