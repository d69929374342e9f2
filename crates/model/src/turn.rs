use crate::word_enum;

word_enum! {
    /// Whose turn it is in a thread.
    Turn {
        Reviewer = "reviewer",
        Agent = "agent",
    }
}

impl Turn {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Reviewer, Self::Agent]
            .into_iter()
            .find(|turn| turn.as_str().eq_ignore_ascii_case(word))
    }
}
