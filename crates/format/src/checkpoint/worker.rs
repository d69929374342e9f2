//! The states of a worker, and the moves between them.

/// The state of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// Not started.
    Idle,
    /// Reading its input.
    Loading,
    /// Working.
    Executing,
    /// Checking its work.
    Verifying,
    /// Done.
    Completed,
    /// Failed.
    Error,
    /// Any other state, as written.
    Other(String),
}

/// A move that the format does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a worker cannot go from {from} to {to}")]
pub struct IllegalMove {
    /// The current state.
    pub from: String,
    /// The requested state.
    pub to: String,
}

impl WorkerState {
    /// Parses the value of `state`.
    pub fn parse(word: &str) -> Self {
        match word {
            "idle" => Self::Idle,
            "loading" => Self::Loading,
            "executing" => Self::Executing,
            "verifying" => Self::Verifying,
            "completed" => Self::Completed,
            "error" => Self::Error,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the value of `state`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Idle => "idle",
            Self::Loading => "loading",
            Self::Executing => "executing",
            Self::Verifying => "verifying",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Other(word) => word,
        }
    }

    /// Returns the states that may follow.
    pub fn next(&self) -> &'static [Self] {
        match self {
            Self::Idle => &[Self::Loading],
            Self::Loading => &[Self::Executing],
            Self::Executing => &[Self::Verifying, Self::Error],
            Self::Verifying => &[Self::Completed],
            Self::Completed | Self::Error | Self::Other(_) => &[],
        }
    }

    /// Returns an error if the move is not allowed.
    pub fn check_move(&self, to: &Self) -> Result<(), IllegalMove> {
        if self.next().contains(to) {
            return Ok(());
        }
        Err(IllegalMove { from: self.as_str().to_owned(), to: to.as_str().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_only_the_moves_of_the_format() {
        let words = ["idle", "loading", "executing", "verifying", "completed", "error", "planning"];
        let mut edges = Vec::new();
        for from in words {
            for to in words {
                let legal = WorkerState::parse(from).check_move(&WorkerState::parse(to)).is_ok();
                if legal {
                    edges.push(format!("{from} {to}"));
                }
            }
        }
        let expected = [
            "idle loading",
            "loading executing",
            "executing verifying",
            "executing error",
            "verifying completed",
        ];
        assert_eq!(edges, expected);
    }
}
