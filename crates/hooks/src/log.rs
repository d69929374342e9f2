//! The log of failed hooks, because agents do not show the stderr of a hook.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use skein_format::redact::redact;
use skein_store::append_line;
use skein_workspace::Env;

/// The file name in the state directory.
pub const FILE: &str = "hook.log";
const MAX_LOG_LEN: u64 = 256 * 1024;
const MAX_LINE_LEN: usize = 2000;

/// Writes each text as a line of the log.
pub struct LogFile {
    path: PathBuf,
}

impl LogFile {
    pub fn new(env: &Env) -> Self {
        Self { path: env.dirs.state.join(FILE) }
    }
}

impl io::Write for LogFile {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        append_line(&self.path, String::from_utf8_lossy(text).trim_end(), MAX_LOG_LEN)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds a line to the log; errors are ignored. The directory is not created.
pub(super) fn failure(env: &Env, agent: &str, event: &str, error: &dyn Error) {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        message.push_str(": ");
        message.push_str(&source.to_string());
        cause = source.source();
    }
    line(env, agent, event, &redact(&message));
}

/// Adds a line without redaction, for fixed texts.
pub(super) fn line(env: &Env, agent: &str, event: &str, message: &str) {
    let line = format!("{} {agent} {event}: {message}", env.clock.now());
    let line: String = line.chars().take(MAX_LINE_LEN).collect();
    drop(append_line(&env.dirs.state.join(FILE), &line, MAX_LOG_LEN));
}
