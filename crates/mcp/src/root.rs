//! Finds the directory that the tools work on.

#![expect(deprecated, reason = "clients of the older protocol name their directory only by roots")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use skein_workspace::env::canonical;
use skein_workspace::{Env, Workspace, discover};

use crate::failure::Failure;

/// Time that a client gets to name its directory.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The directory that the server was started for.
#[derive(Clone, Debug)]
pub enum StartDir {
    /// The user or the client named it.
    Given(PathBuf),
    /// It is the working directory, which some clients set to `/` or to the user's home directory.
    Guessed(PathBuf),
}

impl StartDir {
    /// Returns the directory, unless it is one that says nothing about the project.
    pub(crate) fn known(&self, env: &Env) -> Option<PathBuf> {
        match self {
            Self::Given(dir) => Some(dir.clone()),
            Self::Guessed(dir) => {
                let is_home =
                    env.home.as_ref().is_some_and(|home| canonical(home) == canonical(dir));
                let is_general = is_home || dir.parent().is_none();
                (!is_general || is_workspace(env, dir)).then(|| dir.clone())
            }
        }
    }
}

fn is_workspace(env: &Env, dir: &Path) -> bool {
    let Workspace { git, reviews, checkpoints, .. } = discover(&env.with_dir(dir.to_owned()));
    git.is_some() || reviews.exists || checkpoints.exists
}

/// Asks the client for its directory. Only clients of the older protocol can be asked.
pub(crate) async fn ask(context: &RequestContext<RoleServer>) -> Result<PathBuf, Failure> {
    let unknown = || {
        Failure::new("Skein does not know which directory this is about")
            .hint("start the server with the arguments `-C`, the path of the repository, and `mcp`")
    };
    let is_modern = context.meta.protocol_version().is_some();
    let can_ask = context.client_capabilities().is_some_and(|known| known.roots.is_some());
    if is_modern || !can_ask {
        return Err(unknown());
    }
    let listed = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await;
    let Ok(Ok(listed)) = listed else { return Err(unknown()) };
    match listed.roots.as_slice() {
        [root] => file_path(&root.uri).ok_or_else(unknown),
        _ => Err(unknown()),
    }
}

fn file_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    // Between the slashes there can be the name of this machine.
    let path = path.get(path.find('/')?..)?;
    let path = PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned());
    path.is_dir().then_some(path)
}
