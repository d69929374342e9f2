//! Threads that two people answer on two branches, merged by real git with the real program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A repository that shares its threads, with one thread in it.
struct Shared {
    folder: TempDir,
}

impl Shared {
    fn new() -> Self {
        let shared = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(shared.folder.path().join("home")).unwrap();
        fs::create_dir(shared.repo()).unwrap();
        shared.git("init --quiet --initial-branch=main");
        fs::write(shared.repo().join("a.rs"), "fn a() {\n    one();\n}\n").unwrap();
        shared.skein(&["review", "add", "a.rs:2", "-m", "Why?", "--author", "Mira"]);
        shared.skein(&["share"]);
        shared.git("add --all");
        shared.git("commit --quiet -m begin");
        shared
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn thread(&self) -> PathBuf {
        let mut files = fs::read_dir(self.repo().join(".code-review/threads")).unwrap();
        files.next().unwrap().unwrap().path()
    }

    fn command(&self, program: &str) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_skein"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = [binary.parent().unwrap().to_owned()].into_iter();
        let path = std::env::join_paths(dirs.chain(std::env::split_paths(&path))).unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(self.repo())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
            .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")]);
        command
    }

    fn try_git(&self, words: &str) -> Output {
        self.command("git").args(words.split_whitespace()).output().unwrap()
    }

    #[track_caller]
    fn git(&self, words: &str) {
        let output = self.try_git(words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    #[track_caller]
    fn skein(&self, args: &[&str]) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_skein")).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Replies on a new branch.
    fn answer(&self, branch: &str, args: &[&str]) {
        self.git(&format!("switch --quiet -c {branch} main"));
        self.skein(&[&["review", "reply", "a.rs:2"], args].concat());
        self.git("commit --quiet --all -m answer");
    }

    fn bodies(&self) -> Vec<String> {
        let view: serde_json::Value =
            serde_json::from_str(&self.skein(&["show", "a.rs:2", "--json"])).unwrap();
        let comments = view.get("comments").unwrap().as_array().unwrap();
        let body = |one: &serde_json::Value| one.get("body").unwrap().as_str().unwrap().to_owned();
        comments.iter().map(body).collect()
    }
}

#[test]
fn two_answers_on_two_branches_merge() {
    let shared = Shared::new();
    shared.answer("one", &["-m", "Because one.", "--author", "Claude Code"]);
    shared.answer("two", &["-m", "Because two.", "--author", "Tom", "--resolve"]);
    shared.git("merge --quiet -m both one");
    assert_eq!(shared.bodies(), ["Why?", "Because one.", "Because two."]);
    let text = fs::read_to_string(shared.thread()).unwrap();
    assert!(text.contains("\"status\": \"resolved\""), "{text}");
    assert!(!text.contains("<<<<<<<"), "{text}");
    assert_eq!(shared.skein(&["doctor"]).lines().count(), 1);
}

#[test]
fn an_answer_that_one_side_dropped_survives_the_merge_with_a_note() {
    let shared = Shared::new();
    shared.skein(&["review", "reply", "a.rs:2", "-m", "Because.", "--author", "Tom"]);
    let begun = fs::read_to_string(shared.thread()).unwrap();
    shared.git("commit --quiet --all -m answer");
    shared.answer("one", &["-m", "I see.", "--author", "Mira"]);
    shared.git("switch --quiet -c two main");
    let second = begun.rfind("<local-code-review-comment").unwrap();
    fs::write(shared.thread(), begun.split_at(second).0).unwrap();
    shared.git("commit --quiet --all -m stale");
    let merge = shared.try_git("merge --quiet -m both one");
    assert!(merge.status.success());
    let messages = String::from_utf8(merge.stderr).unwrap();
    assert!(messages.contains("is missing on one side, and is kept"), "{messages}");
    assert_eq!(shared.bodies(), ["Why?", "Because.", "I see."]);
}

#[test]
fn a_conflict_in_the_prose_leaves_the_comments_merged() {
    let shared = Shared::new();
    for branch in ["one", "two"] {
        shared.git(&format!("switch --quiet -c {branch} main"));
        let text = fs::read_to_string(shared.thread()).unwrap();
        let text = text.replace("## Comments\n", &format!("Note of {branch}.\n\n## Comments\n"));
        fs::write(shared.thread(), text).unwrap();
        shared.skein(&["review", "reply", "a.rs:2", "-m", branch, "--author", branch]);
        shared.git("commit --quiet --all -m note");
    }
    let merge = shared.try_git("merge --quiet -m both one");
    assert_eq!(merge.status.code(), Some(1));
    let text = fs::read_to_string(shared.thread()).unwrap();
    let conflict = "<<<<<<< ours\nNote of two.\n=======\nNote of one.\n>>>>>>> theirs\n";
    assert!(text.contains(conflict), "{text}");
    assert_eq!(text.matches("=======").count(), 1);
    assert_eq!(shared.bodies(), ["Why?", "one", "two"]);
}

#[test]
fn without_the_merge_driver_git_leaves_a_conflict_that_doctor_merges() {
    let shared = Shared::new();
    shared.answer("one", &["-m", "Because one.", "--author", "Ada"]);
    shared.answer("two", &["-m", "Because two.", "--author", "Tom"]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut git = shared.command("git");
    git.env("PATH", path).args(["merge", "--quiet", "-m", "both", "one"]);
    assert_eq!(git.output().unwrap().status.code(), Some(1));
    assert!(fs::read_to_string(shared.thread()).unwrap().contains("<<<<<<<"));
    shared.skein(&["doctor", "--fix", "--yes"]);
    assert_eq!(shared.bodies(), ["Why?", "Because one.", "Because two."]);
}

#[test]
fn if_the_merge_driver_fails_both_sides_are_in_the_file() {
    let shared = Shared::new();
    shared.answer("one", &["-m", "Because one.", "--author", "Ada"]);
    shared.answer("two", &["-m", "Because two.", "--author", "Tom"]);
    let broken = shared.folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("skein"), "#!/bin/sh\nexit 2\n").unwrap();
    fs::set_permissions(broken.join("skein"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = [broken].into_iter().chain(std::env::split_paths(&path));
    let mut git = shared.command("git");
    git.env("PATH", std::env::join_paths(dirs).unwrap());
    let merge = git.args(["merge", "--quiet", "-m", "both", "one"]).output().unwrap();
    assert_eq!(merge.status.code(), Some(1));
    let text = fs::read_to_string(shared.thread()).unwrap();
    assert!(text.contains("Because one.") && text.contains("Because two."), "{text}");
}

#[test]
fn steps_that_were_closed_on_two_branches_are_both_closed() {
    let shared = Shared::new();
    let save = ["checkpoint", "save", "parser", "-m", "Done.", "--step", "one", "--step", "two"];
    shared.skein(&save);
    shared.skein(&["share"]);
    shared.git("add --all");
    shared.git("commit --quiet -m checkpoint");
    for (branch, step) in [("one", "parser#1"), ("two", "parser#2")] {
        shared.git(&format!("switch --quiet -c {branch} main"));
        shared.skein(&["steps", "done", step, "--author", branch]);
        shared.skein(&["handoff", "-m", branch]);
        shared.git("add --all");
        shared.git("commit --quiet -m step");
    }
    shared.git("merge --quiet -m both one");
    assert!(!shared.skein(&["steps"]).contains("parser#"));
    let all = shared.skein(&["steps", "list", "--all", "--thread", "parser"]);
    assert_eq!(all.matches("done").count(), 2, "{all}");
    assert!(shared.skein(&["resume"]).contains("> two"));
}
