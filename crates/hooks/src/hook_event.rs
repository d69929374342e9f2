//! The events and callers of hooks.

/// The program that calls the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookCaller {
    ClaudeCode,
    Codex,
    OpenCode,
    GeminiCli,
    Cursor,
    Git,
}

/// The event that the hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookEvent {
    /// A session starts, resumes, or continues after a compaction.
    Start,
    /// The user sent a prompt.
    Prompt,
    /// A tool succeeded.
    Tool,
    /// A tool failed.
    FailedTool,
    /// A worker has ended.
    Worker,
    /// The conversation is about to be compacted.
    Compaction,
    /// The agent has ended its turn.
    Stop,
    /// The agent has ended its turn; the input contains its messages.
    Turn,
    /// The session ends.
    End,
    /// Git made a commit.
    Commit,
}

impl HookCaller {
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name {
            "claude-code" => Some(Self::ClaudeCode),
            "codex" => Some(Self::Codex),
            "opencode" => Some(Self::OpenCode),
            "gemini-cli" => Some(Self::GeminiCli),
            "cursor" => Some(Self::Cursor),
            "git" => Some(Self::Git),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::Git => "git",
        }
    }
}

impl HookEvent {
    /// Parses the name of an event; `None` if the event is ignored.
    pub(super) fn parse(agent: HookCaller, event: &str) -> Option<Self> {
        match (agent, event) {
            (HookCaller::Git, "post-commit" | "post-merge") => Some(Self::Commit),
            (HookCaller::Git, _) => None,
            (HookCaller::Codex, "notify") => Some(Self::Turn),
            (HookCaller::OpenCode, "session-compacting") => Some(Self::Compaction),
            (HookCaller::OpenCode, "tool-after") => Some(Self::Tool),
            (HookCaller::OpenCode, "user-message") => Some(Self::Prompt),
            (HookCaller::OpenCode, "session-idle") => Some(Self::Stop),
            (_, "session-start") => Some(Self::Start),
            (_, "session-end") => Some(Self::End),
            (HookCaller::OpenCode, _) => None,
            (_, "user-prompt-submit") => Some(Self::Prompt),
            (_, "post-tool-use") => Some(Self::Tool),
            (_, "post-tool-use-failure") => Some(Self::FailedTool),
            (_, "subagent-stop") => Some(Self::Worker),
            (_, "pre-compact") => Some(Self::Compaction),
            (_, "stop") => Some(Self::Stop),
            _ => None,
        }
    }

    /// Returns the agent's name for the event, if the agent accepts context at this event.
    pub(super) fn name(self, agent: HookCaller) -> Option<&'static str> {
        match (self, agent) {
            (Self::Start, _) => Some("SessionStart"),
            (Self::Prompt, HookCaller::GeminiCli) => Some("BeforeAgent"),
            (Self::Prompt, _) => Some("UserPromptSubmit"),
            _ => None,
        }
    }
}
