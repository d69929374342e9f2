//! Delivers threads as they are submitted and sessions as they end.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use skein_catalog::leases;
use skein_checkpoints::agent_session;
use skein_workspace::{Workspace, discover};

use super::run::Deliveries;
use super::{CliContext, workspaces};
use crate::error::{CliError, CliResult};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Sessions that were killed end without a change of a file.
const MAX_QUIET: Duration = Duration::from_secs(30);

/// Delivers until the process is stopped.
pub(super) fn watch(context: &mut CliContext<'_>, deliveries: &mut Deliveries) -> CliResult {
    context.output.note("Waiting for submitted threads; Ctrl-C stops it")?;
    let mut known: Option<Vec<Option<SystemTime>>> = None;
    let mut quiet = Duration::ZERO;
    loop {
        if !context.workspace.env.dir.is_dir() {
            return Err(CliError::new("the directory was removed", "start it in another one"));
        }
        // Stores and worktrees can be added at any time.
        let workspaces = workspaces(&discover(&context.workspace.env));
        if known.as_ref() != Some(&stamps(&workspaces)) || quiet >= MAX_QUIET {
            for workspace in workspaces.iter().filter(|workspace| workspace.reviews.exists) {
                deliveries.start(context, workspace)?;
            }
            known = Some(stamps(&workspaces));
            quiet = Duration::ZERO;
        }
        context.output.finish()?;
        if (context.machine.is_output_closed)() && !deliveries.is_busy() {
            return Err(CliError::Closed);
        }
        std::thread::sleep(POLL_INTERVAL);
        quiet += POLL_INTERVAL;
        deliveries.step(context)?;
    }
}

/// Returns when the threads, the claims and the sessions last changed.
fn stamps(workspaces: &[Workspace]) -> Vec<Option<SystemTime>> {
    let paths = |workspace: &Workspace| -> Vec<PathBuf> {
        let state = workspace.dirs().state;
        let sessions = workspace.worktree_dirs().state.join(agent_session::DIRECTORY);
        vec![workspace.reviews.threads(), state.clone(), state.join(leases::DIRECTORY), sessions]
    };
    let changed = |path: PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    workspaces.iter().flat_map(paths).map(changed).collect()
}
