//! Checkpoints of many agents at once, without git, and of a program that is killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use skein_testkit::size;

use crate::place::{Place, files, printed};

const NOW: &str = "2026-01-23T14:30:00Z";

fn repository() -> Place {
    let place = Place::new();
    for args in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "one"]]
    {
        let mut git = std::process::Command::new("git");
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let done = git.current_dir(place.path("work")).args(who).args(args).status().unwrap();
        assert!(done.success());
    }
    place
}

fn threads(place: &Place) -> Vec<PathBuf> {
    files(&place.path("work/workspace/threads"))
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn is_checkpoint(path: &std::path::Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.starts_with("T-") && name.ends_with(".json")
}

/// Returns the ids in the rows of a table.
fn rows(place: &Place, name: &str) -> Vec<String> {
    let table = fs::read_to_string(place.path("work/workspace/threads").join(name)).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| T-"));
    rows.filter_map(|line| Some(line.split(" | ").next()?.strip_prefix("| ")?.to_owned())).collect()
}

#[test]
fn fifty_agents_in_one_second_write_fifty_checkpoints() {
    let place = repository();
    let count = 50;
    let children: Vec<Child> = (0..count)
        .map(|who| {
            let mut skein = place.skein(&["checkpoint", "save", "-m", "The same words"]);
            let session = format!("session-{who}");
            skein.args(["--session", &session, "--json"]).env("SKEIN_NOW", NOW);
            skein.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut ids = BTreeSet::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let saved: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(saved["diagnostics"].as_array().unwrap().len(), 0, "{saved}");
        ids.insert(saved["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), count);
    let all: Vec<Value> =
        threads(&place).iter().filter(|path| is_checkpoint(path)).map(|path| read(path)).collect();
    let written: BTreeSet<String> =
        all.iter().map(|one| one["thread_id"].as_str().unwrap().to_owned()).collect();
    let sessions: BTreeSet<&str> =
        all.iter().map(|one| one["session_id"].as_str().unwrap()).collect();
    assert_eq!((&written, sessions.len()), (&ids, count));
    let listed = rows(&place, "INDEX.md");
    assert_eq!((listed.len(), listed.iter().cloned().collect()), (count, ids));
    assert_eq!(rows(&place, "recent.md"), listed[..15]);
    let left: Vec<PathBuf> =
        threads(&place).into_iter().filter(|path| !is_checkpoint(path)).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    place.done(&["doctor"]);
}

#[test]
fn without_the_git_program_a_checkpoint_reads_git_files() {
    let place = repository();
    place.file("work/a.rs", "1");
    let empty = place.path("empty");
    fs::create_dir(&empty).unwrap();
    for args in [
        &["checkpoint", "save", "-m", "Done", "--json"][..],
        &["checkpoint", "auto", "--trigger", "git-commit", "--json"],
        &["handoff", "-m", "Go on", "--json"],
    ] {
        let output = place.skein(args).env("PATH", &empty).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let saved: Value = serde_json::from_slice(&output.stdout).unwrap();
        let git = read(saved["file"].as_str().unwrap().as_ref())["git"].take();
        assert_eq!(git["branch"], "main");
        assert_eq!(git["current_commit"].as_str().unwrap().len(), 7);
        for unknown in ["dirty", "commits_made", "remote_url"] {
            assert_eq!(git[unknown], Value::Null, "{git}");
        }
    }
}

#[test]
fn a_killed_handoff_leaves_complete_files_and_a_valid_pointer() {
    let rounds = u32::try_from(size(12, 100)).unwrap();
    let place = repository();
    place.done(&["handoff", "-m", "First"]);
    for round in 0..rounds {
        let mut skein = place.skein(&["handoff", "-m", "Go on"]);
        let mut child = skein.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(500 + u64::from(round) * 60_000 / u64::from(rounds)));
        child.kill().unwrap();
        child.wait().unwrap();
        let all = threads(&place);
        for path in all.iter().filter(|path| is_checkpoint(path)) {
            assert_eq!(read(path)["version"], 1, "{}", path.display());
        }
        let pointer = read(&place.path("work/workspace/threads/handoff.json"));
        let target = place.path("work").join(pointer["thread_path"].as_str().unwrap());
        assert!(target.is_file(), "{pointer}");
    }
    place.done(&["handoff", "-m", "Last"]);
    let count = threads(&place).iter().filter(|path| is_checkpoint(path)).count();
    assert_eq!(rows(&place, "INDEX.md").len(), count);
}
