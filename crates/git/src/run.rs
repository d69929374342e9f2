//! Runs the `git` program and waits for it.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

use thiserror::Error;

use crate::command::{GitCommand, command, shown_args};

/// The maximum length of an error message; longer ones are cut.
const MAX_STDERR_LEN: usize = 64 * 1024;

/// Why running git failed; `args` are the subcommand and its arguments.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no `git` program on the search path.
    #[error("cannot find the program: git")]
    Missing { source: io::Error },
    /// The program cannot be started in the directory.
    #[error("cannot start git in the directory: {}", dir.display())]
    Start { dir: PathBuf, source: io::Error },
    /// The program ran and failed.
    #[error("`git {args}` failed in {} ({status}): {stderr}", dir.display())]
    Failed { dir: PathBuf, args: String, status: ExitStatus, stderr: String },
    /// The program was killed at the deadline.
    #[error("`git {args}` took too long")]
    Late { args: String },
    /// The name of a reference is invalid.
    #[error("the name of a reference does not begin with `refs/`: {name}")]
    RefName { name: String },
    /// A directory of Skein's own cannot be created or written.
    #[error("cannot write: {}", path.display())]
    Scratch { path: PathBuf, source: io::Error },
    /// The program succeeded, but its output cannot be parsed.
    #[error("cannot understand the output of `git {args}`: {stdout}")]
    Output { args: String, stdout: String },
}

/// Runs git with `args` in `dir`, and returns its standard output; for tests and measurements.
pub fn run<I, S>(dir: &Path, args: I) -> Result<Vec<u8>, RunError>
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let mut command = command(dir);
    command.args(args);
    run_command(command, dir)
}

/// Returns the version of git: `git version 2.51.0`.
pub fn version(dir: &Path) -> Result<String, RunError> {
    Ok(line(&run(dir, ["--version"])?))
}

/// Runs a command that was built for `dir`, and returns its output.
pub(crate) fn finish(command: GitCommand, dir: &Path) -> Result<Vec<u8>, RunError> {
    run_command(command.into_command(), dir)
}

pub(crate) fn run_command(mut command: Command, dir: &Path) -> Result<Vec<u8>, RunError> {
    let output = command.output().map_err(|source| not_started(dir, source))?;
    stdout_of(&command, dir, output)
}

/// Runs a command with `input` on its standard input, and returns its output.
pub(crate) fn feed(command: GitCommand, dir: &Path, input: &[u8]) -> Result<Vec<u8>, RunError> {
    let mut command = command.into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|source| not_started(dir, source))?;
    let stdin = child.stdin.take();
    let output = thread::scope(|scope| {
        // A program that stops reading reports the reason with its exit code.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    stdout_of(&command, dir, output.map_err(|source| not_started(dir, source))?)
}

/// Returns `None` for a command that exited with 1, which means "no" or "nothing found".
pub(crate) fn answer(done: Result<Vec<u8>, RunError>) -> Result<Option<Vec<u8>>, RunError> {
    match done {
        Err(RunError::Failed { status, .. }) if status.code() == Some(1) => Ok(None),
        done => done.map(Some),
    }
}

/// Runs a command until it ends, has printed `limit` bytes, or reaches the deadline, and returns
/// its output.
pub(crate) fn run_limited(
    command: GitCommand,
    dir: &Path,
    deadline: Option<Instant>,
    limit: usize,
) -> Result<Vec<u8>, RunError> {
    let mut command = command.into_command();
    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        return Err(RunError::Late { args: shown_args(&command) });
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|source| not_started(dir, source))?;
    let stdout = read_in_background(child.stdout.take(), limit);
    let stderr = read_in_background(child.stderr.take(), MAX_STDERR_LEN);
    let printed = match deadline {
        Some(deadline) => {
            stdout.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
        }
        None => stdout.recv().ok(),
    };
    let is_complete = printed.as_ref().is_some_and(|printed| printed.len() < limit);
    if !is_complete {
        // `kill` fails if the process has already ended.
        drop(child.kill());
    }
    let status = child.wait().map_err(|source| not_started(dir, source))?;
    let Some(stdout) = printed else { return Err(RunError::Late { args: shown_args(&command) }) };
    if !is_complete {
        return Ok(stdout);
    }
    let stderr = if status.success() { Vec::new() } else { stderr.recv().unwrap_or_default() };
    stdout_of(&command, dir, Output { status, stdout, stderr })
}

/// Reads at most `limit` bytes in another thread.
fn read_in_background(pipe: Option<impl Read + Send + 'static>, limit: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        // After a read error there is no more output, and after the deadline no receiver.
        drop(pipe.map(|pipe| pipe.take(limit).read_to_end(&mut bytes)));
        drop(sender.send(bytes));
    });
    receiver
}

/// Returns the output of a command without the final line ending.
pub(crate) fn line(stdout: &[u8]) -> String {
    text(stdout).trim_end_matches(['\n', '\r']).to_owned()
}

/// Returns bytes as text; bytes that are not UTF-8 are replaced.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the fields of output that was printed with `-z`.
pub(crate) fn split(stdout: &[u8]) -> impl Iterator<Item = &[u8]> {
    stdout.split(|&byte| byte == 0).filter(|part| !part.is_empty())
}

/// Returns the error for a failed start. The system reports "not found" both for the directory and
/// for the program.
pub(crate) fn not_started(dir: &Path, source: io::Error) -> RunError {
    if source.kind() == ErrorKind::NotFound && dir.is_dir() {
        return RunError::Missing { source };
    }
    RunError::Start { dir: dir.to_owned(), source }
}

fn stdout_of(command: &Command, dir: &Path, output: Output) -> Result<Vec<u8>, RunError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(RunError::Failed {
        dir: dir.to_owned(),
        args: shown_args(command),
        status: output.status,
        stderr: text(&output.stderr).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_distinguished_from_a_missing_directory() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");

        let mut without_git = command(folder.path());
        without_git.env("PATH", &gone).arg("version");
        let error = run_command(without_git, folder.path()).unwrap_err();
        assert!(matches!(error, RunError::Missing { .. }), "{error}");

        let error = run(&gone, ["version"]).unwrap_err();
        assert!(matches!(error, RunError::Start { .. }), "{error}");
    }

    #[test]
    fn a_failure_contains_the_message_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path(), ["no-such-command"]).unwrap_err();
        let RunError::Failed { args, stderr, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(args, "no-such-command");
        assert!(stderr.contains("no-such-command"), "{stderr}");
    }
}
