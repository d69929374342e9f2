//! The OpenCode server, and what its model was asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::text;
use super::http::Access;
use super::world::wait_for;

/// The server that the script has started.
#[derive(Deserialize)]
pub(super) struct OpenCode {
    pub(super) address: String,
    pub(super) program: PathBuf,
    /// A git repository.
    pub(super) directory: PathBuf,
    /// The variables to start the program with.
    pub(super) environment: BTreeMap<String, String>,
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    log: PathBuf,
}

/// A request to the model.
#[derive(Deserialize)]
pub(super) struct ModelRequest {
    #[serde(default)]
    pub(super) prompt: String,
    /// The number of tool results since the prompt.
    #[serde(default)]
    step: usize,
    #[serde(default, rename = "isTurn")]
    is_turn: bool,
    #[serde(default)]
    pub(super) model: String,
    #[serde(default)]
    pub(super) types: Vec<String>,
}

impl OpenCode {
    pub(super) fn find() -> Self {
        let path = std::env::var_os("SKEIN_TEST_OPENCODE").expect("the path of the facts is set");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    pub(super) fn access(&self) -> Access {
        Access::new(&self.address, None)
    }

    /// Returns the requests by which a prompt reached the model.
    pub(super) fn model_requests(&self, prompt: &str) -> Vec<ModelRequest> {
        let log = std::fs::read_to_string(&self.model.log).unwrap();
        let requests = log.lines().filter_map(|line| serde_json::from_str(line).ok());
        let is_prompt = |request: &ModelRequest| {
            request.is_turn && request.step == 0 && request.prompt.contains(prompt)
        };
        requests.filter(is_prompt).collect()
    }

    /// Creates a session without the bridge and returns its id.
    pub(super) fn create_session(&self, directory: &Path, title: &str) -> String {
        let path = format!("/session?directory={}", directory.display());
        text(&self.access().post(&path, &json!({"title": title})), "id")
    }

    /// Sends a prompt without the bridge.
    pub(super) fn prompt(&self, session: &str, directory: &Path, prompt: &str) {
        let path = format!("/session/{session}/prompt_async?directory={}", directory.display());
        self.access().post(&path, &json!({"parts": [{"type": "text", "text": prompt}]}));
    }

    pub(super) fn sessions(&self, directory: &Path) -> Vec<Value> {
        let found = self.access().get(&format!("/session?directory={}", directory.display()));
        found.as_array().unwrap().clone()
    }
}

/// Another OpenCode server with the same model, which a test can kill.
pub(super) struct OwnServer {
    child: Child,
    command: Command,
    pub(super) address: String,
}

impl OwnServer {
    /// Starts a server with its data in a directory.
    pub(super) fn start(opencode: &OpenCode, data: &Path) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(&opencode.program);
        command
            .args(["serve", "--hostname", "127.0.0.1", "--port", &port.to_string()])
            .current_dir(&opencode.directory)
            .env_clear()
            .envs(&opencode.environment)
            .env("XDG_DATA_HOME", data.join("data"))
            .env("XDG_STATE_HOME", data.join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let server = Self { child, command, address: format!("http://127.0.0.1:{port}") };
        server.wait();
        server
    }

    /// Ends the server at once.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts a killed server again, with its data and its port.
    pub(super) fn resume(&mut self) {
        self.child = self.command.spawn().unwrap();
        self.wait();
    }

    fn wait(&self) {
        let access = Access::new(&self.address, None);
        wait_for("OpenCode answers", || access.is_up("/global/health").then_some(()));
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        // It has already exited if a test has killed it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
