use std::path::Path;

use proptest::prelude::*;

use super::{commits, script_of};

/// Formats the directories of the commits; `.` is the one in which the script starts.
fn shown(script: &str) -> String {
    let name = |dir: &std::path::PathBuf| match dir.display().to_string() {
        dir if dir.is_empty() => ".".to_owned(),
        dir => dir,
    };
    commits(script, Some(Path::new("/home/me"))).iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_commit_is_found_in_every_spelling() {
    let table = [
        ("git commit", "."),
        ("git commit -m x", "."),
        ("git  commit", "."),
        ("git\tcommit", "."),
        ("  git commit;", "."),
        ("git commit&", "."),
        ("git \\\n  commit -m x", "."),
        ("git \\\r\n  commit -m x", "."),
        ("git -C sub commit -m x", "sub"),
        ("git -C /abs commit", "/abs"),
        ("git -C a -C b commit", "a/b"),
        ("git -C 'a b' commit", "a b"),
        ("git -c user.name=x commit", "."),
        ("git -c user.name='A B' -c k=v commit -m x", "."),
        ("git --git-dir=.git commit", "."),
        ("git --git-dir .git --work-tree . commit", "."),
        ("git --no-pager commit", "."),
        ("git -p commit", "."),
        ("/usr/bin/git commit", "."),
        ("command git commit", "."),
        ("\\git commit", "."),
        ("'git' \"commit\"", "."),
        ("GIT_AUTHOR_NAME=x git commit", "."),
        ("A=b C='d e' git commit", "."),
        ("env A=b git commit", "."),
        ("env -u HOME -i git commit", "."),
        ("sudo -u me git commit", "."),
        ("time git commit", "."),
        ("nohup git commit", "."),
        ("timeout -s KILL 10 git commit", "."),
        ("nice -n 5 git commit", "."),
        ("git add . && git commit -m x", "."),
        ("git add .; git commit -m x", "."),
        ("git add . || git commit", "."),
        ("git add .\ngit commit -m x\n", "."),
        ("echo x | git commit -F -", "."),
        ("true & git commit", "."),
        ("(git commit)", "."),
        ("{ git commit; }", "."),
        ("if true; then git commit; fi", "."),
        ("for f in a b; do git commit -m $f; done", "."),
        ("! git commit", "."),
        ("case x in x) git commit;; esac", "."),
        ("cd sub && git commit", "sub"),
        ("cd sub; cd deep; git commit", "sub/deep"),
        ("(cd sub && git commit); git commit", "sub ."),
        ("cd -- sub && git -C x commit", "sub/x"),
        ("cd \"$HOME\" && git commit", "."),
        ("pushd sub && git commit", "sub"),
        ("bash -c 'git commit -m x'", "."),
        ("bash -lc \"git commit -m x\"", "."),
        ("sh -e -c 'cd sub && git commit'", "sub"),
        ("bash -o pipefail -c 'git commit'", "."),
        ("cd a && bash -c 'cd b && git commit'", "a/b"),
        ("eval 'git commit'", "."),
        ("eval git commit", "."),
        ("x=$(git commit -q)", "."),
        ("echo \"$(git commit)\"", "."),
        ("echo `git commit`", "."),
        ("git commit > /dev/null 2>&1", "."),
        ("git commit &> log", "."),
        ("> log git commit", "."),
        ("git commit -m \"$(cat <<'EOF'\nit's (half a quote\nEOF\n)\"", "."),
        ("git commit -F - <<EOF\nx\nEOF\n", "."),
        ("cat <<A <<B\nit's\nA\n\"\nB\ngit commit", "."),
        ("git commit -m 'not --dry-run'", "."),
        ("git commit -m --dry-run", "."),
        ("git commit -am --help", "."),
        ("git commit -- --dry-run", "."),
        ("git commit -n", "."),
        ("git commit --amend --no-edit", "."),
        ("git commit # --dry-run", "."),
        ("git commit -m one && git commit -m two", ". ."),
        ("diff <(git commit) x", "."),
        ("sleep 1; git commit --allow-empty -m bg", "."),
    ];
    for (script, expected) in table {
        assert_eq!(shown(script), expected, "{script}");
    }
}

#[test]
fn a_commit_is_found_in_the_home_directory_and_in_a_heredoc() {
    let table = [
        ("git -C ~/x commit", "/home/me/x"),
        ("git -C ~ commit", "/home/me"),
        ("git -C ~other/x commit", "~other/x"),
        ("cd ~/x && git commit", "/home/me/x"),
        ("cd ~ && git -C y commit", "/home/me/y"),
        ("cd a~b && git commit", "a~b"),
        ("sh <<'EOF'\ngit commit\nEOF", "."),
        ("cd sub && sudo bash -s -- x <<-EOF\n\tcd deep\n\tgit commit\n\tEOF\n", "sub/deep"),
        ("bash -e <<A\ngit -C one commit\nA\ngit -C two commit", "two one"),
        ("bash <<A\nsh <<B\ngit commit\nB\nA\n", "."),
    ];
    for (script, expected) in table {
        assert_eq!(shown(script), expected, "{script}");
    }
}

#[test]
fn other_commands_are_not_commits() {
    let table = [
        "",
        "git",
        "commit",
        "legit commit",
        "git-commit",
        "git commit-tree HEAD",
        "git log --grep commit",
        "git show commit",
        "git help commit",
        "git -C commit status",
        "git -c commit.gpgsign=false log",
        "git config commit.gpgsign",
        "# git commit",
        "true # git commit",
        "git 'commit -m x'",
        "bash commit.sh",
        "git commits",
    ];
    for script in table {
        assert_eq!(shown(script), "", "{script}");
    }
}

#[test]
fn arguments_become_a_script() {
    let args = ["bash", "-lc", "cd 'a b' && git commit -m \"it's\""].map(str::to_owned);
    assert_eq!(shown(&script_of(&args)), "a b");
    let args = ["git", "commit", "-m", "x; y"].map(str::to_owned);
    assert_eq!(shown(&script_of(&args)), ".");
}

#[test]
fn a_deep_or_long_script_is_read_in_one_pass() {
    for part in ["$(", "(", "`", "\"$(", "bash -c '", "${", "<<E\n", "eval "] {
        let script = format!("{}git commit", part.repeat(100_000));
        drop(commits(&script, None));
    }
}

fn parts() -> impl Strategy<Value = String> {
    let parts = [
        "git", "commit", " ", "\n", "'", "\"", "$(", ")", "(", "`", "<<", "EOF", "\\", ";", "&&",
        "|", "-C", "cd", "{", "}", "#", "$", "${", "$'", "bash -c", "eval", ">", "<", "&", "-m",
        "é", "\r",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..40).prop_map(|p| p.concat())
}

proptest! {
    #[test]
    fn unusual_scripts_are_parsed(script in parts(), other in "\\PC{0,200}") {
        drop(commits(&script, None));
        drop(commits(&format!("{other} commit {script}"), None));
    }

    #[test]
    fn a_commit_after_complete_commands_is_always_found(before in "[a-z ]{0,20}(;|&&|\\|\\||\n)") {
        let script = format!("{before} git commit -m x");
        prop_assert_eq!(commits(&script, None).len(), 1);
    }
}
