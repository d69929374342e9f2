//! Finishes what hooks left because there was no time: checkpoints about which git did not answer, and briefs that were cut.

use skein_catalog::refresh_copies;
use skein_checkpoints::Finisher;
use skein_checkpoints::agent_session::{self, AgentSession, SessionRecordError};
use skein_workspace::{Env, Workspace, discover};

use super::log;
use super::reply::MAX_REPLY_LEN;

/// The name of the caller in the log.
const CALLER: &str = "skein";
const EVENT: &str = "finish";

/// Finishes what hooks left in the worktree of the current directory, without a time limit.
///
/// A second process that is started meanwhile does nothing. The process may be killed at any moment: files are replaced as a whole, and
/// the next call starts another one.
pub fn finish(env: &Env) {
    let workspace = discover(env);
    let Some(finisher) = Finisher::new(&workspace) else { return };
    for result in finisher.finish_checkpoints() {
        if let Err(error) = result {
            log::failure(env, CALLER, EVENT, &error);
        }
    }
    // A copy that fails now is repeated by the next command.
    drop(refresh_copies(&workspace));
    for session in agent_session::all(&workspace) {
        if let Err(error) = complete_brief(&workspace, &session) {
            log::failure(env, CALLER, EVENT, &error);
        }
    }
}

/// Writes a brief that was cut to the record of its session, with which the next prompt passes it to the agent.
fn complete_brief(workspace: &Workspace, session: &AgentSession) -> Result<(), SessionRecordError> {
    let Some(id) = session.cut_brief.as_deref() else { return Ok(()) };
    let brief = skein_summary::brief_until(workspace, Some(id), None, Some(&session.id));
    // Without its checkpoint, there is nothing to complete.
    let text = brief.ok().map(|brief| brief.text(MAX_REPLY_LEN - NOTE.len()));
    agent_session::record(workspace, (&session.agent, &session.id), |session| {
        // After the next compaction, another brief is due.
        if session.cut_brief.as_deref() == Some(id) {
            session.cut_brief = None;
            session.late_brief = text;
        }
    })?;
    Ok(())
}

/// The first line of a brief that comes late.
pub(super) const NOTE: &str =
    "Skein: the brief after the compaction was incomplete. This is the whole one.\n\n";
