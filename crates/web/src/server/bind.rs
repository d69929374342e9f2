//! Finds the workspace and a port for it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_review::ChangesQuery;
use skein_workspace::{Env, FileError, Workspace, discover, endpoint};

use super::probe;
use crate::auth::{Credentials, MAX_LINK_AGE_MS, PASS, SHORT};
use crate::encode::encode;
use crate::stop::ShutdownHandle;

/// How many ports after the own one are tried.
const NEIGHBOURS: u16 = 20;

/// How the page is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port; without one it is the workspace's own, or a free one near it.
    pub port: Option<u16>,
    /// Refuses every write.
    pub read_only: bool,
    /// What the first page compares.
    pub query: ChangesQuery,
}

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The port that was asked for is taken.
    #[error("cannot listen on port {port}")]
    Port {
        /// The port.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The port and the token of the workspace cannot be kept.
    #[error("the port and the token of this workspace cannot be kept")]
    Door(#[source] FileError),
    /// A path to compare is not in the workspace.
    #[error("the path leads out of the workspace: {path}")]
    Outside {
        /// The path.
        path: String,
    },
    /// The server cannot be started.
    #[error("the server cannot be started")]
    Start(#[source] io::Error),
}

impl BindError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Port { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Some("leave out `--port` to take a free one".to_owned())
            }
            Self::Port { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("ports below 1024 are for the system: name a higher one".to_owned())
            }
            Self::Outside { .. } => Some("name a file or directory of the workspace".to_owned()),
            Self::Port { .. } | Self::Door(_) | Self::Start(_) => None,
        }
    }
}

/// A server that listens, or one of the same workspace that was there before.
#[derive(Debug)]
pub struct Bound {
    pub(super) env: Arc<Env>,
    pub(super) keys: Credentials,
    pub(super) read_only: bool,
    pub(super) stopper: ShutdownHandle,
    /// None where another process answers already.
    pub(super) listener: Option<TcpListener>,
    root: PathBuf,
    query: ChangesQuery,
}

/// Listens on the loopback interface, at the port of the workspace where it is free.
///
/// Where a server of the same workspace has it, and no other port was asked for, that one is given.
pub fn bind(mut env: Env, options: &Options) -> Result<Bound, BindError> {
    let workspace = discover(&env);
    let query = from_root(&workspace, &env, &options.query)?;
    let door = endpoint(&workspace, &env).map_err(BindError::Door)?;
    let root = workspace.reviews.root;
    // Paths that come from a page count from the root, wherever the program was started.
    env.dir.clone_from(&root);
    let (port, at) = match options.port {
        Some(port) => {
            let listener = listen(port).map_err(|source| BindError::Port { port, source })?;
            (port_of(&listener)?, At::Here(listener))
        }
        None => near(door.port, &|port| {
            probe::answers(&door.token, port, options.read_only, &env.ids.next())
        })?,
    };
    let (listener, start) = match at {
        At::Here(listener) => (Some(listener), env.ids.next()),
        At::Elsewhere(start) => (None, start),
    };
    let (env, keys) = (Arc::new(env), Credentials::new(&door.token, port, &start));
    let (read_only, stopper) = (options.read_only, ShutdownHandle::new());
    Ok(Bound { env, keys, read_only, stopper, listener, root, query })
}

/// Where a workspace is served.
enum At {
    Here(TcpListener),
    /// By another process, whose start has this name.
    Elsewhere(String),
}

/// Finds a free port at or after the one given, or a port where `served` knows a server of this workspace.
fn near(own: u16, served: &dyn Fn(u16) -> Option<String>) -> Result<(u16, At), BindError> {
    for port in (own..=u16::MAX).take(usize::from(NEIGHBOURS) + 1) {
        match listen(port) {
            Ok(listener) => return Ok((port, At::Here(listener))),
            Err(_) => {
                if let Some(start) = served(port) {
                    return Ok((port, At::Elsewhere(start)));
                }
            }
        }
    }
    let listener = listen(0).map_err(BindError::Start)?;
    Ok((port_of(&listener)?, At::Here(listener)))
}

fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

fn port_of(listener: &TcpListener) -> Result<u16, BindError> {
    Ok(listener.local_addr().map_err(BindError::Start)?.port())
}

/// Turns paths from where the user stands into paths from the root.
fn from_root(
    workspace: &Workspace,
    env: &Env,
    query: &ChangesQuery,
) -> Result<ChangesQuery, BindError> {
    let below = |path: &String| {
        let found = workspace.relative_to_root(env, path);
        let found = found.map(|path| if path.is_empty() { ".".to_owned() } else { path });
        found.ok_or_else(|| BindError::Outside { path: path.clone() })
    };
    let paths = query.paths.iter().map(below).collect::<Result<Vec<String>, BindError>>()?;
    Ok(ChangesQuery { paths, ..query.clone() })
}

impl Bound {
    /// Returns whether another process answers for this workspace already.
    pub fn is_served_already(&self) -> bool {
        self.listener.is_none()
    }

    /// Returns what ends it from another thread.
    pub fn stopper(&self) -> ShutdownHandle {
        self.stopper.clone()
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.keys.port
    }

    /// Returns what lets a program in.
    pub fn token(&self) -> &str {
        &self.keys.token
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the address to print: it lets a browser in once, within a day.
    pub fn address(&self) -> String {
        self.address_with(PASS, &self.pass(MAX_LINK_AGE_MS))
    }

    /// Returns an address that lets a browser in once, within a minute.
    ///
    /// What a program is started with can be seen by everybody on the machine.
    pub fn opening(&self) -> String {
        self.address_with(PASS, &self.pass(SHORT))
    }

    /// Returns an address that lets a browser in once, to a page of its own; what follows a `#` stays where it is.
    pub(super) fn opening_at(&self, page: &str) -> String {
        let pass = self.pass(SHORT);
        let (path, place) = page.split_once('#').unwrap_or((page, ""));
        let place = if place.is_empty() { String::new() } else { format!("#{place}") };
        format!("http://127.0.0.1:{}{path}?{PASS}={pass}{place}", self.port())
    }

    fn pass(&self, life: i64) -> String {
        self.keys.pass(self.env.clock.now(), life, &self.env.ids.next())
    }

    fn address_with(&self, name: &'static str, key: &str) -> String {
        let pairs = pairs(&self.query).into_iter().chain([(name, key.to_owned())]);
        let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        format!("http://127.0.0.1:{}/?{}", self.port(), pairs.join("&"))
    }
}

/// Returns what to compare as parameters of the start page.
fn pairs(query: &ChangesQuery) -> Vec<(&'static str, String)> {
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
        assert_eq!(pairs(&query), expected);
    }

    #[test]
    fn a_port_that_is_taken_by_a_stranger_is_passed_over() {
        let taken = listen(0).unwrap();
        let port = port_of(&taken).unwrap();
        let (other, at) = near(port, &|_| None).unwrap();
        assert!(matches!(at, At::Here(_)) && other != port);
        let (same, at) = near(port, &|_| Some("start".to_owned())).unwrap();
        assert!(matches!(at, At::Elsewhere(_)) && same == port);
    }
}
