//! Which variables of the environment Skein reads.

use skein_checkpoints::agent_session;
use skein_workspace::agent_names;
use skein_workspace::env::{GIT_DIR, USER};

/// Returns whether a variable of the environment means something to the engine.
///
/// Its own start with `SKEIN_`; the others tell which agent and session it runs in, where agents keep their settings,
/// who the user is, and which repository git runs a hook for.
pub fn is_relevant_variable(variable: &str) -> bool {
    variable.starts_with("SKEIN_")
        || agent_names::is_agent_variable(variable)
        || agent_session::SESSION_VARIABLES.contains(&variable)
        || skein_install::moves_settings(variable)
        || USER.contains(&variable)
        || variable == GIT_DIR
}
