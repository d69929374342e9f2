//! Frontends that the binary passes in.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use skein_format::time::Time;
use skein_model::bridge::{BridgeCheck, BridgeService, BridgeStatus, ChatPost};
use skein_model::{Advice, FailureKind, PromptText, Retype, UserError};
use skein_review::ChangesQuery;
use skein_workspace::Env;

/// Functions that start other frontends.
#[derive(Clone, Copy, Debug)]
pub struct Servers {
    /// Starts the web server.
    pub serve: fn(ServeRequest) -> Result<Serving, ServerError>,
    pub bridge: BridgeFunctions,
    /// Prompts a session in a server of OpenCode, and waits for the end of its answer.
    pub opencode_turn: fn(&OpencodeTurn) -> Result<(), TurnFailure>,
    /// Answers requests of an agent on standard input until it ends.
    pub mcp: fn(McpRequest) -> Result<(), ServerError>,
    /// Answers requests of an editor on standard input until it ends; returns whether it ended as the protocol requires.
    pub lsp: fn(LspRequest) -> Result<bool, ServerError>,
}

/// The functions of the chat bridge.
#[derive(Clone, Copy, Debug)]
pub struct BridgeFunctions {
    /// Runs the bridge until the process is stopped.
    pub run: fn(Env) -> Result<(), BridgeFailure>,
    pub check: fn(&Env) -> BridgeCheck,
    pub status: fn(&Env) -> Result<BridgeStatus, ServerError>,
    /// Returns the last entries of the audit log, the oldest first.
    pub log: fn(&Env, usize) -> Result<Vec<Value>, ServerError>,
    /// Writes the service file.
    pub install: fn(&Env) -> Result<BridgeService, ServerError>,
    /// Removes the service file.
    pub uninstall: fn(&Env) -> Result<BridgeService, ServerError>,
    /// Prompts a session, by its whole id, through the bridge that is running.
    pub send: fn(&Env, &str, &str) -> Result<(), ServerError>,
    /// Posts a text into the thread of a session.
    pub say: fn(&Env, &str, &str) -> Result<(), ServerError>,
    /// Returns the address of the Mattermost server in the settings.
    pub server: fn(&Env) -> Option<String>,
    /// Returns the last posts of the thread of a session, the oldest first.
    pub last_posts: fn(&Env, &str, usize) -> Result<Vec<ChatPost>, ServerError>,
}

/// A prompt for a session in a server of OpenCode that is running.
#[derive(Clone, Debug)]
pub struct OpencodeTurn {
    /// The address of the server.
    pub address: String,
    pub session: String,
    pub dir: String,
    pub prompt: PromptText,
    /// The id of the delivery, which no other prompt has.
    pub delivery: String,
    pub now: Time,
    /// The longest time that the answer may take.
    pub timeout: Duration,
}

/// Why a prompt was not answered.
#[derive(Debug)]
pub enum TurnFailure {
    /// The session works on something else; nothing was sent.
    Busy,
    /// Nothing was sent.
    NotSent(ServerError),
    /// The session has the prompt, or may have it, and may still work on it.
    Sent(ServerError),
}

/// The options of a server.
#[derive(Debug)]
pub struct ServeRequest {
    pub env: Env,
    /// The changes that the first page shows.
    pub query: ChangesQuery,
    pub port: Option<u16>,
    pub read_only: bool,
}

/// The options of the server for agents.
#[derive(Debug)]
pub struct McpRequest {
    /// The environment, with the directory that the tools work on.
    pub env: Env,
    /// Whether the directory was named, and is not only where the program was started.
    pub is_dir_given: bool,
    pub read_only: bool,
}

/// The options of the server for editors.
#[derive(Debug)]
pub struct LspRequest {
    /// The environment, with the directory for an editor that names none.
    pub env: Env,
}

/// A running server.
pub struct Serving {
    /// A one-time link to print; it authorizes a browser.
    pub address: String,
    /// A one-time link to start a browser with; it expires sooner.
    pub opening: String,
    pub port: u16,
    /// The token that authorizes a program.
    pub token: String,
    pub root: PathBuf,
    /// Whether another process already serves the workspace; then `run` returns at once.
    pub is_served_already: bool,
    /// Serves until the process is stopped.
    pub run: Box<dyn FnOnce() -> Result<(), ServerError>>,
}

/// Why the chat bridge ended.
#[derive(Debug)]
pub struct BridgeFailure {
    pub error: ServerError,
    /// Whether it would end in the same way if it were started again.
    pub is_final: bool,
}

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct ServerError {
    pub source: Box<dyn Error + Send + Sync>,
    pub hint: Option<String>,
}

impl UserError for ServerError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        Advice { hint: self.hint.clone(), ..FailureKind::System.plain() }
    }
}
