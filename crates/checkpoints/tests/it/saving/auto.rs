//! Checkpoints that hooks write.

use std::thread;
use std::time::Duration;

use serde_json::json;
use skein_checkpoints::{AutoCheckpoint, Finisher};
use skein_workspace::CommitId;

use super::{names, saved, summary, value};
use skein_fixtures::{Fixture, git};

pub(super) fn commit(fixture: &Fixture, top: &str) -> CommitId {
    CommitId::parse(git(&fixture.path(top), &["rev-parse", "HEAD"]).trim()).unwrap()
}

pub(super) fn of_commit(id: CommitId) -> AutoCheckpoint {
    AutoCheckpoint {
        trigger: "git-commit".to_owned(),
        commit: Some(id),
        ..AutoCheckpoint::default()
    }
}

#[test]
fn a_hook_never_creates_a_store() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let before = fixture.tree();
    let workspace = fixture.open("w");
    assert_eq!(
        skein_checkpoints::save_auto(&workspace, &of_commit(commit(&fixture, "w"))).unwrap(),
        None
    );
    assert_eq!(fixture.tree(), before);
}

#[test]
fn an_auto_checkpoint_describes_its_commit() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    fixture.dir("w/workspace/threads");
    fixture.file("w/src/a.rs", "1");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "feat: the cache"]);
    let workspace = fixture.open("w");
    let auto = AutoCheckpoint {
        session: Some("s".to_owned()),
        transcript: Some(fixture.path("home/t.jsonl").display().to_string()),
        deadline: Some(Duration::from_secs(30)),
        ..of_commit(commit(&fixture, "w"))
    };
    let written = skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    assert_eq!(written.id, "T-20260123-143000-auto-feat-the-cache");
    let short = commit(&fixture, "w").short().to_owned();
    let root = fixture.path("w").display().to_string();
    assert_eq!(
        value(&written),
        json!({
            "thread_id": "T-20260123-143000-auto-feat-the-cache",
            "version": 1,
            "type": "auto-checkpoint",
            "created_at": "2026-01-23T14:30:00.000Z",
            "updated_at": "2026-01-23T14:30:00.000Z",
            "workspace_root": root,
            "cwd": ".",
            "git": {"branch": "main", "current_commit": short, "dirty": false},
            "conversation_summary": "feat: the cache",
            "files_touched": ["src/a.rs"],
            "session_id": "s",
            "metadata": {
                "title": "Auto: feat: the cache",
                "tags": ["auto-checkpoint"],
                "trigger": "git-commit",
                "transcript_path": "~/t.jsonl",
            },
        })
    );
    assert!(!fixture.path("w/workspace/threads/INDEX.md").exists());
}

#[test]
fn only_one_of_several_hooks_that_see_a_commit_writes() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("w/workspace/threads");
    let auto = of_commit(commit(&fixture, "w"));
    let written: usize = thread::scope(|scope| {
        let hooks: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let workspace = fixture.open("w");
                    usize::from(skein_checkpoints::save_auto(&workspace, &auto).unwrap().is_some())
                })
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).sum()
    });
    assert_eq!((written, names(&fixture, "w").len()), (1, 1));
    // Other triggers have no commit, so each of them is written.
    let other = AutoCheckpoint {
        trigger: "stop".to_owned(),
        summary: "x".to_owned(),
        ..AutoCheckpoint::default()
    };
    for _ in 0..2 {
        assert!(skein_checkpoints::save_auto(&fixture.open("w"), &other).unwrap().is_some());
    }
    assert_eq!(names(&fixture, "w").len(), 3);
}

#[test]
fn the_checkpoint_of_a_hook_that_does_not_get_the_lock_is_written_later() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("w/workspace/threads");
    let workspace = fixture.open("w");
    let guard = skein_store::lock(
        &skein_store::RealFs,
        &workspace.checkpoints.threads(),
        Duration::from_secs(5),
    )
    .unwrap();
    let hurried =
        AutoCheckpoint { deadline: Some(Duration::ZERO), ..of_commit(commit(&fixture, "w")) };
    assert!(skein_checkpoints::save_auto(&workspace, &hurried).is_err());
    drop(guard);
    let patient = AutoCheckpoint { deadline: None, ..hurried };
    assert_eq!(skein_checkpoints::save_auto(&workspace, &patient).unwrap(), None);
    let finished = Finisher::new(&workspace).unwrap().finish_checkpoints();
    assert_eq!(finished.len(), 1);
    assert_eq!(value(finished[0].as_ref().unwrap())["git"]["dirty"], false);
    assert_eq!(names(&fixture, "w").len(), 1);
}

#[test]
fn a_summary_is_truncated_after_its_secrets_are_removed() {
    let fixture = Fixture::new();
    fixture.dir("w/workspace/threads");
    let workspace = fixture.open("w");
    let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    let long = format!("{}{token} {}", "x ".repeat(990), "y ".repeat(500));
    let auto =
        AutoCheckpoint { trigger: "stop".to_owned(), summary: long, ..AutoCheckpoint::default() };
    let written = skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    let value = value(&written);
    let kept = value["conversation_summary"].as_str().unwrap();
    assert_eq!(kept.chars().count(), 2000);
    assert!(!kept.contains("ghp_"), "{kept}");
    // The next full checkpoint writes the tables, which list it.
    saved(&fixture, "w", &summary("Done"));
    assert!(fixture.read("w/workspace/threads/INDEX.md").contains("| auto-checkpoint |"));
}

/// Finds the claim of the only commit that was claimed.
pub(super) fn claim(fixture: &Fixture) -> Option<std::path::PathBuf> {
    let state = fixture.path("home/state");
    let mut dirs = vec![state];
    while let Some(dir) = dirs.pop() {
        for entry in dir.read_dir().into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.parent().and_then(|dir| dir.file_name()) {
                Some(name) if name == "commits" => return Some(path),
                _ if path.is_dir() => dirs.push(path),
                _ => {}
            }
        }
    }
    None
}

/// Makes a claim look as if a hook had made it a minute ago and was then killed.
pub(super) fn abandon(claim: &std::path::Path) {
    let file = std::fs::File::create(claim).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60)).unwrap();
}

#[test]
fn only_one_hook_takes_over_the_claim_of_a_killed_hook() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("w/workspace/threads");
    let workspace = fixture.open("w");
    let auto = of_commit(commit(&fixture, "w"));
    let written = skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    let claim = claim(&fixture).expect("the commit is claimed");
    assert_eq!(std::fs::read_to_string(&claim).unwrap().trim(), written.id);
    // It was killed after it had written.
    abandon(&claim);
    assert!(skein_checkpoints::save_auto(&workspace, &auto).unwrap().is_none());
    // It was killed before it had written.
    std::fs::remove_file(&written.file).unwrap();
    std::fs::write(&claim, "").unwrap();
    assert!(
        skein_checkpoints::save_auto(&workspace, &auto).unwrap().is_none(),
        "it may be about to write"
    );
    abandon(&claim);
    let again = || skein_checkpoints::save_auto(&workspace, &auto).unwrap().is_some();
    let count = thread::scope(|scope| {
        let hooks: Vec<_> = (0..8).map(|_| scope.spawn(again)).collect();
        hooks.into_iter().filter_map(|hook| hook.join().ok()).filter(|made| *made).count()
    });
    assert_eq!(count, 1);
}

#[test]
fn a_deleted_checkpoint_is_written_again_and_an_archived_one_is_not() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let threads = fixture.dir("w/workspace/threads");
    let workspace = fixture.open("w");
    let auto = of_commit(commit(&fixture, "w"));
    let again = || skein_checkpoints::save_auto(&workspace, &auto).unwrap();
    let written = again().unwrap();
    assert_eq!(again(), None);
    let month = threads.join("archive/2026-01");
    std::fs::create_dir_all(&month).unwrap();
    let archived = month.join(format!("{}.json", written.id));
    std::fs::rename(&written.file, &archived).unwrap();
    assert_eq!(again(), None);
    std::fs::remove_file(&archived).unwrap();
    assert!(again().is_some());
}
