//! Finds the workspace and a port for it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use skein_review::ChangesQuery;
use skein_workspace::{Actor, Env, FileError, Workspace, discover, endpoint};

use super::probe;
use crate::auth::{FRAGMENT_PARAM, ONE_TIME_PARAM};
use crate::credentials::{Credentials, MAX_LINK_AGE_MS, SHORT_LINK_AGE_MS, ServerMode};
use crate::encode::encode;
use crate::stop::ShutdownHandle;

/// The number of ports after that of the workspace that are tried.
const MAX_OTHER_PORTS: usize = 20;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port; by default that of the workspace, or a free one near it.
    pub port: Option<u16>,
    /// Whether to refuse every write.
    pub read_only: bool,
    /// The changes that the first page shows.
    pub query: ChangesQuery,
    /// Returns the address of the chat server, for links to threads of sessions.
    pub chat_server: fn(&Env) -> Option<String>,
}

/// Why a workspace cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The requested port cannot be used.
    #[error("cannot listen on port {port}")]
    Port { port: u16, source: io::Error },
    /// The port and the token of the workspace cannot be stored.
    #[error("cannot store the port and the token of this workspace")]
    Endpoint(#[source] FileError),
    /// A path to compare is not in the workspace.
    #[error("the path is outside of the workspace: {path}")]
    Outside { path: String },
    /// The server cannot be started.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

impl BindError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Port { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Some("omit `--port` to use a free one".to_owned())
            }
            Self::Port { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("ports below 1024 are reserved: use a higher one".to_owned())
            }
            Self::Outside { .. } => Some("name a file or directory of the workspace".to_owned()),
            Self::Port { .. } | Self::Endpoint(_) | Self::Start(_) => None,
        }
    }
}

/// A server that listens, or another process that already serves the same workspace.
#[derive(Debug)]
pub struct Bound {
    pub(super) env: Env,
    pub(super) keys: Credentials,
    pub(super) read_only: bool,
    pub(super) chat_server: fn(&Env) -> Option<String>,
    pub(super) shutdown: ShutdownHandle,
    /// None if another process already serves the workspace.
    pub(super) listener: Option<TcpListener>,
    /// Whether the server is another process that the user started.
    is_of_user: bool,
    root: PathBuf,
    query: ChangesQuery,
}

/// Listens on the loopback interface, at the port of the workspace if it is free.
///
/// If another process serves the workspace there, and no other port was requested, returns that one.
pub fn bind(mut env: Env, options: &ServeOptions) -> Result<Bound, BindError> {
    let workspace = discover(&env);
    let query = from_root(&workspace, &options.query)?;
    let endpoint = endpoint(&workspace).map_err(BindError::Endpoint)?;
    let root = workspace.reviews.root;
    // Paths from a page are relative to the root, not to the current directory.
    env.dir.clone_from(&root);
    let mode = ServerMode { read_only: options.read_only, is_of_agent: Actor::is_in_agent(&env) };
    // An agent may show its user the server of the user; a user does not write on pages that sign as an agent.
    let of_user = ServerMode { is_of_agent: false, ..mode };
    let modes = if mode.is_of_agent { vec![of_user, mode] } else { vec![mode] };
    let (port, at) = match options.port {
        Some(port) => {
            let listener = listen(port).map_err(|source| BindError::Port { port, source })?;
            (port_of(&listener)?, ServedBy::ThisProcess(listener))
        }
        None => find_port(endpoint.port, &|port| {
            modes.iter().find_map(|mode| {
                let start = probe::server_start(&endpoint.token, port, *mode, &env.ids.next())?;
                Some(OtherServer { start, mode: *mode })
            })
        })?,
    };
    let (listener, start, mode) = match at {
        ServedBy::ThisProcess(listener) => (Some(listener), env.ids.next(), mode),
        ServedBy::Other(other) => (None, other.start, other.mode),
    };
    let is_of_user = listener.is_none() && !mode.is_of_agent;
    let browser = mode.browser_secret(&endpoint.browser);
    let keys = Credentials::new((&endpoint.token, &browser), port, &start);
    let (read_only, shutdown) = (options.read_only, ShutdownHandle::new());
    let chat_server = options.chat_server;
    Ok(Bound { env, keys, read_only, chat_server, shutdown, listener, is_of_user, root, query })
}

enum ServedBy {
    ThisProcess(TcpListener),
    Other(OtherServer),
}

/// Another process that serves the workspace.
struct OtherServer {
    /// Identifies this start of the server.
    start: String,
    mode: ServerMode,
}

/// Returns the first port that is free, or at which a server of this workspace answers.
fn find_port(
    own: u16,
    server_at: &dyn Fn(u16) -> Option<OtherServer>,
) -> Result<(u16, ServedBy), BindError> {
    for port in (own..=u16::MAX).take(MAX_OTHER_PORTS + 1) {
        match listen(port) {
            Ok(listener) => return Ok((port, ServedBy::ThisProcess(listener))),
            Err(_) => {
                if let Some(other) = server_at(port) {
                    return Ok((port, ServedBy::Other(other)));
                }
            }
        }
    }
    let listener = listen(0).map_err(BindError::Start)?;
    Ok((port_of(&listener)?, ServedBy::ThisProcess(listener)))
}

fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

fn port_of(listener: &TcpListener) -> Result<u16, BindError> {
    Ok(listener.local_addr().map_err(BindError::Start)?.port())
}

/// Makes paths relative to the root instead of the current directory.
fn from_root(workspace: &Workspace, query: &ChangesQuery) -> Result<ChangesQuery, BindError> {
    let below = |path: &String| {
        let found = workspace.relative_to_root(path);
        let found = found.map(|path| if path.is_empty() { ".".to_owned() } else { path });
        found.ok_or_else(|| BindError::Outside { path: path.clone() })
    };
    let paths = query.paths.iter().map(below).collect::<Result<Vec<String>, BindError>>()?;
    Ok(ChangesQuery { paths, ..query.clone() })
}

impl Bound {
    /// Returns whether another process already serves this workspace.
    pub fn is_served_already(&self) -> bool {
        self.listener.is_none()
    }

    /// Returns a handle to stop the server from another thread.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        self.shutdown.clone()
    }

    pub fn port(&self) -> u16 {
        self.keys.port
    }

    /// Returns the token that authorizes a program.
    pub fn token(&self) -> &str {
        &self.keys.token
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the one-time link to print, valid for a day. An agent gets an address that admits nobody to the server of the user.
    pub fn address(&self) -> String {
        self.link(MAX_LINK_AGE_MS)
    }

    /// Returns a one-time link to start a browser with, valid for a minute.
    pub fn opening(&self) -> String {
        self.link(SHORT_LINK_AGE_MS)
    }

    /// Returns a one-time link to a page, valid for a minute. A fragment becomes a parameter.
    pub(super) fn opening_at(&self, page: &str) -> String {
        let secret = self.one_time_secret(SHORT_LINK_AGE_MS);
        let (path, fragment) = page.split_at(page.find('#').unwrap_or(page.len()));
        let part = match fragment.strip_prefix('#') {
            Some(fragment) => format!("&{FRAGMENT_PARAM}={}", encode(fragment)),
            None => String::new(),
        };
        format!("http://127.0.0.1:{}{path}?{ONE_TIME_PARAM}={secret}{part}", self.port())
    }

    fn one_time_secret(&self, age_ms: i64) -> String {
        self.keys.one_time_secret(self.env.clock.now(), age_ms, &self.env.ids.next())
    }

    /// Returns a one-time link to the start page.
    fn link(&self, age_ms: i64) -> String {
        let is_admitted = !(self.is_of_user && Actor::is_in_agent(&self.env));
        let secret = is_admitted.then(|| (ONE_TIME_PARAM, self.one_time_secret(age_ms)));
        let params = params(&self.query).into_iter().chain(secret);
        let params: Vec<String> = params.map(|(key, value)| format!("{key}={value}")).collect();
        format!("http://127.0.0.1:{}/?{}", self.port(), params.join("&"))
    }
}

/// Returns the query as parameters of the start page.
fn params(query: &ChangesQuery) -> Vec<(&'static str, String)> {
    let base = query.base.as_ref().map(|base| ("base", encode(base)));
    let staged = query.staged.then(|| ("staged", "1".to_owned()));
    let since = query.since_submit.then(|| ("since-submit", "1".to_owned()));
    let paths = query.paths.iter().map(|path| ("path", encode(path)));
    base.into_iter().chain(staged).chain(since).chain(paths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comparison_is_in_the_address() {
        let query = ChangesQuery {
            base: Some("a b..c&d".to_owned()),
            paths: vec!["src/ä.rs".to_owned()],
            ..ChangesQuery::default()
        };
        let expected = [("base", "a%20b..c%26d".to_owned()), ("path", "src/%C3%A4.rs".to_owned())];
        assert_eq!(params(&query), expected);
    }

    #[test]
    fn a_port_that_another_program_uses_is_skipped() {
        let taken = listen(0).unwrap();
        let port = port_of(&taken).unwrap();
        let (other, at) = find_port(port, &|_| None).unwrap();
        assert!(matches!(at, ServedBy::ThisProcess(_)) && other != port);
        let mode = ServerMode { read_only: false, is_of_agent: false };
        let other = || OtherServer { start: "start".to_owned(), mode };
        let (same, at) = find_port(port, &|_| Some(other())).unwrap();
        assert!(matches!(at, ServedBy::Other(_)) && same == port);
    }
}
