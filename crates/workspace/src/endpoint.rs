//! The address of a workspace's server.

use serde::{Deserialize, Serialize};
use skein_store::{Revision, path_bytes};

use crate::env::canonical;
use crate::file_error::FileError;
use crate::layout::Workspace;
use crate::state_file;

/// The file in the state directory that contains the port and the token.
const FILE: &str = "serve.json";
/// The first port and the number of ports: below the range that systems assign.
const PORTS: (u16, u16) = (20_000, 12_000);

/// The port that a workspace is served on, and the token for access.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Endpoint {
    /// The port to try first.
    pub port: u16,
    /// A random secret.
    pub token: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Endpoint {
    fn make(workspace: &Workspace) -> Self {
        let root = canonical(&workspace.reviews.root);
        let hash = Revision::from_bytes(path_bytes(&root)).to_string();
        let number = hash.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let (first, count) = PORTS;
        let offset = number.unwrap_or_default() % u32::from(count);
        let port = first + u16::try_from(offset).unwrap_or_default();
        let ids = &workspace.env.ids;
        // An id has 122 random bits.
        let token = format!("{}{}", ids.next(), ids.next()).replace('-', "");
        Self { port, token }
    }

    fn is_usable(&self) -> bool {
        let plain = self.token.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.port >= 1024 && self.token.len() >= 32 && plain
    }
}

/// Returns the port and the token of a workspace's server, which stay the same.
///
/// They are created at the first call. Two processes that call this at the same time get the same ones.
pub fn endpoint(workspace: &Workspace) -> Result<Endpoint, FileError> {
    let dirs = workspace.dirs();
    let known = || state_file::read(&dirs, FILE).filter(Endpoint::is_usable);
    if let Some(endpoint) = known() {
        return Ok(endpoint);
    }
    state_file::update(&workspace.env, &dirs, FILE, &|found: Option<Endpoint>| match found
        .filter(Endpoint::is_usable)
    {
        Some(_) => None,
        None => Some(Endpoint::make(workspace)),
    })?;
    known().ok_or_else(|| skein_store::Busy { path: dirs.state.join(FILE) }.into())
}
