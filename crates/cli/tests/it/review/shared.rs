//! A clone of a repository that shares its threads, without the merge driver.

use std::fs;

use super::repo;
use crate::place::Place;

const WARNING: &str =
    "Warning: this repository shares its threads, and git cannot merge them in this clone";

fn clone_without_driver() -> Place {
    let place = repo::with_thread();
    repo::done(&place, &["share"]);
    repo::git(&place.machine.dir, "config --remove-section merge.skein-review");
    place
}

fn has_driver(place: &Place) -> bool {
    let config = fs::read_to_string(place.machine.dir.join(".git/config")).unwrap();
    config.contains("[merge \"skein-review\"]")
}

#[test]
fn every_command_about_threads_warns_once() {
    let place = clone_without_driver();
    for words in ["", "list", "show src/a.rs:2", "review list", "search Why", "checkpoint list"] {
        let output = place.run(words);
        assert_eq!(output.err.matches(WARNING).count(), 1, "{words}: {output}");
    }
    assert!(!has_driver(&place), "nothing is changed without a question");
    assert!(!place.run("version").err.contains(WARNING));
    repo::done(&place, &["init"]);
    assert!(!place.run("list").err.contains(WARNING));
}

#[test]
fn the_overview_offers_to_set_up_merging() {
    let mut place = clone_without_driver().on_terminal(100);
    place.input = "y\n";
    let output = place.run("");
    assert!(
        output.err.contains("Set up merging in the git configuration of this clone now? [y/N]")
    );
    assert!(has_driver(&place), "{output}");
    assert!(!place.run("").err.contains(WARNING));
}

#[test]
fn a_declined_offer_is_not_repeated() {
    let mut place = clone_without_driver().on_terminal(100);
    place.input = "n\n";
    assert!(place.run("").err.contains("[y/N]"));
    let output = place.run("");
    assert!(output.err.contains(WARNING) && !output.err.contains("[y/N]"), "{output}");
    assert!(!has_driver(&place));
}

#[test]
fn the_overview_explains_a_thread_with_a_conflict() {
    let place = repo::with_thread();
    let threads = place.machine.dir.join(".code-review/threads");
    let file = fs::read_dir(threads).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&file).unwrap();
    let status = "  \"status\": \"open\",\n";
    assert!(text.contains(status), "{text}");
    let conflict =
        format!("<<<<<<< HEAD\n{status}=======\n  \"status\": \"resolved\",\n>>>>>>> topic\n");
    skein_testkit::write_settled(&file, text.replace(status, &conflict));
    let output = place.run("");
    assert!(output.out.contains("0 open threads, 0 resolved, 1 in conflict;"), "{output}");
    let name = file.file_name().unwrap().to_str().unwrap();
    let hint =
        format!(".code-review/threads/{name}: git left a conflict here, and nothing is lost");
    assert!(output.out.contains(&hint), "{output}");
}

#[test]
fn the_caches_of_other_worktrees_are_not_committed_after_a_share() {
    let place = repo::with_thread();
    let dir = place.machine.dir.clone();
    let worktree = dir.parent().unwrap().join("wt").display().to_string();
    repo::git_args(&dir, &["worktree", "add", "-q", &worktree]);
    repo::done(&place, &["-C", &worktree, "review", "add", "src/a.rs:2", "-m", "There."]);
    let cache = std::path::Path::new(&worktree).join(".code-review/index.json");
    assert!(cache.is_file());
    let shared = place.run("share").err;
    let command = "git -C ROOT/wt add .code-review && git -C ROOT/wt commit";
    assert!(shared.contains(command), "{shared}");
    repo::git_args(&dir, &["-C", &worktree, "add", "--all"]);
    let added = repo::git_args(&dir, &["-C", &worktree, "ls-files", ".code-review"]);
    assert!(added.contains("threads/") && !added.contains("index.json"), "{added}");
}
