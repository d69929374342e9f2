use crate::settings::Settings;

/// Names under which known agents sign, in lower case.
const KNOWN: &[&str] = &[
    "aider",
    "amp",
    "claude",
    "claude code",
    "cline",
    "codex",
    "copilot",
    "cursor",
    "devin",
    "gemini",
    "gemini cli",
    "github copilot",
    "goose",
    "jules",
    "opencode",
    "qwen code",
    "windsurf",
];

/// Returns whether an author is an agent.
pub(crate) fn is_agent(author: &str, settings: &Settings) -> bool {
    let author = author.trim();
    let listed = || settings.agents().iter().any(|agent| agent.eq_ignore_ascii_case(author));
    author.ends_with(" [agent]")
        || KNOWN.iter().any(|known| known.eq_ignore_ascii_case(author))
        || listed()
}
