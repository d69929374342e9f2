//! Checkpoints of a worktree that is removed, where the repository shares them: real git, real hooks, the real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A repository `rp` that shares a checkpoint, with the worktree `we` on the branch `wte`.
struct Shared {
    folder: TempDir,
}

impl Shared {
    fn new() -> Self {
        let shared = Self { folder: tempfile::tempdir().unwrap() };
        for dir in ["home", "rp"] {
            fs::create_dir(shared.path(dir)).unwrap();
        }
        shared.git("rp", "init --quiet --initial-branch=main");
        fs::write(shared.path("rp/f.txt"), "one\n").unwrap();
        shared.skein("rp", &["checkpoint", "save", "m1", "-m", "main work", "--step", "a"]);
        shared.skein("rp", &["share"]);
        shared.git("rp", "add --all");
        shared.git("rp", "commit --quiet -m share");
        shared.skein("rp", &["install", "git"]);
        shared.git("rp", "worktree add --quiet -b wte ../we");
        shared
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, dir: &str, program: &str, args: &[&str]) -> Output {
        let binary = Path::new(env!("CARGO_BIN_EXE_skein"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = [binary.parent().unwrap().to_owned()].into_iter();
        let path = std::env::join_paths(dirs.chain(std::env::split_paths(&path))).unwrap();
        Command::new(program)
            .args(args)
            .current_dir(self.path(dir))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("SKEIN_AUTHOR", "Mira")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
            .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
            .output()
            .unwrap()
    }

    fn try_git(&self, dir: &str, words: &str) -> Output {
        self.run(dir, "git", &words.split_whitespace().collect::<Vec<_>>())
    }

    #[track_caller]
    fn git(&self, dir: &str, words: &str) -> String {
        let output = self.try_git(dir, words);
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program, and returns the text of both streams.
    #[track_caller]
    fn skein(&self, dir: &str, args: &[&str]) -> String {
        let output = self.run(dir, env!("CARGO_BIN_EXE_skein"), args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(output.status.success(), "{args:?}: {text}");
        text
    }

    /// Changes the code and commits it; the git hook writes a checkpoint.
    fn change(&self, dir: &str, message: &str) {
        fs::write(self.path(dir).join("f.txt"), message).unwrap();
        self.git(dir, &format!("commit --quiet --all -m {message}"));
    }
}

#[test]
fn a_commit_leaves_a_worktree_with_shared_checkpoints_clean() {
    let shared = Shared::new();
    shared.change("rp", "c1");
    assert_eq!(shared.git("rp", "status --short"), "");
    let list = shared.skein("rp", &["checkpoint", "list", "type:auto"]);
    assert!(list.contains("Auto: c1"), "{list}");
    // The worktree can be removed without force, and the checkpoint of the hook can be restored.
    shared.change("we", "c2");
    assert_eq!(shared.git("we", "status --short"), "");
    shared.git("rp", "worktree remove ../we");
    assert!(!shared.skein("rp", &["doctor"]).contains("worktree-removed"));
    shared.skein("rp", &["checkpoint", "restore", "--worktree", "wte"]);
    let list = shared.skein("rp", &["checkpoint", "list", "type:auto"]);
    assert!(list.contains("Auto: c2"), "{list}");
}

#[test]
fn checkpoints_of_a_removed_worktree_are_listed_and_restored() {
    let shared = Shared::new();
    shared.skein("we", &["checkpoint", "save", "w1", "-m", "worktree work", "--step", "b"]);
    shared.change("we", "wt-commit");
    let seen = shared.skein("rp", &[]);
    assert!(seen.contains("In other worktrees\n  1 checkpoint to resume in we (wte)\n"), "{seen}");
    let printed =
        "1 checkpoint to resume is in another worktree: `skein checkpoint list --all-worktrees`\n";
    for command in [&["checkpoint", "list"][..], &["resume"]] {
        let seen = shared.skein("rp", command);
        assert!(seen.contains(printed), "{seen}");
        assert!(!seen.contains("worktree work"), "{seen}");
    }
    let all = shared.skein("rp", &["checkpoint", "list", "--all-worktrees"]);
    assert!(all.contains("worktree work") && !all.contains(printed), "{all}");
    // A checkpoint that is in both worktrees is listed once.
    assert_eq!(all.matches("main work").count(), 1, "{all}");
    let refused = shared.run("rp", env!("CARGO_BIN_EXE_skein"), &["resume", "w1"]);
    let refused = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.starts_with("Error: the checkpoint is in another worktree: w1\nHint: run the command there: `skein -C "),
        "{refused}"
    );
    shared.git("rp", "worktree remove --force ../we");
    let found = shared.run("rp", env!("CARGO_BIN_EXE_skein"), &["doctor"]).stdout;
    let found = String::from_utf8(found).unwrap();
    let printed = "1 checkpoint of the removed worktree on wte can be restored: `skein checkpoint restore --worktree wte`";
    assert!(found.contains(printed), "{found}");
    let overview = shared.skein("rp", &[]);
    assert!(overview.contains(printed), "{overview}");
    let listed = shared.skein("rp", &["checkpoint", "restore"]);
    assert!(listed.contains("worktree work") && listed.contains("Auto: wt-commit"), "{listed}");
    let done = shared.skein("rp", &["checkpoint", "restore", "--worktree", "wte"]);
    assert_eq!(done.lines().filter(|line| line.starts_with("Restored T-")).count(), 2, "{done}");
    let resumed = shared.skein("rp", &["resume", "w1"]);
    assert!(resumed.contains("worktree work"), "{resumed}");
    assert!(!shared.skein("rp", &["doctor"]).contains("worktree-removed"));
}

#[test]
fn a_checkpoint_in_two_other_worktrees_is_counted_once() {
    let shared = Shared::new();
    shared.skein("we", &["checkpoint", "save", "w1", "-m", "worktree work", "--step", "b"]);
    shared.git("we", "add --all");
    shared.git("we", "commit --quiet -m w1");
    shared.git("rp", "worktree add --quiet -b second ../w2 wte");
    let note =
        "1 checkpoint to resume is in another worktree: `skein checkpoint list --all-worktrees`\n";
    let list = shared.skein("rp", &["checkpoint", "list"]);
    assert!(list.contains(note), "{list}");
}

#[test]
fn a_restored_version_merges_with_the_one_of_the_branch_once_it_is_committed() {
    let shared = Shared::new();
    let save = ["checkpoint", "save", "w1", "-m", "worktree work", "--step", "b", "--step", "c"];
    shared.skein("we", &save);
    shared.git("we", "add --all");
    shared.git("we", "commit --quiet -m w1");
    shared.skein("we", &["steps", "done", "w1#1"]);
    shared.git("rp", "worktree remove --force ../we");
    let done = shared.skein("rp", &["checkpoint", "restore", "--worktree", "wte"]);
    let printed =
        "before you merge it, commit these with `git add workspace/threads && git commit`";
    assert!(done.contains(printed), "{done}");
    assert!(!shared.try_git("rp", "merge --quiet -m both wte").status.success());
    shared.git("rp", "add workspace/threads");
    shared.git("rp", "commit --quiet -m restored");
    shared.git("rp", "merge --quiet -m both wte");
    let steps = shared.skein("rp", &["steps", "--all"]);
    let is_done = |line: &str| line.contains("w1#1") && line.contains("done");
    assert!(steps.lines().any(is_done) && steps.contains("w1#2"), "{steps}");
    assert!(!shared.skein("rp", &["doctor"]).contains("worktree-removed"));
}
