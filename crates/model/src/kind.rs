use serde::Serialize;

/// The kinds of thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A discussion pinned to lines of code.
    Review,
    /// An agent's session bound to a chat thread.
    Session,
    /// The state of a piece of work.
    Checkpoint,
}

impl Kind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Review, Self::Checkpoint, Self::Session];

    /// Reads the name of a kind, in the singular or the plural.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "review" | "reviews" => Some(Self::Review),
            "session" | "sessions" => Some(Self::Session),
            "checkpoint" | "checkpoints" => Some(Self::Checkpoint),
            _ => None,
        }
    }

    /// Returns the name of the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Session => "session",
            Self::Checkpoint => "checkpoint",
        }
    }
}
