//! What an agent that may write only in its worktree cannot cause outside of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use skein_catalog::deleted_reviews::deleted;
use skein_catalog::drafts::drafts;
use skein_catalog::leases::LeaseDir;
use skein_checkpoints::catch_up;
use skein_fixtures::{Fixture, Review};
use skein_workspace::{RealFs, state_in_worktree};

const MEMBERS: &str = "  \"type\": \"handoff\",\n  \"created_at\": \"2026-01-22T10:00:00Z\"";
const PLANTED: &str = "T-20260122-110000-planted";

/// Two repositories, and a worktree of the first in which the user's program would accept `.skein`.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.worktree("r", "w", "feature");
    fixture.checkpoint("r", "T-20260122-100000-own", MEMBERS);
    fixture.repository("other");
    fixture.checkpoint("other", "T-20260122-120000-other", MEMBERS);
    state_in_worktree(&RealFs, &fixture.path("w")).expect("the worktree is writable");
    fixture
}

/// Writes a checkpoint to a path, as an agent without Skein.
fn plant(fixture: &Fixture, path: &str, id: &str) -> PathBuf {
    fixture
        .file(path, format!("{{\n  \"thread_id\": \"{id}\",\n  \"version\": 1,\n{MEMBERS}\n}}\n"))
}

/// The state directory of a root, by its name.
fn state(fixture: &Fixture, dir: &str) -> PathBuf {
    fixture.open(dir).dirs().state
}

/// Runs what every command does, and checks that nothing outside of the worktree was changed.
#[track_caller]
fn check_unchanged(fixture: &Fixture, dirs: &[&str]) {
    let tree = || dirs.iter().map(|dir| tree(&fixture.path(dir))).collect::<Vec<_>>();
    let before = tree();
    drop(catch_up(&fixture.open("r")));
    drop(catch_up(&fixture.open("w")));
    assert_eq!(tree(), before);
}

fn tree(dir: &std::path::Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_symlink() || path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            match path.is_dir() {
                true => dirs.push(path),
                false => files.push((path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn checkpoints_of_another_repository_are_not_moved_through_a_link() {
    let fixture = fixture();
    symlink(fixture.path("other/workspace/threads"), fixture.path("w/.skein/checkpoints")).unwrap();
    check_unchanged(&fixture, &["r", "other"]);
}

#[test]
fn the_base_of_a_merge_is_not_removed_through_a_link() {
    let fixture = fixture();
    let id = "T-20260122-120000-other";
    plant(&fixture, &format!("w/.skein/checkpoints/{id}.json"), id);
    symlink(fixture.path("other/workspace/threads"), fixture.path("w/.skein/bases")).unwrap();
    check_unchanged(&fixture, &["r", "other"]);
}

#[test]
fn a_linked_directory_of_locks_is_not_used() {
    let fixture = fixture();
    plant(&fixture, "other/workspace/threads/resume-locks/x.lock/current.json", PLANTED);
    fs::create_dir(fixture.path("w/.skein/checkpoints")).unwrap();
    let locks = fixture.path("w/.skein/checkpoints/resume-locks");
    symlink(fixture.path("other/workspace/threads/resume-locks"), locks).unwrap();
    check_unchanged(&fixture, &["r", "other"]);
}

#[test]
fn drafts_and_deleted_threads_of_the_user_are_not_removed_through_a_link() {
    let fixture = fixture();
    let own = state(&fixture, "w");
    let review = fixture.review("w", "one", &Review::default());
    for dir in ["drafts", "trash/reviews", "trash/drafts", "trash/checkpoints"] {
        fs::create_dir_all(own.join(dir)).unwrap();
        fs::copy(&review, own.join(dir).join("20260122-100000-one.md")).unwrap();
    }
    let below = fixture.path("w/.skein/state");
    symlink(fixture.path("home/state"), &below).unwrap();
    check_unchanged(&fixture, &["r", "home"]);
    fs::remove_file(&below).unwrap();
    fs::create_dir(&below).unwrap();
    symlink(&own, below.join(own.file_name().unwrap())).unwrap();
    check_unchanged(&fixture, &["r", "home"]);
}

#[test]
fn a_link_to_the_directory_of_another_worktree_is_not_used() {
    let fixture = fixture();
    fixture.worktree("other", "v", "feature");
    state_in_worktree(&RealFs, &fixture.path("v")).unwrap();
    plant(&fixture, &format!("v/.skein/checkpoints/{PLANTED}.json"), PLANTED);
    fs::remove_dir_all(fixture.path("w/.skein")).unwrap();
    symlink(fixture.path("v/.skein"), fixture.path("w/.skein")).unwrap();
    check_unchanged(&fixture, &["r", "v", "other"]);
}

#[test]
fn only_checkpoints_are_copied_to_the_store() {
    let fixture = fixture();
    let secret = fixture.file("home/secret.json", "{ \"key\": 1 }");
    let planted = |name: &str| fixture.path(&format!("w/.skein/checkpoints/{name}.json"));
    fs::create_dir(fixture.path("w/.skein/checkpoints")).unwrap();
    symlink(secret, planted("T-20260122-110000-link")).unwrap();
    let linked = plant(&fixture, "home/checkpoint.json", PLANTED);
    symlink(linked, planted(PLANTED)).unwrap();
    fs::write(planted("T-20260122-110000-text"), "any text\n").unwrap();
    check_unchanged(&fixture, &["r", "home"]);
    let errors = catch_up(&fixture.open("r")).expect("a file is left");
    let texts: Vec<String> =
        errors.iter().map(|error| fixture.shorten(&error.to_string())).collect();
    let expected = "the checkpoint cannot be used and is not written: w/.skein/checkpoints/T-20260122-110000-text.json (not a checkpoint)";
    assert_eq!(texts, [expected]);
}

#[test]
fn drafts_in_a_worktree_are_not_those_of_the_user() {
    let fixture = fixture();
    let review = fixture.review("w", "one", &Review::default());
    for dir in ["w", "r", "other"] {
        let name = state(&fixture, dir);
        let drafts = fixture.path("w/.skein/state").join(name.file_name().unwrap()).join("drafts");
        fs::create_dir_all(&drafts).unwrap();
        fs::copy(&review, drafts.join("one.md")).unwrap();
    }
    check_unchanged(&fixture, &["r", "other", "home"]);
    for dir in ["w", "r", "other"] {
        assert_eq!(drafts(&fixture.open(dir)).len(), 0);
    }
}

#[test]
fn only_deleted_threads_of_the_worktree_are_moved_to_the_trash_of_the_user() {
    let fixture = fixture();
    let review = fixture.review("w", "one", &Review::default());
    let trash = |dir: &str| {
        let name = state(&fixture, dir);
        let trash = fixture.path("w/.skein/state").join(name.file_name().unwrap());
        let trash = trash.join("trash/reviews");
        fs::create_dir_all(&trash).unwrap();
        trash
    };
    fs::copy(&review, trash("other").join("20260122-100000-one.md")).unwrap();
    fs::write(trash("w").join("20260122-100000-text.md"), "any text\n").unwrap();
    check_unchanged(&fixture, &["r", "other", "home"]);
    fs::remove_file(trash("w").join("20260122-100000-text.md")).unwrap();
    fs::copy(&review, trash("w").join("20260122-100000-one.md")).unwrap();
    assert!(catch_up(&fixture.open("r")).expect("there is a thread to move").is_empty());
    assert_eq!(deleted(&fixture.open("w")).len(), 1);
    assert_eq!(deleted(&fixture.open("other")).len(), 0);
}

/// A copy is all that is left of a thread whose file the agent deletes and replaces by another text.
#[test]
fn the_copy_of_a_thread_is_kept_if_another_text_was_deleted() {
    let fixture = fixture();
    let review = fixture.review("w", "one", &Review::default());
    assert_eq!(skein_catalog::refresh_copies(&fixture.open("w")).len(), 0);
    fs::remove_file(review).unwrap();
    let other = Review { says: &[("Mira", "Nothing.")], ..Review::default() };
    let other = fixture.review("w", "one", &other);
    let name = state(&fixture, "w");
    let trash =
        fixture.path("w/.skein/state").join(name.file_name().unwrap()).join("trash/reviews");
    fs::create_dir_all(&trash).unwrap();
    fs::rename(other, trash.join("20260122-100000-one.md")).unwrap();
    assert!(catch_up(&fixture.open("r")).expect("there is a thread to move").is_empty());
    fs::remove_dir_all(fixture.path("w")).unwrap();
    let removed = skein_catalog::removed_reviews::removed_worktrees(&fixture.open("r"));
    let threads: usize = removed.iter().map(|one| one.threads.len()).sum();
    assert_eq!(threads, 1);
}

#[test]
fn a_claim_in_a_worktree_holds_back_only_threads_of_that_worktree() {
    let fixture = fixture();
    for dir in ["w", "r"] {
        fixture.review(dir, "one", &Review::default());
        let root = state(&fixture, dir);
        let name = root.file_name().unwrap().to_str().unwrap().to_owned();
        let claim = r#"{"thread": "one", "by": "x", "token": "x", "until": "2030-01-01T00:00:00Z", "comments": 1}"#;
        fixture.file(&format!("w/.skein/state/{name}/claims/one.json"), claim);
    }
    let is_claimed = |dir: &str| {
        let workspace = fixture.open(dir);
        LeaseDir::read(&workspace).get("one").is_some()
    };
    assert!(is_claimed("w"));
    assert!(!is_claimed("r"));
    // The user can release it, and nothing in the worktree is written for that.
    let workspace = fixture.open("w");
    let before = tree(&fixture.path("w"));
    let thread = skein_review::find(&workspace, "one").unwrap();
    let released = skein_review::release(&workspace, &thread, None, true).unwrap();
    assert_eq!(released, skein_review::Released::Yes);
    assert!(!is_claimed("w"));
    assert_eq!(tree(&fixture.path("w")), before);
    // A linked directory of claims is not read.
    let claims = state(&fixture, "w");
    let claims = fixture.path("w/.skein/state").join(claims.file_name().unwrap()).join("claims");
    fs::rename(&claims, fixture.path("home/claims")).unwrap();
    symlink(fixture.path("home/claims"), &claims).unwrap();
    fs::remove_dir_all(state(&fixture, "w")).unwrap();
    assert!(!is_claimed("w"));
}
