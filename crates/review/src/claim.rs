//! Gives back a thread that was claimed.

use skein_catalog::leases::{Lease, LeaseDir, open};
use skein_model::normalize_path::stem;
use skein_workspace::{Env, Workspace};

use super::write_error::WriteError;

/// What became of a claim that was to be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Released {
    /// The thread is free again.
    Yes,
    /// Nothing was claimed.
    NotClaimed,
    /// Another claimant has it.
    OfAnother {
        /// The name of the claimant.
        by: String,
    },
}

/// Gives back the thread that an id means, where the claimant with the token has it, or with `force` in any case.
pub fn release(
    workspace: &Workspace,
    env: &Env,
    id: &str,
    token: Option<&str>,
    force: bool,
) -> Result<Released, WriteError> {
    let (_, path) = super::open::thread(workspace, env, id)?;
    let guard = open(workspace, env)?;
    let mut leases = LeaseDir::read(workspace, env);
    let thread = stem(&path);
    let lease = leases.get(&thread).filter(|lease| !lease.is_over(env.clock.now()));
    let is_own = |lease: &&Lease| token == Some(lease.token.as_str());
    if let Some(other) = lease.filter(|lease| !force && !is_own(lease)) {
        return Ok(Released::OfAnother { by: other.by.clone() });
    }
    let released = leases.release(env, &guard, &thread)?;
    Ok(if released { Released::Yes } else { Released::NotClaimed })
}
