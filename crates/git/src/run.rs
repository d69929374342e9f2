//! Runs the `git` program to its end.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;

use thiserror::Error;

use crate::command::command;

/// Why the `git` program gave no answer.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no `git` program on the search path.
    #[error("cannot find the program: git")]
    Missing {
        /// What the system said.
        source: io::Error,
    },
    /// The program cannot be started in the directory.
    #[error("cannot start git in the directory: {}", dir.display())]
    Start {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program ran and failed.
    #[error("`git {args}` failed in {} ({status}): {stderr}", dir.display())]
    Failed {
        /// The directory.
        dir: PathBuf,
        /// The subcommand and its arguments, separated by blanks.
        args: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        stderr: String,
    },
    /// The program was ended because the answer would come too late.
    #[error("`git {args}` took too long")]
    Late {
        /// The subcommand and its arguments, separated by blanks.
        args: String,
    },
    /// What should be the name of a reference is none.
    #[error("the name of a reference does not begin with `refs/`: {name}")]
    RefName {
        /// The name.
        name: String,
    },
    /// A folder for the work of the program cannot be made in the git directory.
    #[error("cannot write: {}", path.display())]
    Scratch {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program succeeded and printed something else than it documents.
    #[error("cannot understand the output of `git {args}`: {stdout}")]
    Output {
        /// The subcommand and its arguments, separated by blanks.
        args: String,
        /// What it printed.
        stdout: String,
    },
}

/// Returns what git prints on its standard output, when it is given `args` in `dir`.
///
/// # Errors
///
/// When there is no git, when it cannot be started in `dir`, and when it does not exit with 0.
pub fn run<I, S>(dir: &Path, args: I) -> Result<Vec<u8>, RunError>
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let mut command = command(dir);
    command.args(args);
    finish(command, dir)
}

/// Runs a command of this crate, made for `dir`, to its end.
pub(crate) fn finish(mut command: Command, dir: &Path) -> Result<Vec<u8>, RunError> {
    let output = command.output().map_err(|source| not_started(dir, source))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(&command, dir, &output))
}

/// Runs a command that exits with 1 to say no, or that there is nothing.
pub(crate) fn answer(mut command: Command, dir: &Path) -> Result<Option<Vec<u8>>, RunError> {
    let output = command.output().map_err(|source| not_started(dir, source))?;
    match output.status.code() {
        Some(0) => Ok(Some(output.stdout)),
        Some(1) => Ok(None),
        _ => Err(failed(&command, dir, &output)),
    }
}

/// Runs a command to its end, with `input` on its standard input.
pub(crate) fn feed(mut command: Command, dir: &Path, input: &[u8]) -> Result<Vec<u8>, RunError> {
    let output = fed(&mut command, dir, input)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(&command, dir, &output))
}

/// Does the same for a command that exits with 1 to say no, or that there is nothing.
pub(crate) fn ask(
    mut command: Command,
    dir: &Path,
    input: &[u8],
) -> Result<Option<Vec<u8>>, RunError> {
    let output = fed(&mut command, dir, input)?;
    match output.status.code() {
        Some(0) => Ok(Some(output.stdout)),
        Some(1) => Ok(None),
        _ => Err(failed(&command, dir, &output)),
    }
}

fn fed(command: &mut Command, dir: &Path, input: &[u8]) -> Result<Output, RunError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|source| not_started(dir, source))?;
    let stdin = child.stdin.take();
    let output = thread::scope(|scope| {
        // A program that stops reading says why with its exit code.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    output.map_err(|source| not_started(dir, source))
}

/// Returns the one line that a command prints.
pub(crate) fn line(stdout: &[u8]) -> String {
    String::from_utf8_lossy(stdout).trim_end_matches(['\n', '\r']).to_owned()
}

/// Returns the subcommand and its arguments as a person would type them.
pub(crate) fn shown_args(command: &Command) -> String {
    let mut args = command.get_args().map(OsStr::to_string_lossy).peekable();
    // The options of git itself stand first, and say nothing about what was asked.
    while let Some(option) = args.next_if(|arg| arg.starts_with('-')) {
        if option == "-c" {
            args.next();
        }
    }
    args.collect::<Vec<_>>().join(" ")
}

/// The system says "not found" of a directory in the same way as of the program.
pub(crate) fn not_started(dir: &Path, source: io::Error) -> RunError {
    if source.kind() == ErrorKind::NotFound && dir.is_dir() {
        return RunError::Missing { source };
    }
    RunError::Start { dir: dir.to_owned(), source }
}

pub(crate) fn failed(command: &Command, dir: &Path, output: &Output) -> RunError {
    RunError::Failed {
        dir: dir.to_owned(),
        args: shown_args(command),
        status: output.status,
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_git_is_told_apart_from_a_directory_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");

        let mut without_git = command(folder.path());
        without_git.env("PATH", &gone).arg("version");
        let error = finish(without_git, folder.path()).unwrap_err();
        assert!(matches!(error, RunError::Missing { .. }), "{error}");

        let error = run(&gone, ["version"]).unwrap_err();
        assert!(matches!(error, RunError::Start { .. }), "{error}");
    }

    #[test]
    fn a_failure_carries_what_git_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path(), ["no-such-command"]).unwrap_err();
        let RunError::Failed { args, stderr, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(args, "no-such-command");
        assert!(stderr.contains("no-such-command"), "{stderr}");
    }
}
