//! Programs that people would use otherwise, where they are on the machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Outcome;
use crate::timing::timed;

/// How often a program does the same, of which the best time counts.
const ROUNDS: usize = 3;
/// After this long it is not asked again.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(5);
/// How many names of files a command line holds on every system.
const AT_ONCE: usize = 4_000;

/// A program that has a column of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Program {
    Rg,
    Jq,
    Node,
}

impl Program {
    pub(crate) const ALL: [Self; 3] = [Self::Rg, Self::Jq, Self::Node];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rg => "rg",
            Self::Jq => "jq",
            Self::Node => "node",
        }
    }
}

/// The programs that are there, and what they say of their version.
pub(crate) struct Programs(BTreeMap<Program, String>);

impl Programs {
    /// Asks each one for its version.
    pub(crate) fn find() -> Self {
        let version = |program: Program| {
            let mut command = command(program.name());
            let output = command.arg("--version").stdout(Stdio::piped()).output().ok()?;
            let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
            let words: Vec<&str> = text.lines().next()?.split_whitespace().take(2).collect();
            let words = words.join(" ");
            let version = words.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            Some((program, version.split(' ').next().unwrap_or_default().to_owned()))
        };
        Self(Program::ALL.into_iter().filter_map(version).collect())
    }

    /// Knows of no program.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Returns a program's version; none where it is not on the machine.
    pub(crate) fn version(&self, program: Program) -> Option<&str> {
        self.0.get(&program).map(String::as_str)
    }

    /// Has a program do something a few times in a directory, and returns the best time.
    ///
    /// None where the program is not there or says that it failed, because its column is no reason for the others to
    /// stay empty.
    pub(crate) fn best(&self, program: Program, dir: &Path, args: &[&str]) -> Option<Duration> {
        self.best_time(program, || run(program, dir, args, &[]))
    }

    /// Does the same with the names of many files behind the words, as many at a time as a command line holds.
    pub(crate) fn best_over(
        &self,
        program: Program,
        dir: &Path,
        args: &[&str],
        files: &[PathBuf],
    ) -> Option<Duration> {
        let names: Vec<&OsStr> = files.iter().filter_map(|file| file.file_name()).collect();
        let all = || names.chunks(AT_ONCE).map(|names| run(program, dir, args, names)).sum();
        self.best_time(program, all)
    }

    fn best_time(
        &self,
        program: Program,
        work: impl Fn() -> Outcome<Duration>,
    ) -> Option<Duration> {
        self.version(program)?;
        let start = Instant::now();
        let mut best = None;
        for round in 0..=ROUNDS {
            match work() {
                // The first one warms the caches.
                Ok(time) if round == 1 => best = Some(time),
                Ok(time) => best = Some(best.map_or(time, |best: Duration| best.min(time))),
                Err(error) => {
                    eprintln!("passing over {}: {error}", program.name());
                    return None;
                }
            }
            if start.elapsed() > PROGRAM_TIMEOUT {
                break;
            }
        }
        best
    }
}

/// Returns a command without input whose words go nowhere.
#[expect(clippy::disallowed_methods, reason = "programs with nothing of git in them")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Times one run of a program.
fn run(program: Program, dir: &Path, args: &[&str], names: &[&OsStr]) -> Outcome<Duration> {
    let mut command = command(program.name());
    command.args(args).args(names).current_dir(dir);
    let (time, status) = timed(|| command.status());
    match status?.success() {
        true => Ok(time),
        false => Err("it failed".into()),
    }
}
