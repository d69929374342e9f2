//! Runs the `git` program for as long, and lets it say as much, as there is use for.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

use crate::run::{RunError, failed, not_started, shown_args};

/// No complaint is longer than this.
const MAX_STDERR_LEN: usize = 64 * 1024;

/// Returns what a command prints, `most` bytes of it; it is ended when it has printed them, or when it is late.
pub(crate) fn bounded(
    mut command: Command,
    dir: &Path,
    until: Option<Instant>,
    most: usize,
) -> Result<Vec<u8>, RunError> {
    if until.is_some_and(|until| until <= Instant::now()) {
        return Err(RunError::Late { args: shown_args(&command) });
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|source| not_started(dir, source))?;
    let stdout = reading(child.stdout.take(), most);
    let stderr = reading(child.stderr.take(), MAX_STDERR_LEN);
    let printed = match until {
        Some(until) => stdout.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        None => stdout.recv().ok(),
    };
    let is_whole = printed.as_ref().is_some_and(|printed| printed.len() < most);
    if !is_whole {
        // A process that has ended cannot be ended, which is as good.
        drop(child.kill());
    }
    let status = child.wait().map_err(|source| not_started(dir, source))?;
    let Some(stdout) = printed else {
        return Err(RunError::Late { args: shown_args(&command) });
    };
    if status.success() || !is_whole {
        return Ok(stdout);
    }
    let stderr = stderr.recv().unwrap_or_default();
    Err(failed(&command, dir, &Output { status, stdout, stderr }))
}

/// Reads in the background, `most` bytes at most.
fn reading(pipe: Option<impl Read + Send + 'static>, most: usize) -> Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        // What was read before a failure is all that there is, and nobody may listen any more.
        drop(pipe.map(|pipe| pipe.take(most).read_to_end(&mut bytes)));
        drop(tell.send(bytes));
    });
    told
}
