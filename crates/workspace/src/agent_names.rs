use std::collections::BTreeMap;

use crate::settings::Settings;

/// Names of known agents; case is ignored.
pub const KNOWN: &[&str] = &[
    "Aider",
    "Amp",
    "Claude",
    "Claude Code",
    "Cline",
    "Codex",
    "Copilot",
    "Cursor",
    "Devin",
    "Gemini",
    "Gemini CLI",
    "GitHub Copilot",
    "Goose",
    "Jules",
    "OpenCode",
    "Qwen Code",
    "Windsurf",
];

/// Returns whether an author is an agent.
pub fn is_agent(author: &str, settings: &Settings) -> bool {
    let author = author.trim();
    let listed = || settings.agents().iter().any(|agent| agent.eq_ignore_ascii_case(author));
    author.ends_with(" [agent]")
        || KNOWN.iter().any(|known| known.eq_ignore_ascii_case(author))
        || listed()
}

/// The variables that agents set for the programs they start, with the name of each agent.
const AGENT_VARIABLES: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_SESSION_ID", "Codex"),
    ("OPENCODE", "OpenCode"),
    ("CURSOR_AGENT", "Cursor"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("COPILOT_CLI", "GitHub Copilot"),
    ("QWEN_CODE", "Qwen Code"),
    ("AMP_THREAD_ID", "Amp"),
    ("GOOSE_TERMINAL", "Goose"),
];

/// Returns whether an environment variable is set by an agent.
pub fn is_agent_variable(variable: &str) -> bool {
    AGENT_VARIABLES.iter().any(|(name, _)| *name == variable)
}

/// Returns the id of an agent: `claude-code` for `Claude Code`.
pub fn id_of(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Returns the agent that the program runs in, according to the environment.
pub fn running_agent(variables: &BTreeMap<String, String>) -> Option<&'static str> {
    let set =
        |name: &str| variables.get(name).is_some_and(|value| !matches!(value.as_str(), "" | "0"));
    AGENT_VARIABLES.iter().find(|(name, _)| set(name)).map(|(_, agent)| *agent)
}
