//! The other faces of the program, which the binary knows and the command line only starts.

use std::error::Error;
use std::path::PathBuf;

use skein_review::ChangesQuery;
use skein_workspace::Env;

/// What starts the other faces.
#[derive(Clone, Copy, Debug)]
pub struct Servers {
    /// Listens for browsers.
    pub serve: fn(ServeRequest) -> Result<Serving, ServeError>,
}

/// What is to be served.
#[derive(Debug)]
pub struct ServeRequest {
    /// The machine, with the directory that the user stands in.
    pub env: Env,
    /// What the first page compares.
    pub query: ChangesQuery,
    /// The port, where one is asked for.
    pub port: Option<u16>,
    /// Whether every write is refused.
    pub read_only: bool,
}

/// A server that listens.
pub struct Serving {
    /// The address to open, which lets the browser in.
    pub address: String,
    /// An address for a program to open, which lets the browser in once.
    pub opening: String,
    /// The port.
    pub port: u16,
    /// What lets a program in.
    pub token: String,
    /// The root of the workspace.
    pub root: PathBuf,
    /// Whether another process answers already; then `run` ends at once.
    pub is_served_already: bool,
    /// Answers until the program is told to end.
    pub run: Box<dyn FnOnce() -> Result<(), ServeError>>,
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct ServeError {
    /// What went wrong.
    pub source: Box<dyn Error + Send + Sync>,
    /// What to do about it.
    pub hint: Option<String>,
}
