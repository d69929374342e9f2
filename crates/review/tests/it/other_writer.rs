//! Replies while another program writes the thread without a lock, as the VS Code extension does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use skein_fixtures::{Fixture, Review};
use skein_review::{ReplyOptions, find, reply};
use skein_store::RealFs;
use skein_testkit::{HookPoint, HookedFs, write_settled};
use skein_workspace::{Actor, Workspace, discover};

/// Opens a workspace with the thread `t1` on a file system with a hook.
fn open(
    fixture: &Fixture,
    hook: impl Fn(HookPoint, &Path) + Send + Sync + 'static,
) -> (Workspace, PathBuf) {
    let path =
        fixture.review("w", "t1", &Review { says: &[("Mira", "Why?")], ..Review::default() });
    let mut env = fixture.env("w");
    env.fs = Arc::new(HookedFs::new(Arc::new(RealFs), hook));
    (discover(&env), path)
}

fn answer(workspace: &Workspace) {
    let mira = Actor { name: "Mira".to_owned(), agent: false };
    let thread = find(workspace, "t1").unwrap();
    reply(workspace, &mira, &thread, "Because.", ReplyOptions::default()).unwrap();
}

/// Returns a hook that calls `act` with the text of the thread just before Skein reads it.
fn rewriter(
    thread: PathBuf,
    act: impl Fn(&str) + Send + Sync + 'static,
) -> impl Fn(HookPoint, &Path) + Send + Sync + 'static {
    move |operation, path| {
        if operation == HookPoint::Read && path == thread {
            act(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn a_reply_that_another_program_dropped_is_written_again() {
    let fixture = Fixture::new();
    let thread = fixture.path("w/.code-review/threads/t1.md");
    let drops = Arc::new(AtomicUsize::new(0));
    let (dropped, target) = (drops.clone(), thread.clone());
    let act = move |text: &str| {
        if text.contains("Because.") && dropped.fetch_add(1, Ordering::Relaxed) < 2 {
            let end = text.rfind("<local-code-review-comment").unwrap();
            write_settled(&target, text.split_at(end).0);
        }
    };
    let (workspace, path) = open(&fixture, rewriter(thread.clone(), act));
    assert_eq!(path, thread);
    answer(&workspace);
    let text = fs::read_to_string(&thread).unwrap();
    assert_eq!(text.matches("Because.").count(), 1, "{text}");
    assert!(drops.load(Ordering::Relaxed) >= 3, "the reply was not looked for");
}

#[test]
fn a_reply_beside_a_program_that_saves_the_thread_from_memory_survives_its_next_save() {
    let fixture = Fixture::new();
    let thread = fixture.path("w/.code-review/threads/t1.md");
    let reads = Arc::new(AtomicUsize::new(0));
    let (seen, target) = (reads.clone(), thread.clone());
    let act = move |text: &str| {
        // The next save comes a while after the reply.
        if text.contains("Because.") && seen.fetch_add(1, Ordering::Relaxed) == 5 {
            let end = text.rfind("<local-code-review-comment").unwrap();
            write_settled(&target, text.split_at(end).0);
        }
    };
    let (workspace, path) = open(&fixture, rewriter(thread.clone(), act));
    let text = fs::read(&path).unwrap();
    // The other program has just saved the thread in place.
    fs::write(&path, text).unwrap();
    answer(&workspace);
    assert!(reads.load(Ordering::Relaxed) > 5, "the next save was not awaited");
    let text = fs::read_to_string(&thread).unwrap();
    assert_eq!(text.matches("Because.").count(), 1, "{text}");
}

#[test]
fn the_wait_for_a_thread_that_is_being_written_leaves_the_store_unlocked() {
    let fixture = Fixture::new();
    let thread = fixture.path("w/.code-review/threads/t1.md");
    let is_locked = Arc::new(AtomicBool::new(false));
    let reads_in_writing = Arc::new(AtomicUsize::new(0));
    let (locked, reads, target) = (is_locked, reads_in_writing.clone(), thread.clone());
    let hook = move |operation: HookPoint, path: &Path| {
        let is_store = target.starts_with(path) && path.ends_with(".code-review");
        match operation {
            HookPoint::Locked if is_store => locked.store(true, Ordering::SeqCst),
            HookPoint::Unlocked if is_store => locked.store(false, Ordering::SeqCst),
            HookPoint::Read if path == target => {
                let text = fs::read_to_string(path).unwrap();
                // The file is incomplete until it was looked at a few times.
                if !text.ends_with('\n') {
                    assert!(!locked.load(Ordering::SeqCst), "the store is locked during the wait");
                    if reads.fetch_add(1, Ordering::Relaxed) == 3 {
                        write_settled(&target, text + "\n");
                    }
                }
            }
            _ => {}
        }
    };
    let (workspace, path) = open(&fixture, hook);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.trim_end()).unwrap();
    answer(&workspace);
    assert!(reads_in_writing.load(Ordering::Relaxed) > 3);
    let text = fs::read_to_string(&thread).unwrap();
    assert_eq!(text.matches("Because.").count(), 1, "{text}");
}
