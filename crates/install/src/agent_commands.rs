//! The commands that Skein adds to agents.

/// A command that the user can give to an agent.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The arguments of the command.
    pub(super) takes: &'static str,
    /// The commands of Skein that the agent may run for it without a question: none that starts a program, changes code, or does what
    /// only a person may do.
    pub(super) runs: &'static [&'static str],
    pub(super) text: &'static str,
}

pub(super) static COMMANDS: [Command; 5] = [
    Command {
        name: "checkpoint",
        about: "Saves a checkpoint of the work at hand with Skein, so that another session can continue it.",
        takes: "[what to call it]",
        runs: &["checkpoint save", "list", "show", "steps"],
        text: include_str!("text/checkpoint.md"),
    },
    Command {
        name: "cleanup",
        about: "Moves old automatic checkpoints to the trash with Skein.",
        takes: "[--archive DAYS]",
        runs: &["checkpoint cleanup"],
        text: include_str!("text/cleanup.md"),
    },
    Command {
        name: "handoff",
        about: "Hands the work at hand over to the next session with Skein.",
        takes: "[a message for the next session]",
        runs: &["handoff", "list", "resume", "show", "steps"],
        text: include_str!("text/handoff.md"),
    },
    Command {
        name: "review",
        about: "Works on the review threads that wait on the agent, one after the other, with Skein.",
        takes: "[the thread to start with]",
        runs: &[
            "review add",
            "review list",
            "review next",
            "review reply",
            "review resolve",
            "review show",
            "review wait",
        ],
        text: include_str!("text/review.md"),
    },
    Command {
        name: "search",
        about: "Searches checkpoints, review threads and chat sessions with Skein.",
        takes: "[what to look for]",
        runs: &["list", "review show", "search", "show"],
        text: include_str!("text/search.md"),
    },
];
