//! Commits and the files that they changed.

use std::path::Path;
use std::time::Duration;

use skein_git::{CommitAs, CommitId, Repo, RunError, commit_all};

use crate::sandbox::{COMMIT, Sandbox, commit, git, head, repo, strings};

fn commit_as(top: &Path, message: &str) -> CommitId {
    commit_all(top, &CommitAs { message, ..COMMIT }).expect("git commits")
}

#[track_caller]
fn check(repo: &Repo, id: &CommitId, subject: &str, files: &[&str]) {
    let about = repo.commit_summary(id).expect("git knows the commit");
    assert_eq!((about.subject.as_str(), about.files), (subject, strings(files)));
}

#[test]
fn commits_are_listed_newest_first() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    let base = head(&repo);
    assert_eq!(repo.commits_since(&base, 10).unwrap(), []);
    sandbox.file("a/x", "1");
    let one = commit_as(&top, "feat: one\n\nbody\n");
    sandbox.file("a/x", "2");
    let two = commit_as(&top, "wrapped\nsubject");
    let reported = |limit| -> Vec<String> {
        let made = repo.commits_since(&base, limit).unwrap();
        made.iter().map(|made| format!("{}: {}", made.id.short(), made.subject)).collect()
    };
    let expected =
        [format!("{}: wrapped subject", two.short()), format!("{}: feat: one", one.short())];
    assert_eq!(reported(10), expected);
    assert_eq!(reported(1), expected[..1]);
    let gone = CommitId::parse(&"1".repeat(40)).unwrap();
    assert!(repo.commits_since(&gone, 10).is_err());
}

#[test]
fn a_commit_summary_has_the_subject_and_the_files() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("a");
    skein_git::init(&top, "main").unwrap();
    sandbox.file("a/with blank ä.txt", "1");
    sandbox.file("a/old", "1");
    let root = commit_as(&top, "begin");
    let repo = repo(&top);
    check(&repo, &root, "begin", &["old", "with blank ä.txt"]);
    git(&top, &["mv", "old", "new"]);
    let moved = commit_as(&top, "move it");
    check(&repo, &moved, "move it", &["new", "old"]);
    let empty = commit_as(&top, "nothing");
    check(&repo, &empty, "nothing", &[]);
}

#[test]
fn a_merge_is_compared_with_its_first_parent() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    git(&top, &["checkout", "--quiet", "-b", "side"]);
    sandbox.file("a/side", "1");
    commit(&top);
    git(&top, &["checkout", "--quiet", "main"]);
    sandbox.file("a/main", "1");
    commit(&top);
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    git(&top, &[&who[..], &["merge", "--quiet", "--no-ff", "-m", "unite", "side"]].concat());
    let repo = repo(&top);
    check(&repo, &head(&repo), "unite", &["side"]);
}

#[test]
fn the_settings_of_a_repository_change_nothing() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let marker = sandbox.path("ran");
    let evil = format!("touch {}", marker.display());
    for (key, value) in [
        ("log.showSignature", "true"),
        ("gpg.program", evil.as_str()),
        ("diff.external", evil.as_str()),
        ("log.showRoot", "false"),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("format.pretty", "raw"),
        ("log.decorate", "full"),
    ] {
        git(&top, &["config", key, value]);
    }
    let repo = repo(&top);
    let base = head(&repo);
    sandbox.file("a/sub/x", "1");
    let made = commit_as(&top, "add");
    check(&repo, &made, "add", &["sub/x"]);
    assert_eq!(repo.commits_since(&base, 9).unwrap().len(), 1);
    assert_eq!(repo.touched_since(&base, &[]).unwrap(), ["sub/x"]);
    assert!(!marker.exists());
}

#[test]
fn touched_files_are_committed_changed_or_untracked() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    sandbox.file("a/kept", "1");
    sandbox.file("a/gone", "1");
    commit(&top);
    let repo = repo(&top);
    let base = head(&repo);
    sandbox.file("a/committed", "1");
    commit(&top);
    sandbox.file("a/kept", "2");
    std::fs::remove_file(top.join("gone")).unwrap();
    sandbox.file("a/fresh", "1");
    sandbox.file("a/own/x", "1");
    assert_eq!(
        repo.touched_since(&base, &strings(&["own"])).unwrap(),
        ["committed", "fresh", "gone", "kept"]
    );
}

#[test]
fn the_remote_url_is_returned_as_it_is_configured() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    assert_eq!(repo.remote_url().unwrap(), None);
    git(&top, &["remote", "add", "fork", "/srv/fork"]);
    git(&top, &["config", "url./elsewhere/.insteadOf", "/srv/"]);
    assert_eq!(repo.remote_url().unwrap(), None, "only `origin` is used");
    git(&top, &["remote", "add", "origin", "/srv/a"]);
    git(&top, &["remote", "set-url", "--add", "origin", "git@example.org:a/b.git"]);
    assert_eq!(repo.remote_url().unwrap().as_deref(), Some("/srv/a"));
}

#[test]
fn a_status_after_the_time_limit_is_none() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    let long = Duration::from_secs(60);
    assert_eq!(repo.is_dirty_within(long, &[]), Some(false));
    sandbox.file("a/own/x", "1");
    assert_eq!(repo.is_dirty_within(long, &strings(&["own"])), Some(false));
    assert_eq!(repo.is_dirty_within(long, &[]), Some(true));
    for number in 0..200 {
        sandbox.file(&format!("a/many/{number}"), "1");
    }
    assert_eq!(repo.is_dirty_within(long, &[]), Some(true));
    assert_eq!(repo.is_dirty_within(Duration::ZERO, &[]), None);
    crate::sandbox::write(&top.join(".git/index"), "broken");
    assert_eq!(repo.is_dirty_within(long, &[]), None);
}

#[test]
fn a_commit_of_very_many_files_names_only_the_first_ones() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let name = |n: usize| format!("{}/{n:04}.txt", "d".repeat(200));
    for n in 0..1500 {
        sandbox.file(&format!("r/{}", name(n)), "");
    }
    let id = commit(&top);
    let about = repo(&top).commit_summary(&id).expect("git knows the commit");
    assert_eq!(about.subject, "change");
    let count = about.files.len();
    assert!((1000..1500).contains(&count), "{count}");
    assert_eq!(about.files.last(), Some(&name(count - 1)));
}

#[test]
fn commands_after_the_deadline_are_not_run() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.file("r/a.txt", "");
    let id = commit(&top);
    let late = repo(&top).until(std::time::Instant::now());
    let error = late.commit_summary(&id).expect_err("there is no time");
    assert!(matches!(error, RunError::Late { .. }), "{error}");
    let error = late.history_since(&id, 3).expect_err("there is no time");
    assert!(matches!(error, RunError::Late { .. }), "{error}");
    let late = late.resolve("HEAD").expect_err("there is no time");
    assert!(matches!(late, RunError::Late { .. }), "{late}");
}

#[test]
fn the_last_commit_that_has_a_file_is_found() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    sandbox.file("a/[x]", "1");
    let with = commit(&top);
    assert_eq!(repo.last_commit_with(&with, "[x]").unwrap(), None);
    git(&top, &["mv", "[x]", "y"]);
    commit(&top);
    sandbox.file("a/x", "2");
    let after = commit(&top);
    assert_eq!(repo.last_commit_with(&after, "[x]").unwrap(), Some(with));
    assert_eq!(repo.last_commit_with(&after, "never").unwrap(), None);
}
