//! Builds a repository with a history.
//!
//! The result is the same on every machine: no configuration of the user or the system counts, no
//! hook runs, nothing is signed.

use std::path::Path;
use std::process::Command;

use crate::command::command;
use crate::commit_id::CommitId;
use crate::run::{RunError, finish, shown_args};

/// Settings for what differs between platforms, would run a program, or write in the background.
///
/// The directory is trusted because the caller is filling it; the user's own list of trusted
/// directories is configuration, and not seen.
const SETTINGS: [&str; 6] = [
    "core.autocrlf=false",
    "core.hooksPath=/dev/null",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
];

/// What a commit says about itself.
#[derive(Clone, Copy, Debug)]
pub struct CommitAs<'a> {
    /// The name of author and committer.
    pub name: &'a str,
    /// The address of author and committer.
    pub email: &'a str,
    /// When it was made, in RFC 3339.
    pub date: &'a str,
    /// The message, kept as it is.
    pub message: &'a str,
}

/// Makes `dir` an empty repository whose first commit will be on `branch`.
///
/// The directory must exist. An existing repository keeps its content, but is switched to
/// `branch` afterwards.
///
/// # Errors
///
/// When git cannot be run or refuses.
pub fn init(dir: &Path, branch: &str) -> Result<(), RunError> {
    let mut init = hermetic(dir);
    init.args(["init", "--quiet", "--template="]);
    finish(init, dir)?;

    // `git init --initial-branch` would need git 2.28.
    let mut switch = hermetic(dir);
    switch.args(["symbolic-ref", "HEAD"]);
    switch.arg(format!("refs/heads/{branch}"));
    finish(switch, dir)?;
    Ok(())
}

/// Commits everything in the worktree of `dir` that is not ignored, and returns the commit.
///
/// A commit that changes nothing is made anyway.
///
/// # Errors
///
/// When git cannot be run or refuses.
pub fn commit_all(dir: &Path, commit_as: &CommitAs<'_>) -> Result<CommitId, RunError> {
    let mut add = hermetic(dir);
    add.args(["add", "--all"]);
    finish(add, dir)?;

    let mut commit = hermetic(dir);
    commit
        .args(["commit", "--quiet", "--allow-empty", "--no-verify"])
        .args(["--cleanup=verbatim", "--message", commit_as.message])
        .env("GIT_AUTHOR_NAME", commit_as.name)
        .env("GIT_AUTHOR_EMAIL", commit_as.email)
        .env("GIT_AUTHOR_DATE", commit_as.date)
        .env("GIT_COMMITTER_NAME", commit_as.name)
        .env("GIT_COMMITTER_EMAIL", commit_as.email)
        .env("GIT_COMMITTER_DATE", commit_as.date);
    finish(commit, dir)?;

    head_commit(dir)
}

fn head_commit(dir: &Path) -> Result<CommitId, RunError> {
    let mut rev_parse = hermetic(dir);
    rev_parse.args(["rev-parse", "--verify", "HEAD"]);
    let args = shown_args(&rev_parse);
    let stdout = String::from_utf8_lossy(&finish(rev_parse, dir)?).into_owned();
    CommitId::parse(stdout.trim()).ok_or(RunError::Output { args, stdout })
}

/// Returns a git command that sees no configuration but that of the repository.
fn hermetic(dir: &Path) -> Command {
    let mut command = command(dir);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        // Versions before 2.32 know only these two.
        .env("HOME", "/dev/null")
        .env("XDG_CONFIG_HOME", "/dev/null")
        .env_remove("GIT_DEFAULT_HASH")
        .env_remove("GIT_DEFAULT_REF_FORMAT");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
}
