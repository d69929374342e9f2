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
    /// Takes the given program, or the one beside this program.
    pub(crate) fn new(program: Option<&Path>) -> Outcome<Self> {
        let beside = || Ok(std::env::current_exe()?.with_file_name("skein"));
        let program =
            program.map_or_else(beside, |program| Ok::<_, std::io::Error>(program.into()));
        let program = program?;
        let missing = |error| format!("build `skein` first: {}: {error}", program.display());
        Ok(Self(program.canonicalize().map_err(missing)?))
    }

    /// Returns a command of a user without settings, in the directory `root`.
    pub(crate) fn command(&self, root: &Path, home: &Path) -> Command {
        let mut command = command(&self.0);
        command
            .current_dir(root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("SKEIN_AUTHOR", "Ana");
        command
    }

    /// Runs a command, and returns its time and output. The exit code 1 is an answer, too.
    pub(crate) fn run(
        &self,
        root: &Path,
        home: &Path,
        args: &[impl AsRef<OsStr>],
        input: &[u8],
    ) -> Outcome<(Duration, Vec<u8>)> {
        let mut command = self.command(root, home);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut process = command.spawn()?;
        if let Some(mut stdin) = process.stdin.take() {
            // A program that reads no input may have ended before all of it is written.
            drop(stdin.write_all(input));
        }
        let output = process.wait_with_output()?;
        let time = start.elapsed();
        match output.status.code() {
            Some(0 | 1) => Ok((time, output.stdout)),
            _ => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
        }
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
    let mut command = command(program);
    command.args(args).current_dir(dir).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let start = Instant::now();
    let output = command.output()?;
    let time = start.elapsed();
    match output.status.success() {
        true => Ok((time, output.stdout)),
        false => Err(format!("{program} failed: {}", output.status).into()),
    }
}
