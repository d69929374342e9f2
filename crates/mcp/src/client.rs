//! What is known of the program that calls the tools.

use std::time::Duration;

use skein_checkpoints::agent_session::SESSION_VARIABLES;
use skein_model::sanitize::one_line;
use skein_workspace::Env;
use skein_workspace::agent_names::AGENT;

/// Maximum length of the name of an unknown client.
const MAX_NAME_CHARS: usize = 60;
/// The variable that takes precedence over those of agents.
const SESSION: &str = "SKEIN_SESSION";

/// A client that is known, by the name that it introduces itself with.
struct KnownClient {
    /// The start of the name.
    prefix: &'static str,
    author: &'static str,
    /// The start of the variables that its agent sets for the programs it starts.
    variables: Option<&'static str>,
    max_wait: u64,
}

const KNOWN: [KnownClient; 7] = [
    KnownClient {
        prefix: "claude-code",
        author: "Claude Code",
        variables: Some("CLAUDE_"),
        max_wait: 600,
    },
    KnownClient { prefix: "codex", author: "Codex", variables: Some("CODEX_"), max_wait: 240 },
    KnownClient { prefix: "opencode", author: "OpenCode", variables: None, max_wait: 50 },
    KnownClient { prefix: "gemini-cli", author: "Gemini CLI", variables: None, max_wait: 500 },
    KnownClient { prefix: "cursor", author: "Cursor", variables: None, max_wait: 50 },
    KnownClient {
        prefix: "visual studio code",
        author: "GitHub Copilot",
        variables: None,
        max_wait: 600,
    },
    KnownClient { prefix: "zed", author: "Zed", variables: None, max_wait: 50 },
];

/// The longest wait of a client that is not known.
const MAX_UNKNOWN_WAIT: u64 = 50;

/// The program at the other end of the pipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct McpClient {
    /// The name that its comments are signed with.
    pub(crate) author: String,
    variables: Option<&'static str>,
    max_wait: u64,
}

impl McpClient {
    /// Recognises a client by its name; `title` is what people call it.
    pub(crate) fn new(name: Option<&str>, title: Option<&str>) -> Self {
        let lower = name.unwrap_or_default().to_lowercase();
        let known = KNOWN.iter().find(|known| lower.starts_with(known.prefix));
        if let Some(known) = known {
            let author = known.author.to_owned();
            return Self { author, variables: known.variables, max_wait: known.max_wait };
        }
        let given = [title, name].into_iter().flatten().map(one_line).find(|name| !name.is_empty());
        let name = given.unwrap_or_else(|| "MCP client".to_owned());
        let author = name.chars().take(MAX_NAME_CHARS).collect();
        Self { author, variables: None, max_wait: MAX_UNKNOWN_WAIT }
    }

    /// Returns the longest wait that the client does not cut off. Progress keeps OpenCode waiting.
    pub(crate) fn max_wait(&self, has_progress: bool) -> Duration {
        let is_kept = has_progress && self.author == "OpenCode";
        Duration::from_secs(if is_kept { 600 } else { self.max_wait })
    }

    /// Returns the session that the environment names for this client.
    ///
    /// The variables of another agent are those of an agent around it, and would give two clients the same session.
    pub(crate) fn session<'a>(&self, env: &'a Env) -> Option<&'a str> {
        let is_own = |name: &&&str| {
            **name == SESSION || self.variables.is_some_and(|own| name.starts_with(own))
        };
        let own = SESSION_VARIABLES.iter().filter(is_own);
        let values = own.filter_map(|name| env.variables.get(*name));
        values.map(|value| value.trim()).find(|value| !value.is_empty())
    }

    /// Returns the environment in which the client is the running agent.
    pub(crate) fn env(&self, env: &Env) -> Env {
        let session = self.session(env).map(str::to_owned);
        let mut env = env.clone();
        env.variables.retain(|name, _| !SESSION_VARIABLES.contains(&name.as_str()));
        env.variables.insert(AGENT.to_owned(), self.author.clone());
        if let Some(session) = session {
            env.variables.insert(SESSION.to_owned(), session);
        }
        env
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_recognised_by_their_names() {
        let author = |name: &str, title: Option<&str>| McpClient::new(Some(name), title).author;
        assert_eq!(author("claude-code", Some("x")), "Claude Code");
        assert_eq!(author("codex-mcp-client", None), "Codex");
        assert_eq!(author("opencode", None), "OpenCode");
        assert_eq!(author("gemini-cli-mcp-client", None), "Gemini CLI");
        assert_eq!(author("cursor-vscode", None), "Cursor");
        assert_eq!(author("Visual Studio Code - Insiders", None), "GitHub Copilot");
        assert_eq!(author("Zed", None), "Zed");
        assert_eq!(author("my\u{202e}client\n", None), "my\\u{202e}client");
        assert_eq!(author("x", Some(" My  Client ")), "My Client");
        assert_eq!(author("x", Some(&"é".repeat(100))).chars().count(), MAX_NAME_CHARS);
        assert_eq!(McpClient::new(None, None).author, "MCP client");
    }

    #[test]
    fn a_wait_ends_before_the_client_gives_up() {
        let wait = |name: &str, progress| McpClient::new(Some(name), None).max_wait(progress);
        let seconds = Duration::from_secs;
        assert_eq!(wait("Zed", true), seconds(50));
        assert_eq!(wait("codex-mcp-client", true), seconds(240));
        assert_eq!(wait("opencode", false), seconds(50));
        assert_eq!(wait("opencode", true), seconds(600));
        assert_eq!(wait("something", true), seconds(50));
    }
}
