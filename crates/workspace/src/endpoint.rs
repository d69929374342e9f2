//! The address of a workspace's server.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skein_store::{Revision, path_bytes};

use crate::env::canonical;
use crate::file_error::FileError;
use crate::layout::Workspace;
use crate::state_file;

/// The file in the state directory that contains the port and the token.
const FILE: &str = "serve.json";
/// The file in the state directory that contains the secret for browsers.
const BROWSER_FILE: &str = "serve-browser.json";
/// The first port and the number of ports: below the range that systems assign.
const PORTS: (u16, u16) = (20_000, 12_000);

/// The port that a workspace is served on, and the secrets for access.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The port to try first.
    pub port: u16,
    /// The random secret of programs. Nothing that admits a browser is derived from it, because what a browser sends counts as sent by
    /// the user.
    pub token: String,
    /// The random secret of browsers. It is in a file of its own, which is not documented for programs.
    pub browser: String,
}

#[derive(Deserialize, Serialize)]
struct ProgramAccess {
    port: u16,
    token: String,
}

#[derive(Deserialize, Serialize)]
struct BrowserAccess {
    secret: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("port", &self.port).finish_non_exhaustive()
    }
}

impl BrowserAccess {
    fn make(workspace: &Workspace) -> Self {
        Self { secret: random_secret(workspace) }
    }

    fn is_usable(&self) -> bool {
        is_usable_secret(&self.secret)
    }
}

fn random_secret(workspace: &Workspace) -> String {
    let ids = &workspace.env.ids;
    // An id has 122 random bits.
    format!("{}{}", ids.next(), ids.next()).replace('-', "")
}

fn is_usable_secret(secret: &str) -> bool {
    secret.len() >= 32 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl ProgramAccess {
    fn make(workspace: &Workspace) -> Self {
        let root = canonical(&workspace.reviews.root);
        let hash = Revision::from_bytes(path_bytes(&root)).to_string();
        let number = hash.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let (first, count) = PORTS;
        let offset = number.unwrap_or_default() % u32::from(count);
        let port = first + u16::try_from(offset).unwrap_or_default();
        Self { port, token: random_secret(workspace) }
    }

    fn is_usable(&self) -> bool {
        self.port >= 1024 && is_usable_secret(&self.token)
    }
}

/// Returns the port and the secrets of a workspace's server, which stay the same.
///
/// They are created at the first call. Two processes that call this at the same time get the same ones.
pub fn endpoint(workspace: &Workspace) -> Result<Endpoint, FileError> {
    let (usable, make) = (ProgramAccess::is_usable, ProgramAccess::make);
    let ProgramAccess { port, token } = read_or_make(workspace, FILE, usable, make)?;
    let (usable, make) = (BrowserAccess::is_usable, BrowserAccess::make);
    let browser = read_or_make(workspace, BROWSER_FILE, usable, make)?.secret;
    Ok(Endpoint { port, token, browser })
}

fn read_or_make<T: DeserializeOwned + Serialize>(
    workspace: &Workspace,
    file: &str,
    is_usable: fn(&T) -> bool,
    make: fn(&Workspace) -> T,
) -> Result<T, FileError> {
    let dirs = workspace.dirs();
    let known = || state_file::read(&dirs, file).filter(is_usable);
    if let Some(access) = known() {
        return Ok(access);
    }
    // Whatever another version stored, it is made again.
    state_file::update(&workspace.env, &dirs, file, &|stored: Option<Value>| {
        let access: Option<T> = stored.and_then(|stored| serde_json::from_value(stored).ok());
        if access.is_some_and(|access| is_usable(&access)) {
            return None;
        }
        let access = serde_json::to_value(make(workspace));
        Some(access.expect("strings and numbers under string keys always serialise"))
    })?;
    known().ok_or_else(|| skein_store::Busy { path: dirs.state.join(file) }.into())
}
