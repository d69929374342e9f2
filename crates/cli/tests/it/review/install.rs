//! `install`, and the parts of `init` and `uninstall` that depend on it.

use std::fs;

use super::repo;
use crate::place::Place;

/// A repository on a machine that has Skein and Claude Code.
fn place() -> Place {
    let mut place = repo::repo();
    place.machine.has_program = |name| matches!(name, "skein" | "claude");
    place
}

#[test]
fn the_state_of_every_agent_is_listed() {
    let place = place();
    place.check(
        "install",
        "
claude-code  not installed; found the program `claude`
codex        not found here
opencode     not found here
gemini-cli   not found here
cursor       not found here
git          not found here
-- stderr
`skein install AGENT` installs it; `--dry-run` shows the changes
-- exit 0
",
    );
    repo::done(&place, &["install", "claude-code"]);
    place.check(
        "install",
        "
claude-code  installed (local)
               ROOT/here/.claude/settings.local.json
               ROOT/here/.claude/commands/checkpoint.md
               ROOT/here/.claude/commands/cleanup.md
               ROOT/here/.claude/commands/handoff.md
               ROOT/here/.claude/commands/review.md
               ROOT/here/.claude/commands/search.md
codex        not found here
opencode     not found here
gemini-cli   not found here
cursor       not found here
git          not found here
-- exit 0
",
    );
}

#[test]
fn an_agent_is_installed_and_uninstalled() {
    let place = place();
    place.file(".claude/settings.local.json", "{\n  \"model\": \"opus\"\n}\n");
    let before = repo::tree(&place);
    let output = place.run("install claude-code --dry-run");
    assert!(output.out.contains("+  \"hooks\": {\n"), "{output}");
    assert_eq!(repo::tree(&place), before);
    place.check(
        "install claude-code",
        "
Changed ROOT/here/.claude/settings.local.json
Created ROOT/here/.claude/commands/checkpoint.md
Created ROOT/here/.claude/commands/cleanup.md
Created ROOT/here/.claude/commands/handoff.md
Created ROOT/here/.claude/commands/review.md
Created ROOT/here/.claude/commands/search.md
Created ROOT/here/.git/hooks/post-checkout
-- stderr
Git ignores these files here (in .git/info/exclude)
Hooks may pass threads of ROOT/here to agents; `skein uninstall claude-code` undoes that
Created the store: ROOT/here/workspace/threads
Git ignores /workspace/threads/ here (in .git/info/exclude).
-- exit 0
",
    );
    place.check("install claude-code", "\nNothing to do.\n-- exit 0\n");
    place.check(
        "uninstall claude-code",
        "
Changed ROOT/here/.claude/settings.local.json
Removed ROOT/here/.claude/commands/checkpoint.md
Removed ROOT/here/.claude/commands/cleanup.md
Removed ROOT/here/.claude/commands/handoff.md
Removed ROOT/here/.claude/commands/review.md
Removed ROOT/here/.claude/commands/search.md
Removed ROOT/here/.git/hooks/post-checkout
-- stderr
Removed from .git/info/exclude in ROOT/here: /.claude/settings.local.json, /.claude/commands/checkpoint.md, /.claude/commands/cleanup.md, /.claude/commands/handoff.md, /.claude/commands/review.md, /.claude/commands/search.md
Removed the empty store of checkpoints in ROOT/here
Hooks do not pass threads of ROOT/here to agents any more
-- exit 0
",
    );
    let text = fs::read_to_string(place.machine.dir.join(".claude/settings.local.json")).unwrap();
    assert_eq!(text, "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn an_install_error_has_a_hint() {
    let place = place();
    repo::refused(
        &place,
        "install emacs",
        "Error: Skein cannot be installed for `emacs`
Hint: the agents are `claude-code`, `codex`, `opencode`, `gemini-cli`, `cursor`, `git`
",
    );
    repo::refused(
        &place,
        "install git --user",
        "Error: git has no user settings
Hint: use `--local`, or leave it out
",
    );
    place.file(".claude/settings.local.json", "{\n  \"model\" \"opus\"\n}\n");
    let path = "ROOT/here/.claude/settings.local.json";
    repo::refused(
        &place,
        "install claude-code",
        &format!(
            "Error: cannot parse {path}
Caused by: line 2: expected `:` after the key
Hint: nothing was changed: fix {path}, and run the command again
"
        ),
    );
    let output = place.run("uninstall");
    assert_eq!(output.code, 0, "a file that does not name Skein is not looked at: {output}");
    repo::git(&place.machine.dir, "config core.hooksPath .husky");
    let dir = "ROOT/here/.husky";
    repo::refused(
        &place,
        "install git",
        &format!(
            "Error: git runs the hooks of {dir}, which other repositories may use too
Hint: `--yes` installs it there; `git config --show-origin core.hooksPath` shows where that is set
"
        ),
    );
    assert_eq!(place.run("install --local").code, 2);
    assert_eq!(place.run("install codex --local --user").code, 2);
}

#[test]
fn init_without_a_terminal_only_lists_what_it_would_install() {
    let place = place();
    place.check(
        "init",
        "
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
Would create ROOT/here/.claude/settings.local.json
Would create ROOT/here/.claude/commands/checkpoint.md
Would create ROOT/here/.claude/commands/cleanup.md
Would create ROOT/here/.claude/commands/handoff.md
Would create ROOT/here/.claude/commands/review.md
Would create ROOT/here/.claude/commands/search.md
Would create ROOT/here/.git/hooks/post-checkout
-- stderr
`skein install claude-code` installs it for Claude Code; `--dry-run` shows the changes
`skein review add FILE:LINE -m TEXT` comments on a line
-- exit 0
",
    );
    assert!(!place.machine.dir.join(".claude").exists());
    assert!(!place.path("home/.local/state/skein/trust.json").exists());
    let plan = repo::json(&place, &["init", "--json"]);
    assert_eq!(plan["plan"][0]["changes"][0]["action"], "create");
    assert_eq!(plan["installed"], false);
    assert!(!place.machine.dir.join(".claude").exists());
}

#[test]
fn init_asks_once() {
    let mut place = place();
    place.machine.stdin_is_terminal = true;
    place.machine.stderr_is_terminal = true;
    place.input = "n\n";
    let output = place.run("init");
    assert!(output.err.starts_with("Install Skein for Claude Code? [y/N] "), "{output}");
    assert!(!place.machine.dir.join(".claude").exists());
    place.input = "y\n";
    let output = place.run("init");
    assert!(output.out.contains("/.claude/settings.local.json\nCreated "), "{output}");
    assert!(place.machine.dir.join(".claude/settings.local.json").exists());
    let output = place.run("init");
    assert!(!output.err.contains("Install Skein"), "{output}");
}

#[test]
fn init_with_yes_does_not_ask() {
    let place = place();
    let output = place.run("init --yes");
    assert_eq!(output.code, 0, "{output}");
    assert!(place.machine.dir.join(".claude/settings.local.json").exists());
    assert!(place.path("home/.local/state/skein/trust.json").exists());
}

#[test]
fn uninstall_removes_everything_and_lists_what_it_keeps() {
    let place = place();
    place.file("workspace/threads/T-20260101-100000-x.json", "{}\n");
    repo::done(&place, &["init", "--yes"]);
    repo::done(&place, &["install", "git"]);
    let before = repo::tree(&place);
    let output = place.run("uninstall --dry-run");
    assert!(output.out.contains("\nWould remove ROOT/here/.git/hooks/post-commit\n"), "{output}");
    assert!(
        output.out.contains("\nWould remove from .git/info/exclude in ROOT/here: "),
        "{output}"
    );
    assert!(
        output.out.contains("\nHooks would not pass threads of ROOT/here to agents any more\n"),
        "{output}"
    );
    assert_eq!(repo::tree(&place), before);
    place.check(
        "uninstall",
        "
Removed ROOT/here/.claude/settings.local.json
Removed ROOT/here/.claude/commands/checkpoint.md
Removed ROOT/here/.claude/commands/cleanup.md
Removed ROOT/here/.claude/commands/handoff.md
Removed ROOT/here/.claude/commands/review.md
Removed ROOT/here/.claude/commands/search.md
Removed ROOT/here/.git/hooks/post-commit
Removed ROOT/here/.git/hooks/post-merge
Removed ROOT/here/.git/hooks/post-checkout
Removed from .git/info/exclude in ROOT/here: /.claude/settings.local.json, /.claude/commands/checkpoint.md, /.claude/commands/cleanup.md, /.claude/commands/handoff.md, /.claude/commands/review.md, /.claude/commands/search.md
Hooks do not pass threads of ROOT/here to agents any more
The threads stay: ROOT/here/.code-review
The checkpoints stay: ROOT/here/workspace/threads
-- exit 0
",
    );
    assert!(!place.machine.dir.join(".claude").exists());
    assert!(!place.path("home/.local/state/skein").exists());
}

#[test]
fn uninstall_does_not_list_a_removed_store_as_kept() {
    let place = place();
    repo::done(&place, &["install", "git"]);
    place.check(
        "uninstall",
        "
Removed ROOT/here/.git/hooks/post-commit
Removed ROOT/here/.git/hooks/post-merge
Removed the empty store of checkpoints in ROOT/here
Hooks do not pass threads of ROOT/here to agents any more
-- exit 0
",
    );
}

#[test]
fn a_bare_repository_has_nothing_to_review_or_install_into() {
    let mut place = place();
    repo::git(&place.machine.dir, "init -q --bare bare");
    place.machine.dir.push("bare");
    let hint = "Hint: go to a clone or a worktree of it; `git worktree add ../work` makes one\n";
    for words in [
        "install git",
        "share",
        "install claude-code",
        "review diff",
        "review submit",
        "review add config:1 -m x",
        "review add config:1 -m x --draft",
        "review write",
        "init",
    ] {
        let output = place.run(words);
        assert_eq!(output.code, 2, "{output}");
        assert!(output.err.starts_with("Error: this is a bare repository"), "{output}");
        assert!(output.err.ends_with(hint), "{output}");
    }
    assert!(!place.machine.dir.join(".code-review").exists());
}

#[test]
fn at_a_terminal_uninstall_lists_what_changes_and_asks() {
    let mut place = place();
    repo::done(&place, &["install", "claude-code"]);
    let before = repo::tree(&place);
    place = place.on_terminal(100);
    place.input = "n\n";
    let output = place.run("uninstall");
    assert_eq!(output.code, 1, "{output}");
    let plan = "Would remove ROOT/here/.claude/settings.local.json\n";
    assert!(output.err.contains(plan), "{output}");
    assert!(output.err.ends_with("Continue? [y/N] Nothing was changed.\n"), "{output}");
    assert_eq!(repo::tree(&place), before);
    place.input = "y\n";
    let output = place.run("uninstall");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.out.contains("Removed ROOT/here/.claude/settings.local.json\n"), "{output}");
    // Nothing is left to uninstall, so there is no question.
    place.input = "";
    assert_eq!(place.run("uninstall").code, 0);
}

#[test]
fn uninstall_changes_other_repositories_only_with_everywhere() {
    let mut place = place();
    repo::done(&place, &["install", "claude-code"]);
    let here = place.machine.dir.clone();
    place.machine.dir = place.path("other");
    fs::create_dir_all(&place.machine.dir).unwrap();
    repo::git(&place.machine.dir, "init -q --template= -b main");
    let output = place.run("uninstall");
    assert_eq!(output.code, 0, "{output}");
    let settings = here.join(".claude/settings.local.json");
    assert!(settings.exists(), "{output}");
    let output = place.run("uninstall --everywhere");
    assert_eq!(output.code, 2, "without a terminal it needs --yes: {output}");
    assert!(settings.exists() && output.err.contains(".claude"), "{output}");
    let output = place.run("uninstall --everywhere --yes");
    assert_eq!(output.code, 0, "{output}");
    assert!(!settings.exists(), "{output}");
}

#[test]
fn checkpoints_stay_trusted_for_the_repositories_below_that_use_them() {
    let mut place = place();
    let outer = place.path("outer");
    fs::create_dir_all(outer.join("repo")).unwrap();
    place.machine.dir = outer.clone();
    repo::done(&place, &["install", "claude-code"]);
    place.machine.dir = outer.join("repo");
    repo::git(&place.machine.dir, "init -q --template= -b main");
    repo::done(&place, &["install", "claude-code"]);
    place.machine.dir = outer;
    let output = place.run("uninstall claude-code");
    let stays = "Hooks in ROOT/outer/repo still pass checkpoints of ROOT/outer to agents; `skein -C ROOT/outer/repo uninstall` ends that\n";
    assert!(output.err.contains(stays), "{output}");
    place.machine.dir = place.path("outer/repo");
    let output = place.run("uninstall");
    let forgets = "Hooks do not pass threads of ROOT/outer to agents any more\n";
    assert!(output.to_string().contains(forgets), "{output}");
}

#[test]
fn purging_one_worktree_keeps_the_threads_of_the_others_out_of_commits() {
    let mut place = place();
    let here = place.machine.dir.clone();
    repo::git(&here, "worktree add -q ../linked -b linked");
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.machine.dir = place.path("linked");
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.machine.dir = here;
    let output = place.run("uninstall --purge --yes");
    let stays = "The line in .git/info/exclude stays for ROOT/linked/.code-review\n";
    assert!(output.out.contains(stays), "{output}");
    place.machine.dir = place.path("linked");
    assert_eq!(repo::git(&place.machine.dir, "status --short"), "");
    let output = place.run("uninstall --purge --yes");
    assert!(output.out.contains("Removed the line in .git/info/exclude\n"), "{output}");
}

#[test]
fn sharing_from_a_linked_worktree_names_the_commands_for_both_checkouts() {
    let mut place = place();
    let here = place.machine.dir.clone();
    repo::git(&here, "worktree add -q ../linked -b linked");
    place.machine.dir = place.path("linked");
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    repo::done(&place, &["checkpoint", "save", "-m", "work"]);
    let output = place.run("share");
    for expected in [
        "`git add .code-review && git commit -m \"Share review threads\"` puts the threads into the repository\n",
        "`git -C ROOT/here add workspace/threads && git -C ROOT/here commit -m \"Share checkpoints\"` puts the threads into the repository\n",
    ] {
        assert!(output.to_string().contains(expected), "{output}");
    }
}

#[test]
fn uninstall_everywhere_reaches_repositories_that_only_share_their_threads() {
    let mut place = place();
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    repo::done(&place, &["share"]);
    let here = place.machine.dir.clone();
    let driver = || repo::git(&here, "config --get-regexp merge.skein.*driver");
    assert!(driver().contains("skein"));
    place.machine.dir = place.path("other");
    fs::create_dir_all(&place.machine.dir).unwrap();
    repo::git(&place.machine.dir, "init -q --template= -b main");
    let output = place.run("uninstall --everywhere --dry-run");
    let would = "Would remove the merge driver from git's configuration in ROOT/here\n";
    assert!(output.out.contains(would), "{output}");
    assert!(output.out.contains("The threads stay: ROOT/here/.code-review\n"), "{output}");
    let output = place.run("uninstall --everywhere --yes");
    assert_eq!(output.code, 0, "{output}");
    let config = fs::read_to_string(here.join(".git/config")).unwrap();
    assert!(!config.contains("skein"), "{config}");
}

#[test]
fn a_dry_run_shows_the_changes_to_shared_git_hooks() {
    let place = place();
    place.file(".husky/post-commit", "#!/bin/sh\n");
    repo::git(&place.machine.dir, "config core.hooksPath .husky");
    let output = place.run("install git --dry-run");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.out.contains("ROOT/here/.husky/post-commit"), "{output}");
    assert_eq!(place.run("install git").code, 2, "without consent nothing is written");
}

#[test]
fn doctor_names_the_current_directory_in_a_finding() {
    let place = place();
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    repo::done(&place, &["share"]);
    repo::git(&place.machine.dir, "config --remove-section merge.skein-review");
    let output = place.run("doctor");
    assert!(output.out.contains(".: warning [store-no-merge-driver]\n"), "{output}");
}

#[test]
fn an_installation_in_an_untrusted_directory_is_reported() {
    let mut place = place();
    repo::done(&place, &["install", "claude-code"]);
    let note = "Hooks pass nothing to agents here, because this workspace is not accepted";
    let output = place.run("install");
    assert!(!output.to_string().contains(note), "{output}");
    fs::rename(&place.machine.dir, place.path("moved")).unwrap();
    place.machine.dir = place.path("moved");
    let output = place.run("install");
    assert!(output.to_string().contains(note), "{output}");
    repo::done(&place, &["install", "claude-code"]);
    let output = place.run("install");
    assert!(!output.to_string().contains(note), "{output}");
}

#[test]
fn without_a_home_directory_state_is_kept_in_the_git_directory() {
    let mut place = place();
    place.machine.home = None;
    repo::done(&place, &["review", "add", "src/a.rs:2", "-m", "Later", "--draft"]);
    assert!(place.machine.dir.join(".git/skein-home/skein").is_dir());
    let status = repo::git(&place.machine.dir, "status --porcelain");
    assert!(!status.contains("skein"), "{status}");
    // The draft is found from any folder of the repository.
    place.machine.dir.push("src");
    let output = place.run("review list --drafts");
    assert!(output.out.contains("src/a.rs:2"), "{output}");
}
