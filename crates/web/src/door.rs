//! Stands in for the engine's door: the same for every workspace.

use skein_engine::{Env, Workspace};

/// Where a workspace is served.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) port: u16,
    pub(crate) token: String,
}

pub(crate) fn door(_workspace: &Workspace, env: &Env) -> Door {
    Door { port: 21_111, token: env.ids.next() }
}
