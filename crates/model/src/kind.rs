use crate::word_enum;

word_enum! {
    /// The kind of a thread.
    Kind {
        /// A discussion of some lines of code.
        Review = "review",
        /// An agent's session bound to a chat thread.
        Session = "session",
        /// The state of a piece of work.
        Checkpoint = "checkpoint",
    }
}

impl Kind {
    /// Every kind, in display order.
    pub const ALL: [Self; 3] = [Self::Review, Self::Checkpoint, Self::Session];

    /// Parses the name of a kind, in the singular or the plural.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "review" | "reviews" => Some(Self::Review),
            "session" | "sessions" => Some(Self::Session),
            "checkpoint" | "checkpoints" => Some(Self::Checkpoint),
            _ => None,
        }
    }
}
