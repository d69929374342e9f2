use clap::Args;
use serde_json::json;
use skein_delivery::consent::{self, Consent};
use skein_delivery::{AGENTS, usual_args};
use skein_model::sanitize::{one_line, shell_word};
use skein_workspace::agent_names;

use super::CliContext;
use crate::error::{CliError, CliResult};

/// Lets Skein start an agent in this repository, to deliver threads.
///
/// The agent then works without you: it changes files in the directory of its session and answers threads. What else it may do is decided
/// by its arguments and its own settings. The usual arguments of Claude Code and Gemini CLI let them edit files, and read and answer threads with `skein review`,
/// those of Codex let it write in its workspace.
///
/// Example: skein deliver allow claude-code -- --permission-mode acceptEdits --allowedTools "Bash(skein review reply:*),Bash(cargo test:*)"
#[derive(Args, Debug)]
pub(super) struct AllowArgs {
    /// The agent: claude-code, codex, opencode or gemini-cli.
    agent: String,

    /// Only allows that this session is resumed, although it ran in a sandbox or only hooks report it.
    #[arg(long, value_name = "ID", conflicts_with = "args")]
    session: Option<String>,

    /// Does not ask.
    #[arg(long, short = 'y')]
    yes: bool,

    /// Arguments for the agent, instead of the usual ones.
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// Revokes what `allow` allowed.
#[derive(Args, Debug)]
pub(super) struct DenyArgs {
    /// The agent: claude-code, codex, opencode or gemini-cli.
    agent: String,
}

/// Lists the agents that are allowed in this repository.
#[derive(Args, Debug)]
pub(super) struct AllowedArgs;

pub(super) fn run_allow(context: &mut CliContext<'_>, args: &AllowArgs) -> CliResult {
    let agent = known(&args.agent)?;
    if let Some(session) = &args.session {
        return allow_session(context, (agent, session), args.yes);
    }
    let own = (!args.args.is_empty()).then(|| args.args.clone());
    let shown = own.clone().unwrap_or_else(|| usual_args(agent, None));
    let shown: Vec<String> = shown.iter().map(|word| shell_word(word)).collect();
    let title = agent_names::title_of(agent);
    if !args.yes {
        let with =
            if shown.is_empty() { String::new() } else { format!(" with {}", shown.join(" ")) };
        let question = format!(
            "{title} will be resumed{with}, works without you and answers review threads. Allow it in this repository?"
        );
        if !context.confirm("starting an agent", &question)? {
            return context.decline("Nothing was changed.");
        }
    }
    let before = consent::allowed(&context.workspace).remove(agent).unwrap_or_default();
    consent::allow(&context.workspace, agent, &Consent { args: own, ..before })?;
    context.output.note(&format!(
        "{title} may be started here by `skein deliver`; `skein deliver deny {agent}` revokes it"
    ))
}

fn allow_session(
    context: &mut CliContext<'_>,
    (agent, session): (&str, &str),
    is_sure: bool,
) -> CliResult {
    let title = agent_names::title_of(agent);
    if !consent::allowed(&context.workspace).contains_key(agent) {
        let hint = format!("`skein deliver allow {agent}` allows it");
        return Err(CliError::new(format!("{title} is not allowed in this repository"), hint));
    }
    let question = format!(
        "{title} will resume the session {}, whose only witness is a hook or an agent in a sandbox. Allow it in this repository?",
        one_line(session)
    );
    if !is_sure && !context.confirm("resuming the session", &question)? {
        return context.decline("Nothing was changed.");
    }
    consent::allow_session(&context.workspace, agent, session)?;
    context.output.note("The session may be resumed by `skein deliver`")
}

pub(super) fn run_deny(context: &mut CliContext<'_>, args: &DenyArgs) -> CliResult {
    let agent = known(&args.agent)?;
    consent::deny(&context.workspace, agent)?;
    let title = agent_names::title_of(agent);
    context.output.note(&format!("{title} is not started here by `skein deliver`"))
}

pub(super) fn run_allowed(context: &mut CliContext<'_>) -> CliResult {
    let allowed = consent::allowed(&context.workspace);
    if context.output.print_json(&json!({ "agents": allowed }))? {
        return Ok(());
    }
    if allowed.is_empty() {
        return context
            .output
            .note("No agent is allowed here: `skein deliver allow AGENT` allows one");
    }
    for (agent, consent) in allowed {
        let args = consent.args.unwrap_or_else(|| usual_args(&agent, None));
        let args: Vec<String> = args.iter().map(|word| shell_word(word)).collect();
        context.output.line(format!("{agent} {}", args.join(" ")).trim_end())?;
    }
    Ok(())
}

fn known(agent: &str) -> CliResult<&'static str> {
    AGENTS.into_iter().find(|known| *known == agent).ok_or_else(|| {
        CliError::new(
            format!("Skein cannot resume sessions of `{agent}`"),
            format!("the agents are {}", AGENTS.join(", ")),
        )
    })
}
