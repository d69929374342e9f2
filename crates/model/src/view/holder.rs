use std::fmt;

use serde::Serialize;
use skein_format::time::Time;

use crate::local_clock::LocalClock;

/// The holder of a resume lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResumeLockHolder {
    /// The name of the owner.
    pub by: Option<String>,
    /// The session that took the lock.
    pub session_id: Option<String>,
    /// When the lock was taken.
    pub since: Option<Time>,
    /// When the lock expires.
    pub until: Time,
}

impl fmt::Display for ResumeLockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.by, &self.session_id) {
            (Some(by), Some(session)) => write!(f, "by {by}, session {session}"),
            (Some(by), None) => write!(f, "by {by}"),
            (None, Some(session)) => write!(f, "by session {session}"),
            (None, None) => f.write_str("by an unknown session"),
        }
    }
}

impl ResumeLockHolder {
    /// Returns the owner and the expiry: `by Codex, session s1, until 15:30`.
    pub fn text(&self, clock: LocalClock) -> String {
        let comma = if self.by.is_some() && self.session_id.is_some() { "," } else { "" };
        format!("{self}{comma} until {}", clock.end(self.until))
    }
}
