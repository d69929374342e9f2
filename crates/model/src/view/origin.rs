//! The session that wrote the code of a thread.

use serde::{Deserialize, Serialize};

/// The session of an agent that wrote the code of a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadOrigin {
    /// The agent, such as `claude-code`.
    pub agent: String,
    /// The agent's own id for the session.
    pub session: String,
    /// The directory in which the session began.
    pub dir: String,
}
