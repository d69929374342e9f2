//! Runs the built `skein` program, and the programs that it is compared with.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

/// The built program.
pub(crate) struct Skein(PathBuf);

impl Skein {
    /// Uses the given program, or the one in the directory of this program.
    pub(crate) fn new(program: Option<PathBuf>) -> Outcome<Self> {
        let beside = std::env::current_exe()?.with_file_name("skein");
        let program = program.unwrap_or(beside);
        let missing = |error| format!("build `skein` first: {}: {error}", program.display());
        Ok(Self(program.canonicalize().map_err(missing)?))
    }

    /// Returns a command in the directory `root`, for a user without settings.
    pub(crate) fn command(&self, root: &Path, home: &Path) -> Command {
        let mut command = command(&self.0);
        command.current_dir(root).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", home).env("SKEIN_AUTHOR", "Ana");
        for (name, dir) in [("CONFIG", ".config"), ("STATE", "state"), ("CACHE", "cache")] {
            command.env(format!("XDG_{name}_HOME"), home.join(dir));
        }
        command
    }

    /// Runs a command, and returns its time and output. The exit code 1 is not an error.
    pub(crate) fn run(
        &self,
        root: &Path,
        home: &Path,
        args: &[impl AsRef<OsStr>],
        input: &[u8],
    ) -> Outcome<(Duration, Vec<u8>)> {
        let mut command = self.command(root, home);
        run_command(command.args(args).stderr(Stdio::piped()), input, 1)
    }
}

/// Returns a command without input and output.
#[expect(clippy::disallowed_methods, reason = "no program that is started here is git")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a program in a directory, and returns its time and output.
pub(crate) fn run(dir: &Path, program: &str, args: &[&str]) -> Outcome<(Duration, Vec<u8>)> {
    run_command(command(program).args(args).current_dir(dir).stderr(Stdio::inherit()), &[], 0)
}

fn run_command(
    command: &mut Command,
    input: &[u8],
    max_exit_code: i32,
) -> Outcome<(Duration, Vec<u8>)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let start = Instant::now();
    let mut process = command.spawn()?;
    if let Some(mut stdin) = process.stdin.take() {
        // A program that does not read its input may have ended already.
        drop(stdin.write_all(input));
    }
    let output = process.wait_with_output()?;
    let time = start.elapsed();
    match output.status.code() {
        Some(code) if code <= max_exit_code => Ok((time, output.stdout)),
        _ => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}
