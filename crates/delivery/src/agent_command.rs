//! The commands with which agents resume a session with a prompt.

use std::path::{Path, PathBuf};

use skein_checkpoints::agent_session::is_plain_id;
use skein_model::view::ThreadOrigin;

/// The agents that can resume a session with a prompt on standard input.
pub const AGENTS: [&str; 4] = ["claude-code", "codex", "opencode", "gemini-cli"];

/// A program that resumes a session in its directory. It gets the prompt on standard input.
///
/// Only `command` makes one, of a plain id, the arguments that the user allowed, and a directory that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCommand {
    program: &'static str,
    args: Vec<String>,
    dir: PathBuf,
}

impl AgentCommand {
    pub fn program(&self) -> &'static str {
        self.program
    }

    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// Returns the directory of the session.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        [self.program].into_iter().chain(self.args.iter().map(String::as_str))
    }
}

/// The commands that an agent needs to answer threads. `apply` would write files that the agent itself may not change without asking.
const COMMANDS: [&str; 4] = ["list", "next", "reply", "show"];

/// Returns the default arguments of an agent: it may change files and answer threads, also below another root.
///
/// A rule contains no path: a parenthesis or comma in its name would end the rule, and what follows would be another one.
pub fn usual_args(agent: &str, other_root: Option<&Path>) -> Vec<String> {
    let root = other_root.map(|root| root.display().to_string());
    let (edits, tools, dir) = match agent {
        "claude-code" => {
            let tools = COMMANDS.map(|command| format!("Bash(skein review {command}:*)"));
            (["--permission-mode", "acceptEdits", "--allowedTools"], tools, "--add-dir")
        }
        "gemini-cli" => {
            let tools =
                COMMANDS.map(|command| format!("run_shell_command(skein review {command})"));
            let edits = ["--approval-mode", "auto_edit", "--allowed-tools"];
            (edits, tools, "--include-directories")
        }
        "codex" => return ["--sandbox", "workspace-write"].map(str::to_owned).to_vec(),
        _ => return Vec::new(),
    };
    let mut args = edits.map(str::to_owned).to_vec();
    args.push(tools.join(","));
    args.extend(root.into_iter().flat_map(|root| [dir.to_owned(), root]));
    args
}

/// Returns the command that resumes a session; none for an unknown agent, for an id that could be taken for something else, or without
/// the directory.
pub(crate) fn command(origin: &ThreadOrigin, args: &[String]) -> Option<AgentCommand> {
    let id = origin.session.as_str();
    let dir = PathBuf::from(&origin.dir);
    if !is_plain_id(id) || !dir.is_absolute() || !dir.is_dir() {
        return None;
    }
    let args = args.iter().map(String::as_str);
    let (program, args): (&'static str, Vec<&str>) = match origin.agent.as_str() {
        "claude-code" => ("claude", ["--resume", id, "--print"].into_iter().chain(args).collect()),
        "codex" => ("codex", ["exec"].into_iter().chain(args).chain(["resume", id, "-"]).collect()),
        "opencode" => ("opencode", ["run", "--session", id].into_iter().chain(args).collect()),
        "gemini-cli" => ("gemini", ["--resume", id].into_iter().chain(args).collect()),
        _ => return None,
    };
    Some(AgentCommand { program, args: args.into_iter().map(str::to_owned).collect(), dir })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(agent: &str, session: &str, expected: Option<&str>) {
        let (agent, session) = (agent.to_owned(), session.to_owned());
        let origin = ThreadOrigin { agent, session, dir: "/".to_owned() };
        let command = command(&origin, &usual_args(&origin.agent, None));
        let shown =
            command.map(|command| format!("{} {}", command.program, command.args.join(" ")));
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn a_rule_for_a_permission_contains_no_path() {
        for agent in ["claude-code", "gemini-cli"] {
            let here = usual_args(agent, None);
            let root = Path::new("/wt),Bash(*),Bash(x (copy)");
            let args = usual_args(agent, Some(root));
            assert_eq!(args[..here.len()], here, "the rules are the same");
            assert_eq!(args.last().map(String::as_str), root.to_str());
            assert_eq!(args.len(), here.len() + 2);
        }
    }

    #[test]
    fn each_agent_resumes_its_session_and_reads_the_prompt() {
        check(
            "claude-code",
            "0c1d-2",
            Some(
                "claude --resume 0c1d-2 --print --permission-mode acceptEdits --allowedTools \
                Bash(skein review list:*),Bash(skein review next:*),Bash(skein review reply:*),Bash(skein review show:*)",
            ),
        );
        check("codex", "0c1d", Some("codex exec --sandbox workspace-write resume 0c1d -"));
        check("opencode", "ses_1", Some("opencode run --session ses_1"));
        check(
            "gemini-cli",
            "0c1d",
            Some(
                "gemini --resume 0c1d --approval-mode auto_edit --allowed-tools \
                run_shell_command(skein review list),run_shell_command(skein review next),\
                run_shell_command(skein review reply),run_shell_command(skein review show)",
            ),
        );
        check("cursor", "1", None);
        for id in ["", "-p", "a b", "a;b", "../x", &"x".repeat(101)] {
            check("claude-code", id, None);
        }
    }
}
