//! The git hook, with and without an existing hook.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use skein_install::{InstallError, InstallOptions, Scope};

use super::{fixture, put, said, take, tools, tree, try_install};
use skein_fixtures::{Fixture, git};

const HOOK: &str = "r/.git/hooks/post-commit";

fn script(fixture: &Fixture, name: &str, text: &str, mode: u32) {
    let path = fixture.file(name, text);
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Creates a program `skein` that logs its arguments.
fn skein(fixture: &Fixture) {
    let log = fixture.path("log").display().to_string();
    script(fixture, "bin/skein", &format!("#!/bin/sh\necho skein \"$@\" >> {log}\n"), 0o755);
}

/// Commits with the real git and returns the log of the hooks.
fn commit(fixture: &Fixture, dir: &Path) -> String {
    run(fixture, dir, &["commit", "--quiet", "--allow-empty", "-m", "more"])
}

/// Runs the real git and returns the log of the hooks and the output of git.
fn run(fixture: &Fixture, dir: &Path, args: &[&str]) -> String {
    let path = format!("{}:{}", fixture.path("bin").display(), std::env::var("PATH").unwrap());
    let output = skein_git::command(dir)
        .env("PATH", path)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success());
    let log = fs::read_to_string(fixture.path("log")).unwrap_or_default();
    let printed = [output.stdout, output.stderr].concat();
    format!("{log}{}", String::from_utf8(printed).unwrap())
}

/// Runs the hook and returns its exit code.
fn status(fixture: &Fixture) -> i32 {
    let mut command = std::process::Command::new(fixture.path(HOOK));
    command.arg("one").arg("two words").current_dir(fixture.path("r"));
    command.status().unwrap().code().unwrap()
}

#[test]
fn a_commit_runs_the_hook() {
    let fixture = fixture();
    skein(&fixture);
    put(&fixture, "git", Scope::Local);
    assert_eq!(commit(&fixture, &fixture.path("r")), "skein hook git post-commit\n");
    fixture.worktree("r", "tree", "topic");
    let twice = "skein hook git post-commit\n".repeat(2);
    assert_eq!(commit(&fixture, &fixture.path("tree")), twice);
}

#[test]
fn a_merge_is_recorded_and_an_existing_hook_is_restored() {
    let fixture = fixture();
    skein(&fixture);
    let (top, log) = (fixture.path("r"), fixture.path("log").display().to_string());
    let own = "r/.git/hooks/post-merge";
    script(&fixture, own, &format!("#!/bin/sh\necho \"mine $*\" >> {log}\n"), 0o755);
    let before = fixture.read(own);
    git(&top, &["switch", "--quiet", "-c", "topic"]);
    commit(&fixture, &top);
    git(&top, &["switch", "--quiet", "-"]);
    run(&fixture, &top, &["commit", "--quiet", "--allow-empty", "-m", "other"]);
    put(&fixture, "git", Scope::Local);
    let log = run(&fixture, &top, &["merge", "--quiet", "--no-edit", "topic"]);
    assert_eq!(log, "mine 0\nskein hook git post-merge\n");
    take(&fixture, "git");
    assert_eq!(fixture.read(own), before);
    assert!(!fixture.path("r/.git/hooks/post-merge.skein-before").exists());
}

#[test]
fn a_commit_prints_nothing_if_the_program_is_missing() {
    let fixture = fixture();
    put(&fixture, "git", Scope::Local);
    assert_eq!(commit(&fixture, &fixture.path("r")), "");
}

#[test]
fn an_existing_hook_runs_first_and_its_exit_code_is_returned() {
    let hooks = [
        "#!/bin/sh\necho \"mine $*\" >> LOG\n",
        "#!/bin/sh\necho \"mine $*\" >> LOG\nexit 7\n",
        "#!/bin/bash\nset -e\necho \"mine $*\" >> LOG\nexec sh -c 'exit 7'\n",
        "#!/usr/bin/awk -f\nBEGIN { line = \"mine\"; for (i = 1; i < ARGC; i++) line = line \" \" ARGV[i]; if (ARGC < 2) line = \"mine \"; print line >> \"LOG\"; exit 7 }\n",
    ];
    for (number, text) in hooks.iter().enumerate() {
        let fixture = fixture();
        skein(&fixture);
        let log = fixture.path("log").display().to_string();
        script(&fixture, HOOK, &text.replace("LOG", &log), 0o755);
        let before = tree(&fixture);
        let report = put(&fixture, "git", Scope::Local);
        let merges = "create r/.git/hooks/post-merge".to_owned();
        let own = [format!("rename {HOOK}"), format!("create {HOOK}"), merges];
        assert_eq!(said(&fixture, &report), own);
        assert_eq!(commit(&fixture, &fixture.path("r")), "mine \nskein hook git post-commit\n");
        assert_eq!(status(&fixture), if number == 0 { 0 } else { 7 });
        assert!(fs::read_to_string(&log).unwrap().contains("mine one two words\n"));

        let once = tree(&fixture);
        assert!(!put(&fixture, "git", Scope::Local).changes_anything());
        assert_eq!(tree(&fixture), once);
        fs::remove_file(&log).unwrap();
        git(&fixture.path("r"), &["reset", "--quiet", "--soft", "HEAD~1"]);
        take(&fixture, "git");
        let hooks = |tree: &str| {
            tree.lines().filter(|line| line.contains("/hooks/")).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(hooks(&tree(&fixture)), hooks(&before));
    }
}

#[test]
fn an_existing_hook_that_is_not_executable_is_not_run() {
    let fixture = fixture();
    skein(&fixture);
    script(&fixture, HOOK, "#!/bin/sh\nexit 7\n", 0o644);
    let before = tree(&fixture);
    put(&fixture, "git", Scope::Local);
    assert_eq!(commit(&fixture, &fixture.path("r")), "skein hook git post-commit\n");
    assert_eq!(status(&fixture), 0);
    take(&fixture, "git");
    let mode = fs::metadata(fixture.path(HOOK)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert!(before.contains("100644"));
}

#[test]
fn a_hook_that_is_a_link_is_restored_as_a_link() {
    let fixture = fixture();
    skein(&fixture);
    let log = fixture.path("log").display().to_string();
    script(&fixture, "r/hook.sh", &format!("#!/bin/sh\necho mine >> {log}\n"), 0o755);
    fixture.link(HOOK, "../../hook.sh");
    put(&fixture, "git", Scope::Local);
    assert_eq!(commit(&fixture, &fixture.path("r")), "mine\nskein hook git post-commit\n");
    take(&fixture, "git");
    assert_eq!(fs::read_link(fixture.path(HOOK)).unwrap(), Path::new("../../hook.sh"));
}

#[test]
fn a_dry_run_reports_that_a_hook_is_renamed() {
    let fixture = fixture();
    script(&fixture, HOOK, "#!/bin/sh\n", 0o755);
    let before = fixture.tree();
    let report = try_install(&fixture, "git", None, true).unwrap();
    let merges = "create r/.git/hooks/post-merge".to_owned();
    let own = [format!("rename {HOOK}"), format!("create {HOOK}"), merges];
    assert_eq!(said(&fixture, &report), own);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_custom_hooks_directory_needs_consent() {
    let fixture = fixture();
    git(&fixture.path("r"), &["config", "core.hooksPath", ".husky"]);
    let error = try_install(&fixture, "git", None, false).unwrap_err();
    assert!(matches!(&error, InstallError::HooksPath { dir } if dir.ends_with("r/.husky")));
    assert!(!fixture.path("r/.husky").exists());
    let workspace = fixture.open("r");
    let options = InstallOptions { scope: None, dry_run: false, consent: true };
    skein_install::install(&workspace, &tools(), "git", &options).unwrap();
    assert!(fixture.read("r/.husky/post-commit").contains("skein hook git post-commit"));
    take(&fixture, "git");
    assert!(!fixture.path("r/.husky").exists());
}

#[test]
fn a_second_existing_hook_is_refused_and_not_changed() {
    let fixture = fixture();
    put(&fixture, "git", Scope::Local);
    script(&fixture, HOOK, "#!/bin/sh\n# of another program\n", 0o755);
    script(&fixture, "r/.git/hooks/post-commit.skein-before", "#!/bin/sh\n", 0o755);
    let before = fixture.tree();
    let error = try_install(&fixture, "git", None, false).unwrap_err();
    assert!(matches!(error, InstallError::TwoHooks { .. }), "{error}");
    assert_eq!(fixture.tree(), before);
    take(&fixture, "git");
    assert!(fixture.read(HOOK).contains("of another program"));
}

#[test]
fn a_hook_that_replaced_ours_and_the_earlier_one_are_both_kept() {
    let fixture = fixture();
    let aside = "r/.git/hooks/post-commit.skein-before";
    script(&fixture, HOOK, "#!/bin/sh\n# the first\n", 0o755);
    put(&fixture, "git", Scope::Local);
    script(&fixture, HOOK, "#!/bin/sh\n# of another program\n", 0o755);
    for merges in [true, false] {
        let report = take(&fixture, "git");
        let merges = merges.then(|| "remove r/.git/hooks/post-merge".to_owned());
        let kept = std::iter::once(format!("keep {HOOK}"));
        assert_eq!(said(&fixture, &report), kept.chain(merges).collect::<Vec<_>>());
        let why = report.changes[0].reason.as_deref().unwrap();
        assert!(why.contains("`.skein-before`"), "{why}");
        assert!(fixture.read(HOOK).contains("of another program"));
        assert!(fixture.read(aside).contains("the first"));
        assert!(fixture.read("home/state/installed.json").contains("post-commit"));
    }
    fs::remove_file(fixture.path(aside)).unwrap();
    assert_eq!(take(&fixture, "git").changes.len(), 0);
    assert!(!fixture.read("home/state/installed.json").contains("post-commit"));
    assert!(fixture.read(HOOK).contains("of another program"));
}

#[test]
fn a_renamed_hook_of_ours_that_a_crash_left_is_removed() {
    let fixture = fixture();
    skein(&fixture);
    let aside = "r/.git/hooks/post-commit.skein-before";
    put(&fixture, "git", Scope::Local);
    script(&fixture, aside, &fixture.read(HOOK), 0o755);
    let own = "#!/bin/sh\n# mine\n";
    script(&fixture, HOOK, own, 0o755);
    put(&fixture, "git", Scope::Local);
    assert_eq!(fixture.read(aside), own);

    script(&fixture, aside, &fixture.read(HOOK), 0o755);
    put(&fixture, "git", Scope::Local);
    assert_eq!(commit(&fixture, &fixture.path("r")), "skein hook git post-commit\n");
    assert!(!fixture.path(aside).exists());

    script(&fixture, aside, &fixture.read(HOOK), 0o755);
    script(&fixture, HOOK, own, 0o755);
    take(&fixture, "git");
    assert_eq!(fixture.read(HOOK), own);
    assert!(!fixture.path(aside).exists());
}

#[test]
fn only_a_repository_has_hooks() {
    let fixture = Fixture::new();
    fixture.dir("r");
    fixture.dir("home");
    let error = try_install(&fixture, "git", None, false).unwrap_err();
    assert!(matches!(error, InstallError::NoRepository { .. }), "{error}");
    git(&fixture.path("r"), &["init", "--quiet", "--bare"]);
    let error = try_install(&fixture, "git", None, false).unwrap_err();
    assert!(matches!(error, InstallError::Bare { .. }), "{error}");
    let error = try_install(&fixture, "git", Some(Scope::User), false).unwrap_err();
    assert!(matches!(error, InstallError::NoScope { .. }), "{error}");
}
