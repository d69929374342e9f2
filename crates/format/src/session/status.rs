//! The status of a session.

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// Running.
    Active,
    /// Ended, which is final.
    Ended,
    /// The agent process is not connected.
    Disconnected,
    /// The thread exists, but no agent knows the session.
    Orphaned,
    /// Any other status, which only `Mode::Lenient` accepts.
    Other(String),
}

impl SessionStatus {
    /// Parses the value of `status`.
    pub fn parse(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "ended" => Self::Ended,
            "disconnected" => Self::Disconnected,
            "orphaned" => Self::Orphaned,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the value of `status`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Ended => "ended",
            Self::Disconnected => "disconnected",
            Self::Orphaned => "orphaned",
            Self::Other(word) => word,
        }
    }

    /// Returns whether a session may change from this status to `next`.
    ///
    /// `ended` is final. An unknown status may change to a known one, but not the reverse. Keeping the
    /// status is always allowed.
    pub fn may_become(&self, next: &Self) -> bool {
        match (self, next) {
            (now, next) if now == next => true,
            (Self::Ended, _) | (_, Self::Other(_)) => false,
            _ => true,
        }
    }
}
