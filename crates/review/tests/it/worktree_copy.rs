//! Threads of a linked worktree can be restored after it is removed.

use std::fs;
use std::sync::Arc;

use skein_catalog::deleted_reviews::deleted;
use skein_catalog::removed_reviews::removed_worktrees;
use skein_catalog::{ThreadRef, WorktreeScope, list, refresh_copies};
use skein_install::setup::share;
use skein_model::Filter;
use skein_review::{delete, dismiss_worktree, find_all, restore, restore_worktree};
use skein_workspace::Workspace;

use skein_fixtures::{Fixture, Review, git};
use skein_testkit::HookedFs;

/// Finds threads by their ids.
fn found(workspace: &Workspace, ids: &[String]) -> Vec<ThreadRef> {
    find_all(workspace, ids, None).unwrap()
}

/// A repository with a linked worktree, which has a thread.
fn with_worktree() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("main");
    fixture.worktree("main", "feat", "feat");
    fixture.review("feat", "t1", &Review::default());
    fixture
}

fn refresh(fixture: &Fixture, dir: &str) {
    let workspace = fixture.open(dir);
    let errors = refresh_copies(&workspace);
    assert!(errors.is_empty(), "{errors:?}");
}

/// The ids of the threads that can be restored in the main checkout, with their worktrees.
fn restorable(fixture: &Fixture) -> Vec<(String, String, bool)> {
    let workspace = fixture.open("main");
    let all = deleted(&workspace).into_iter();
    all.filter_map(|one| Some((one.id, one.removed_worktree?.branch, one.draft))).collect()
}

fn remove_with_git(fixture: &Fixture) {
    let path = fixture.path("feat").display().to_string();
    git(&fixture.path("main"), &["worktree", "remove", "--force", &path]);
}

#[test]
fn a_repository_that_is_removed_while_its_threads_are_copied_does_not_appear_again() {
    for number in 0.. {
        let fixture = Fixture::new();
        let top = fixture.repository("main");
        fixture.review("main", "t1", &Review::default());
        refresh(&fixture, "main");
        fixture.review("main", "t2", &Review::default());
        let mut workspace = fixture.open("main");
        let removed = top.clone();
        let remove = move || fs::remove_dir_all(&removed).unwrap();
        let fs = HookedFs::acting_before(number, remove);
        workspace.env.fs = Arc::new(fs.clone());
        // It fails if the repository is removed too early.
        drop(refresh_copies(&workspace));
        if fs.operations() <= number {
            assert!(number > 5, "a copy takes several operations");
            return;
        }
        assert!(!top.exists(), "removed before operation {number}");
    }
}

#[test]
fn threads_of_a_removed_worktree_are_listed_and_restored_byte_for_byte() {
    for remove in [remove_with_git, |it: &Fixture| fs::remove_dir_all(it.path("feat")).unwrap()] {
        let fixture = with_worktree();
        refresh(&fixture, "feat");
        assert_eq!(restorable(&fixture), []);
        let before = fixture.read("feat/.code-review/threads/t1.md");
        remove(&fixture);
        assert_eq!(restorable(&fixture), [("t1".to_owned(), "feat".to_owned(), false)]);

        let workspace = fixture.open("main");
        let mut written = Vec::new();
        restore(&workspace, &["t1".to_owned()], &mut written).unwrap();
        assert_eq!(written.len(), 1);
        assert_eq!(fixture.read("main/.code-review/threads/t1.md"), before);
        assert_eq!(restorable(&fixture), []);
    }
}

#[test]
fn every_change_that_is_observed_is_copied() {
    let fixture = with_worktree();
    refresh(&fixture, "feat");
    fixture.review("feat", "t2", &Review::default());
    // In the main checkout the copies of all worktrees are brought up to date.
    refresh(&fixture, "main");
    let path = fixture.path("feat/.code-review/threads/t1.md");
    let text = fs::read_to_string(&path).unwrap() + "\nA line by hand.\n";
    fixture.file("feat/.code-review/threads/t1.md", &text);
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let removed = removed_worktrees(&workspace);
    assert_eq!(removed.len(), 1);
    assert_eq!(removed[0].threads.len(), 2);
    assert_eq!(fs::read_to_string(&removed[0].threads[0]).unwrap(), text);
    let mut written = Vec::new();
    restore_worktree(&workspace, "feat", &mut written).unwrap();
    assert_eq!(written.len(), 2);
    assert!(removed_worktrees(&workspace).is_empty());
    assert!(restore_worktree(&workspace, "feat", &mut written).is_err());
}

#[test]
fn a_thread_that_was_deleted_on_purpose_is_not_offered() {
    let fixture = with_worktree();
    fixture.review("feat", "t2", &Review::default());
    refresh(&fixture, "feat");
    let workspace = fixture.open("feat");
    delete(&workspace, &found(&workspace, &["t2".to_owned()])).unwrap();
    remove_with_git(&fixture);
    assert_eq!(restorable(&fixture), [("t1".to_owned(), "feat".to_owned(), false)]);
}

#[test]
fn drafts_of_a_removed_worktree_are_offered() {
    let fixture = with_worktree();
    fixture.file("feat/a.rs", "one\n");
    let workspace = fixture.open("feat");
    let draft = crate::drafts::draft(&workspace, "Why?");
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let found = restorable(&fixture);
    assert!(found.contains(&(draft, "feat".to_owned(), true)), "{found:?}");
}

#[test]
fn a_worktree_that_is_created_again_at_the_same_path_is_another_one() {
    let fixture = with_worktree();
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    fixture.worktree("main", "feat", "other");
    fixture.review("feat", "t9", &Review::default());
    refresh(&fixture, "feat");
    assert_eq!(restorable(&fixture), [("t1".to_owned(), "feat".to_owned(), false)]);
}

#[test]
fn the_main_checkout_is_copied_for_the_case_that_git_deletes_what_it_ignores() {
    let fixture = Fixture::new();
    fixture.repository("main");
    fixture.file("main/.git/info/exclude", "/.code-review/\n/workspace/\n");
    fixture.review("main", "t1", &Review::default());
    fixture.review("main", "t2", &Review::default());
    refresh(&fixture, "main");
    let says = [("Mira", "Why?"), ("Tom", "By hand.")];
    fixture.review("main", "t1", &Review { says: &says, ..Review::default() });
    refresh(&fixture, "main");
    let workspace = fixture.open("main");
    delete(&workspace, &found(&workspace, &["t2".to_owned()])).unwrap();
    let before = fixture.read("main/.code-review/threads/t1.md");
    git(&fixture.path("main"), &["clean", "--quiet", "-fdX"]);
    assert!(!fixture.path("main/.code-review").exists());
    assert_eq!(restorable(&fixture), [("t1".to_owned(), "main".to_owned(), false)]);
    let mut written = Vec::new();
    restore_worktree(&fixture.open("main"), "main", &mut written).unwrap();
    assert_eq!(fixture.read("main/.code-review/threads/t1.md"), before);
    assert_eq!(restorable(&fixture), []);
}

#[test]
fn a_large_main_checkout_is_copied_by_several_commands() {
    let fixture = Fixture::new();
    fixture.repository("main");
    for n in 0..150 {
        fixture.review("main", &format!("t{n}"), &Review::default());
    }
    let copies = |fixture: &Fixture| fixture.tree().matches("main/.git/skein/worktrees/").count();
    refresh(&fixture, "main");
    let first = copies(&fixture);
    refresh(&fixture, "main");
    let second = copies(&fixture);
    refresh(&fixture, "main");
    let third = copies(&fixture);
    assert!(first < second && second < third, "{first} {second} {third}");
    refresh(&fixture, "main");
    assert_eq!(copies(&fixture), third);
}

#[test]
fn a_shared_store_of_the_main_checkout_is_not_copied() {
    let fixture = Fixture::new();
    fixture.repository("main");
    fixture.review("main", "t1", &Review::default());
    share(&fixture.open("main")).unwrap();
    refresh(&fixture, "main");
    assert!(!fixture.path("main/.git/skein/worktrees").exists());
}

#[test]
fn words_of_a_removed_worktree_are_listed_with_those_of_all_worktrees() {
    let fixture = with_worktree();
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let listing = list(&workspace, &Filter::default(), WorktreeScope::AllWorktrees);
    let rows: Vec<(&str, Option<&str>)> =
        listing.threads.iter().map(|row| (row.id.as_str(), row.branch.as_deref())).collect();
    assert_eq!(rows, [("t1", Some("feat (removed)"))]);
    assert_eq!(list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads, []);
    let closed = Filter { status: Some("resolved".to_owned()), ..Filter::default() };
    assert_eq!(list(&workspace, &closed, WorktreeScope::AllWorktrees).threads, []);
}

#[test]
fn threads_of_a_deleted_store_are_offered() {
    let fixture = with_worktree();
    refresh(&fixture, "feat");
    let before = fixture.read("feat/.code-review/threads/t1.md");
    fs::remove_dir_all(fixture.path("feat/.code-review")).unwrap();
    refresh(&fixture, "feat");
    assert_eq!(restorable(&fixture), [("t1".to_owned(), "feat".to_owned(), false)]);
    let workspace = fixture.open("feat");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let expected = "1 thread of the removed store of the worktree on feat can be restored: `skein review restore --worktree feat`";
    let is_found = report.diagnostics.iter().any(|found| found.message == expected);
    assert!(is_found, "{:?}", report.diagnostics);
    let mut written = Vec::new();
    restore_worktree(&workspace, "feat", &mut written).unwrap();
    assert_eq!(fixture.read("feat/.code-review/threads/t1.md"), before);
    refresh(&fixture, "feat");
    assert_eq!(restorable(&fixture), []);
}

#[test]
fn a_thread_deleted_before_its_worktree_was_removed_can_still_be_restored() {
    let fixture = with_worktree();
    fixture.review("feat", "t2", &Review::default());
    refresh(&fixture, "feat");
    let workspace = fixture.open("feat");
    delete(&workspace, &found(&workspace, &["t2".to_owned()])).unwrap();
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let mut written = Vec::new();
    restore(&workspace, &["t2".to_owned()], &mut written).unwrap();
    assert!(fixture.path("main/.code-review/threads/t2.md").exists());
}

#[test]
fn threads_of_a_store_that_was_created_again_are_still_offered() {
    let fixture = with_worktree();
    refresh(&fixture, "feat");
    fs::remove_dir_all(fixture.path("feat/.code-review")).unwrap();
    fixture.review("feat", "t2", &Review::default());
    refresh(&fixture, "feat");
    assert_eq!(restorable(&fixture), [("t1".to_owned(), "feat".to_owned(), false)]);
    let workspace = fixture.open("feat");
    let mut written = Vec::new();
    restore_worktree(&workspace, "feat", &mut written).unwrap();
    assert_eq!(written.len(), 1);
    assert_eq!(restorable(&fixture), []);
}

#[test]
fn a_thread_that_the_store_has_with_all_its_comments_is_not_missing() {
    let fixture = with_worktree();
    fixture.review("feat", "t2", &Review::default());
    refresh(&fixture, "feat");
    let later = [("Mira", "Why?"), ("Tom", "Because.")];
    fixture.review("main", "t1", &Review { says: &later, ..Review::default() });
    remove_with_git(&fixture);
    assert_eq!(restorable(&fixture), [("t2".to_owned(), "feat".to_owned(), false)]);
    let workspace = fixture.open("main");
    restore_worktree(&workspace, "feat", &mut Vec::new()).unwrap();
    assert!(removed_worktrees(&workspace).is_empty());
    assert!(fixture.read("main/.code-review/threads/t1.md").contains("Because."));
}

#[test]
fn a_name_shared_by_two_removed_worktrees_is_refused() {
    let fixture = Fixture::new();
    fixture.repository("main");
    for (dir, branch) in [("a/work", "one"), ("b/work", "two")] {
        fixture.worktree("main", dir, branch);
        fixture.review(dir, branch, &Review::default());
        refresh(&fixture, dir);
        fs::remove_dir_all(fixture.path(dir)).unwrap();
    }
    let workspace = fixture.open("main");
    let error = restore_worktree(&workspace, "work", &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "ambiguous name of a removed worktree: work");
    restore_worktree(&workspace, "one", &mut Vec::new()).unwrap();
    restore_worktree(&workspace, "work", &mut Vec::new()).unwrap();
}

#[test]
fn threads_that_differ_are_merged_and_missing_ones_are_restored() {
    let fixture = with_worktree();
    let of_worktree = [("Mira", "Why?"), ("Tom", "Only in the worktree.")];
    fixture.review("feat", "t1", &Review { says: &of_worktree, ..Review::default() });
    fixture.review("feat", "t2", &Review::default());
    fixture.review("feat", "t3", &Review::default());
    refresh(&fixture, "feat");
    let of_main = [("Mira", "Why?"), ("Ann", "Only in the main checkout.")];
    fixture.review("main", "t1", &Review { says: &of_main, ..Review::default() });
    // A file that is not a thread cannot be merged.
    fixture.file("main/.code-review/threads/t2.md", "No thread.\n");
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let mut written = Vec::new();
    let error = restore_worktree(&workspace, "feat", &mut written).unwrap_err();
    assert_eq!(error.to_string(), "a thread with this id already exists: t2");
    let ids: Vec<&str> = written.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["t1", "t3"]);
    let merged = fixture.read("main/.code-review/threads/t1.md");
    for comment in ["Why?", "Only in the worktree.", "Only in the main checkout."] {
        assert_eq!(merged.matches(comment).count(), 1, "{merged}");
    }
    assert_eq!(fixture.read("main/.code-review/threads/t2.md"), "No thread.\n");
    assert_eq!(restorable(&fixture), [("t2".to_owned(), "feat".to_owned(), false)]);
}

#[test]
fn dismissed_threads_are_in_the_trash() {
    let fixture = with_worktree();
    fixture.file("feat/a.rs", "one\n");
    let workspace = fixture.open("feat");
    let draft = crate::drafts::draft(&workspace, "Why?");
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    let workspace = fixture.open("main");
    let mut written = Vec::new();
    dismiss_worktree(&workspace, "feat", &mut written).unwrap();
    assert_eq!(written.len(), 2);
    assert!(removed_worktrees(&workspace).is_empty());
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    assert!(!report.diagnostics.iter().any(|found| found.code == "worktree-removed"));
    restore(&workspace, &["t1".to_owned(), draft], &mut written).unwrap();
    assert!(fixture.path("main/.code-review/threads/t1.md").exists());
}

#[test]
fn a_thread_that_is_committed_on_a_branch_is_not_missing() {
    let fixture = Fixture::new();
    fixture.repository("main");
    let workspace = fixture.open("main");
    share(&workspace).unwrap();
    fixture.commit("main", "share");
    fixture.worktree("main", "feat", "feat");
    for id in ["t1", "t2"] {
        fixture.review("feat", id, &Review::default());
    }
    refresh(&fixture, "feat");
    fixture.commit("feat", "threads");
    let later = [("Mira", "Why?"), ("Tom", "Because.")];
    fixture.review("feat", "t2", &Review { says: &later, ..Review::default() });
    refresh(&fixture, "feat");
    remove_with_git(&fixture);
    assert_eq!(restorable(&fixture), [("t2".to_owned(), "feat".to_owned(), false)]);
}
