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

/// The variable with the name of the agent that runs the program, for agents that are not in the table.
pub const AGENT: &str = "SKEIN_AGENT";

/// Returns whether an environment variable is set by an agent.
pub fn is_agent_variable(variable: &str) -> bool {
    AGENT_VARIABLES.iter().any(|(name, _)| *name == variable)
}

/// Returns the id of an agent: `claude-code` for `Claude Code`.
pub fn id_of(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Returns the name of an agent: `Claude Code` for `claude-code`. The id of an unknown agent is unchanged.
pub fn title_of(id: &str) -> &str {
    KNOWN.iter().find(|name| id_of(name) == id).unwrap_or(&id)
}

/// Returns the agent that the program runs in, according to the environment: `SKEIN_AGENT`, else a known one.
pub fn running_agent(variables: &BTreeMap<String, String>) -> Option<&str> {
    let set =
        |name: &str| variables.get(name).is_some_and(|value| !matches!(value.as_str(), "" | "0"));
    let named = variables.get(AGENT).map(|name| name.trim()).filter(|name| !name.is_empty());
    named.or_else(|| AGENT_VARIABLES.iter().find(|(name, _)| set(name)).map(|(_, agent)| *agent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_agent_comes_before_a_known_one() {
        let running = |variables: &[(&str, &str)]| {
            let one = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            running_agent(&variables.iter().map(one).collect()).map(str::to_owned)
        };
        assert_eq!(running(&[]), None);
        assert_eq!(running(&[("CLAUDECODE", "1")]).as_deref(), Some("Claude Code"));
        let both = [("CLAUDECODE", "1"), (AGENT, " Zed ")];
        assert_eq!(running(&both).as_deref(), Some("Zed"));
        assert_eq!(running(&[("CLAUDECODE", "0"), (AGENT, " ")]), None);
    }
}
