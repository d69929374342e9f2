use std::ffi::OsString;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Args;
use skein_workspace::{Env, discover};

use crate::EXIT_OK;
use crate::machine::{ProcessEnv, Streams};
use crate::program::finish_in_background;

/// Handles an event of an agent; called from the settings of agents.
///
/// Reads the agent's JSON from standard input, or from the last argument. Writes
/// auto-checkpoints if there is a store, and prints nothing or one JSON object for the agent. Always exits with 0; errors
/// are in `hook.log` in the state directory.
#[derive(Args, Debug)]
pub(crate) struct HookArgs {
    /// The caller: claude-code, codex, opencode, gemini-cli, cursor or git.
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// The event, such as `session-start` or `post-tool-use`.
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,

    /// The agent's JSON, if it is passed as an argument.
    #[arg(value_name = "JSON")]
    pub(crate) payload: Option<String>,
}

/// Returns whether the program is called as a hook. A hook never fails, even with wrong arguments.
pub fn is_hook(args: &[OsString]) -> bool {
    let asks_for_help = |first: &OsString| first == "--help" || first == "-h";
    arguments(args).is_some_and(|(_, args)| !args.first().is_some_and(asks_for_help))
}

/// Returns the directory to start in, if one is given, and the arguments after `hook`.
fn arguments(args: &[OsString]) -> Option<(Option<&OsString>, &[OsString])> {
    let mut dir = None;
    let mut rest = args.get(1..)?;
    loop {
        let (first, after) = rest.split_first()?;
        rest = after;
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

/// Runs a hook, and parses only the arguments that it needs.
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
    if (agent.as_str(), event.as_str()) == ("skein", "finish") {
        return finish(machine, &env);
    }
    let input = if has_input(machine, &agent, &event) { read(streams) } else { Vec::new() };
    let run = || skein_hooks::run(env.clone(), &agent, &event, &input, argument.as_deref());
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(reply) => {
            // An agent that has closed the pipe needs no answer.
            drop(streams.out.write_all(&reply.stdout).and_then(|()| streams.out.flush()));
            for dir in &reply.unfinished {
                finish_in_background(machine, dir);
            }
            let copy = |dir| {
                // A copy that fails is made by the next command.
                drop(skein_catalog::refresh_copies(&discover(&Env { dir, ..env.clone() })));
            };
            if catch_unwind(AssertUnwindSafe(|| reply.handled_in.map(copy))).is_err() {
                note(machine, &agent, &event);
            }
        }
        Err(_) => note(machine, &agent, &event),
    }
    EXIT_OK
}

/// Makes the installations of the other worktrees of a clone in a new worktree.
fn follow(machine: &ProcessEnv, env: &Env) -> u8 {
    let run = || skein_install::follow(&discover(env), &machine.tools());
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

/// Finishes what earlier hooks left; no agent waits for it.
fn finish(machine: &ProcessEnv, env: &Env) -> u8 {
    if catch_unwind(AssertUnwindSafe(|| skein_hooks::finish(env))).is_err() {
        note(machine, "skein", "finish");
    }
    EXIT_OK
}

/// Returns whether there is input on stdin: not from a terminal or git, and not if the agent passes it as an argument.
fn has_input(machine: &ProcessEnv, agent: &str, event: &str) -> bool {
    !machine.stdin_is_terminal && agent != "git" && event != "notify"
}

fn read(streams: &mut Streams<'_>) -> Vec<u8> {
    let limit = u64::try_from(skein_hooks::MAX_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = (&mut *streams.input).take(limit).read_to_end(&mut bytes);
    // An agent that cannot write all of its input treats the hook as failed.
    let drained = read.and_then(|_| std::io::copy(&mut streams.input, &mut std::io::sink()));
    match drained {
        Ok(_) => bytes,
        Err(_) => Vec::new(),
    }
}

fn note(machine: &ProcessEnv, agent: &str, event: &str) {
    let log = || {
        let env = machine.env_of_hook()?;
        skein_hooks::note(&env, agent, event, "internal error in the hook");
        Some(())
    };
    // Logging may panic for the same reason, which cannot be reported.
    drop(catch_unwind(AssertUnwindSafe(log)));
}
