//! The states of a session.

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// It is running.
    Active,
    /// It is over, for good.
    Ended,
    /// Its program is gone for now.
    Disconnected,
    /// Nobody knows it any more.
    Orphaned,
    /// Something else, which only a lenient reading lets through.
    Other(String),
}

impl SessionStatus {
    /// Reads the word of the format.
    pub fn parse(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "ended" => Self::Ended,
            "disconnected" => Self::Disconnected,
            "orphaned" => Self::Orphaned,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the word of the format.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Ended => "ended",
            Self::Disconnected => "disconnected",
            Self::Orphaned => "orphaned",
            Self::Other(word) => word,
        }
    }

    /// Returns whether a session in this state may go over to the next one.
    ///
    /// `ended` is final. A word that the format does not name may give way to one that it names, and
    /// never replaces one. To keep the status is always allowed.
    pub fn may_become(&self, next: &Self) -> bool {
        match (self, next) {
            (now, next) if now == next => true,
            (Self::Ended, _) | (_, Self::Other(_)) => false,
            _ => true,
        }
    }
}
