//! Builds a repository with a history.
//!
//! The result is the same on every machine: the configuration of the user and of the system is
//! ignored, no hook runs, nothing is signed.

use std::path::Path;
use std::process::Command;

use crate::command::command;
use crate::object_id::CommitId;
use crate::run::{RunError, line, run_command};

/// Overrides settings that differ between platforms, run a program, or start background work.
///
/// `safe.directory` is set because the caller owns the directory, and the user's own list is not
/// read.
const SETTINGS: [&str; 6] = [
    "core.autocrlf=false",
    "core.hooksPath=/dev/null",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
];

/// The author, date and message of a commit.
#[derive(Clone, Copy, Debug)]
pub struct CommitAs<'a> {
    /// The name of the author and committer.
    pub name: &'a str,
    /// The email address of the author and committer.
    pub email: &'a str,
    /// The author and committer date, in RFC 3339.
    pub date: &'a str,
    /// The message, used unchanged.
    pub message: &'a str,
}

/// Initializes `dir` as an empty repository whose first commit will be on `branch`.
///
/// The directory must exist. An existing repository keeps its content, but is switched to
/// `branch` afterwards.
pub fn init(dir: &Path, branch: &str) -> Result<(), RunError> {
    run_command(hermetic(dir, &["init", "--quiet", "--template="]), dir)?;
    // `git init --initial-branch` would need git 2.28.
    let branch = format!("refs/heads/{branch}");
    run_command(hermetic(dir, &["symbolic-ref", "HEAD", &branch]), dir).map(drop)
}

/// Commits everything in the worktree of `dir` that is not ignored, and returns the commit.
///
/// The commit is made even if it changes nothing.
pub fn commit_all(dir: &Path, commit_as: &CommitAs<'_>) -> Result<CommitId, RunError> {
    run_command(hermetic(dir, &["add", "--all"]), dir)?;
    let mut commit = hermetic(dir, &["commit", "--quiet", "--allow-empty", "--no-verify"]);
    commit
        .args(["--cleanup=verbatim", "--message", commit_as.message])
        .env("GIT_AUTHOR_NAME", commit_as.name)
        .env("GIT_AUTHOR_EMAIL", commit_as.email)
        .env("GIT_AUTHOR_DATE", commit_as.date)
        .env("GIT_COMMITTER_NAME", commit_as.name)
        .env("GIT_COMMITTER_EMAIL", commit_as.email)
        .env("GIT_COMMITTER_DATE", commit_as.date);
    run_command(commit, dir)?;
    let args = ["rev-parse", "--verify", "HEAD"];
    let stdout = line(&run_command(hermetic(dir, &args), dir)?);
    CommitId::parse(&stdout).ok_or(RunError::Output { args: args.join(" "), stdout })
}

/// Returns a git command that reads only the configuration of the repository.
fn hermetic(dir: &Path, args: &[&str]) -> Command {
    let mut command = command(dir);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        // Versions before 2.32 support only these two.
        .env("HOME", "/dev/null")
        .env("XDG_CONFIG_HOME", "/dev/null")
        .env_remove("GIT_DEFAULT_HASH")
        .env_remove("GIT_DEFAULT_REF_FORMAT");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(args);
    command
}
