//! The whole program, where it was built beside this one.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::read::{timed_read, to_end};
use crate::Outcome;
use crate::corpus::Corpus;
use crate::figure::Figure;
use crate::options::shown;
use crate::timing::{best_of, timed};

const ROUNDS: usize = 5;

/// Returns the program, where it was built beside this one.
pub(super) fn program() -> Outcome<Option<PathBuf>> {
    let program = std::env::current_exe()?.with_file_name("skein");
    Ok(program.exists().then_some(program))
}

/// Measures `skein list reviews --json`; none where there is no such program or it fails.
pub(super) fn figure(corpus: &Corpus) -> Outcome<Option<Figure>> {
    let works = |program: &PathBuf| run(program, corpus).is_ok_and(|(_, success)| success);
    let Some(program) = program()?.filter(works) else {
        eprintln!("passing over the whole process: build `skein` beside this program");
        return Ok(None);
    };
    let baseline = || timed_read(&corpus.paths, to_end);
    let pair = best_of(ROUNDS, baseline, || Ok(run(&program, corpus)?.0))?;
    let size = shown(corpus.paths.len());
    let name = "process `list reviews --json` / read";
    Ok(Some(Figure::ratio(name, size, pair)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program under measurement, with nothing of git in it"
)]
fn run(program: &Path, corpus: &Corpus) -> Outcome<(Duration, bool)> {
    let mut command = std::process::Command::new(program);
    command
        .args(["list", "reviews", "--json"])
        .current_dir(&corpus.root)
        .env("HOME", &corpus.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let (time, status) = timed(|| command.status());
    Ok((time, status?.success()))
}
