//! What only a person may do.

use std::fs;
use std::os::unix::fs::symlink;

use super::repo::{comments, done, git_args, repo, set};
use crate::place::Place;

/// Checks that a command is refused in an agent's environment.
fn refused(place: &Place, args: &[&str], message: &str) {
    let output = place.run_args(args);
    assert_eq!((output.code, output.out.as_str()), (2, ""), "{args:?}");
    let expected = format!("Error: {message}");
    assert!(output.err.starts_with(&expected), "{args:?}: {}", output.err);
    assert!(output.err.contains("ask the user"), "{args:?}: {}", output.err);
}

#[test]
fn an_agent_cannot_do_what_only_a_person_may() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    set(&mut place, "CLAUDECODE", "1");
    let check = |line: &str, message: &str| {
        refused(
            &place,
            &line.split(' ').collect::<Vec<_>>(),
            &format!("an agent cannot {message}\n"),
        );
    };
    check("watch --exec touch", "run a command for each event");
    check("config set color always", "change settings");
    check("config set --repository review.storage_path x", "change settings");
    check("config unset color", "change settings");
    check("review clear --yes", "delete all threads");
    check("uninstall --everywhere --yes", "remove what was installed");
    check("install claude-code", "install hooks and commands");
    check("init --yes", "install hooks and commands");
    check("share", "share the threads of this repository");
    check("deliver allow claude-code --yes", "deliver threads to other agents");
    check("deliver", "deliver threads to other agents");
    check("session send x -m y", "prompt another session");
    check("review submit --send x", "prompt another session");
    check("handoff -m x --post s", "write into a chat");
    check("bridge run", "connect agents with a chat");
    assert_eq!(place.run("review list").out.lines().count(), 1);
    assert!(!place.machine.dir.join(".claude").exists());
    for allowed in
        ["install", "install claude-code --dry-run", "uninstall --dry-run", "config list"]
    {
        assert_eq!(place.run(allowed).code, 0, "{allowed}");
    }
}

#[test]
fn an_agent_cannot_delete_a_thread_in_which_others_wrote() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    set(&mut place, "CLAUDECODE", "1");
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Mine."]);
    let check_refused = |place: &Place, ids: &str| {
        let run = place.run(&format!("review delete {ids}"));
        let message = "an agent cannot delete a thread in which others wrote: 7030";
        assert!(run.code == 2 && run.err.contains(message), "{ids}: {}", run.err);
    };
    check_refused(&place, "src/a.rs:2");
    check_refused(&place, "src/a.rs:3 src/a.rs:2");
    assert_eq!(place.run("review list").out.lines().count(), 2);
    done(&place, &["review", "delete", "src/a.rs:3"]);
    done(&place, &["review", "reply", "src/a.rs:2", "-m", "So."]);
    check_refused(&place, "src/a.rs:2");
    set(&mut place, "CLAUDECODE", "");
    done(&place, &["review", "delete", "src/a.rs:2"]);
}

#[test]
fn an_agent_passes_on_files_of_its_worktree_only() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.file("answer.md", "From a file.");
    let outside = place.machine.dir.parent().unwrap().join("secret");
    fs::write(&outside, "[{\"file\": \"src/a.rs\", \"line\": 1, \"body\": \"secret\"}]").unwrap();
    symlink(&outside, place.machine.dir.join("link")).unwrap();
    symlink(outside.parent().unwrap(), place.machine.dir.join("up")).unwrap();
    set(&mut place, "CLAUDECODE", "1");
    for path in [outside.to_str().unwrap(), "../secret", "link", "up/secret", "/dev/null"] {
        for command in [
            &["review", "reply", "7030", "-F"][..],
            &["review", "add", "src/a.rs:1", "-F"],
            &["review", "add", "--from"],
            &["review", "import"],
            &["checkpoint", "save", "x", "-m", "x", "--new-store", "--from"],
            &["checkpoint", "save", "x", "-m", "x", "--new-store", "--files-from"],
        ] {
            let args = [command, &[path]].concat();
            refused(&place, &args, "an agent cannot pass on a file outside of its worktree: ");
        }
    }
    done(&place, &["review", "reply", "7030", "-F", "answer.md"]);
    assert_eq!(comments(&place).pop().unwrap().1, "From a file.");
    set(&mut place, "CLAUDECODE", "");
    done(&place, &["review", "reply", "7030", "-F", "../secret"]);
}

#[test]
fn an_agent_works_on_its_own_repository_only() {
    let mut place = repo();
    let dir = place.machine.dir.clone();
    let text = |name: &str| dir.parent().unwrap().join(name).to_str().unwrap().to_owned();
    let (worktree, other) = (text("wt"), text("other"));
    git_args(&dir, &["worktree", "add", "-q", &worktree]);
    git_args(dir.parent().unwrap(), &["init", "-q", &other]);
    set(&mut place, "CLAUDECODE", "1");
    for dir in [other.as_str(), "..", "/"] {
        refused(&place, &["-C", dir, "list"], "an agent cannot use `-C` for another repository: ");
    }
    for dir in [worktree.as_str(), "src", "."] {
        assert_eq!(place.run_args(&["-C", dir, "list"]).code, 0, "{dir}");
    }
    // `deliver` names the root of the threads.
    set(&mut place, "SKEIN_DELIVERED_ROOT", &other);
    assert_eq!(place.run_args(&["-C", &other, "list"]).code, 0);
    refused(&place, &["-C", "..", "list"], "an agent cannot use `-C` for another repository: ");
}
