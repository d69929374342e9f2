use std::ffi::OsString;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Args;
use skein_workspace::{Env, discover};

use crate::EXIT_OK;
use crate::machine::{ProcessEnv, Streams};

/// Does what is due at an event of an agent; for the settings of agents.
///
/// Reads the agent's JSON from standard input, or from the last argument where the agent gives it so. Writes
/// auto-checkpoints where there is a store, and prints nothing or one JSON object that the agent understands. Always exits with 0; what
/// went wrong is in `hook.log` in the state directory.
#[derive(Args, Debug)]
pub(crate) struct HookArgs {
    /// Who calls: claude-code, codex, opencode or git.
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// What has happened, as in `session-start` or `post-tool-use`.
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,

    /// The agent's JSON, where it comes as an argument.
    #[arg(value_name = "JSON")]
    pub(crate) payload: Option<String>,
}

/// Returns whether the program is called as a hook, which never fails whatever its arguments are.
pub fn is_hook(args: &[OsString]) -> bool {
    let asks_for_help = |first: &OsString| first == "--help" || first == "-h";
    arguments(args).is_some_and(|(_, args)| !args.first().is_some_and(asks_for_help))
}

/// Returns the directory to start in, where one is given, and what stands behind `hook`.
fn arguments(args: &[OsString]) -> Option<(Option<&OsString>, &[OsString])> {
    let mut dir = None;
    let mut rest = args.get(1..)?;
    loop {
        let (first, behind) = rest.split_first()?;
        rest = behind;
        match first.to_str()? {
            "hook" => return Some((dir, rest)),
            "-C" => {
                dir = rest.first();
                rest = rest.get(1..)?;
            }
            "--color" => rest = rest.get(1..)?,
            "-h" | "--help" | "-V" | "--version" => return None,
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
}

/// Runs a hook, before anything is parsed that it does not need.
pub(crate) fn run_hook(machine: &ProcessEnv, streams: &mut Streams<'_>) -> u8 {
    let Some((dir, [agent, event, rest @ ..])) = arguments(&machine.args) else { return EXIT_OK };
    let text = |arg: &OsString| arg.to_string_lossy().into_owned();
    let (agent, event, argument) = (text(agent), text(event), rest.last().map(text));
    let Some(mut env) = machine.env_of_hook() else { return EXIT_OK };
    if let Some(dir) = dir {
        env.dir.push(dir);
    }
    if (agent.as_str(), event.as_str()) == ("git", "post-checkout") {
        return follow(machine, &env);
    }
    let input = if reads(machine, &agent, &event) { read(streams) } else { Vec::new() };
    let run = || skein_hooks::run(env, &agent, &event, &input, argument.as_deref());
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(reply) => {
            // An agent that does not listen needs no answer.
            drop(streams.out.write_all(&reply.stdout).and_then(|()| streams.out.flush()));
        }
        Err(_) => note(machine, &agent, &event),
    }
    EXIT_OK
}

/// Sets up a worktree that was just added as the others of its clone are.
fn follow(machine: &ProcessEnv, env: &Env) -> u8 {
    let run = || skein_install::follow(&discover(env), env, &machine.tools());
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(errors) => {
            for error in errors {
                skein_hooks::note(env, "git", "post-checkout", &error.to_string());
            }
        }
        Err(_) => note(machine, "git", "post-checkout"),
    }
    EXIT_OK
}

/// A person at a terminal gives no input, git has none, and some agents give theirs as an argument.
fn reads(machine: &ProcessEnv, agent: &str, event: &str) -> bool {
    !machine.stdin_is_terminal && agent != "git" && event != "notify"
}

fn read(streams: &mut Streams<'_>) -> Vec<u8> {
    let limit = u64::try_from(skein_hooks::MAX_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = (&mut *streams.input).take(limit).read_to_end(&mut bytes);
    // An agent that cannot write to the end takes the hook for one that failed.
    let drained = read.and_then(|_| std::io::copy(&mut streams.input, &mut std::io::sink()));
    match drained {
        Ok(_) => bytes,
        Err(_) => Vec::new(),
    }
}

fn note(machine: &ProcessEnv, agent: &str, event: &str) {
    let told = || {
        let env = machine.env_of_hook()?;
        skein_hooks::note(&env, agent, event, "a fault of Skein ended the hook");
        Some(())
    };
    // What failed once may fail again, and there is nothing left to do about it.
    drop(catch_unwind(AssertUnwindSafe(told)));
}
