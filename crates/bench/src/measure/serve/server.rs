//! The server under measurement, in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;

use crate::Outcome;
use crate::measure::memory::peak_of;

/// A server that ends when it is dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) door: ServerAddress,
}

/// Where the server is, as it says itself.
#[derive(Clone, Deserialize)]
pub(crate) struct ServerAddress {
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Server {
    /// Starts the program and waits until it says its address.
    #[expect(
        clippy::disallowed_methods,
        reason = "the program under measurement, with nothing of git in it"
    )]
    pub(crate) fn start(program: &Path, root: &Path, home: &Path) -> Outcome<Self> {
        let mut command = std::process::Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .args(["serve", "--no-open", "--json", "--port", "0"])
            .current_dir(root)
            .env_clear()
            .env("PATH", path)
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("SKEIN_AUTHOR", "Ana")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut said = String::new();
        for line in BufReader::new(output).lines() {
            said += &line?;
            if let Ok(door) = serde_json::from_str(&said) {
                return Ok(Self { process, door });
            }
        }
        process.wait()?;
        Err(format!("the server ended before it began: {said}").into())
    }

    /// Returns the most memory that it has had, in megabytes.
    pub(crate) fn peak(&self) -> Outcome<f64> {
        peak_of(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        let told = id.is_some_and(|id| kill_process(id, Signal::TERM).is_ok());
        // One that cannot be told to end is ended; nothing is lost with it.
        if !told {
            drop(self.process.kill());
        }
        drop(self.process.wait());
    }
}
