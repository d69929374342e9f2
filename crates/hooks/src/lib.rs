//! Handles the hooks of agents and git: records events, and passes waiting threads to agents.
//!
//! A hook never fails its caller and changes only the files of Skein.

mod call;
mod commit;
mod elsewhere;
mod finish;
mod generated;
mod hook_event;
mod log;
mod outcome;
mod own;
mod payload;
mod reply;
mod session;
mod shell;
mod summary;
mod transcript;
mod trigger;
mod waiting;
mod write;

use std::path::{Path, PathBuf};
use std::time::Instant;

use call::{HookCall, HookResult};
pub use finish::finish;
use hook_event::{HookCaller, HookEvent};
pub use log::{FILE as LOG_FILE, LogFile};
use payload::Payload;
use reply::HookReply;

use skein_checkpoints::agent_session;
use skein_format::redact::redact;
use skein_workspace::env::{GIT_DIR, USER};
use skein_workspace::{Env, agent_names, discover};
use tracing::debug;

/// The variable that Cursor sets for hooks.
const CURSOR_VARIABLE: &str = "CURSOR_VERSION";

/// Maximum size of the input.
pub const MAX_INPUT: usize = payload::MAX_BYTES;

/// The output of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    /// Nothing, or one JSON object in the agent's format.
    pub stdout: Vec<u8>,
    /// The directories in which [`finish()`] is to be run in the background, after the answer.
    pub unfinished: Vec<PathBuf>,
    /// The directory in which the event was handled: after the answer, the copies of its stores are to be updated.
    pub handled_in: Option<PathBuf>,
}

/// Handles an event of an agent. Its JSON is `input`, or `argument` if the agent passes it that way.
///
/// Unknown agents and events, and invalid input, are ignored.
pub fn run(
    mut env: Env,
    agent: &str,
    event_name: &str,
    input: &[u8],
    argument: Option<&str>,
) -> HookOutput {
    let began = Instant::now();
    debug!("called by {agent} for {event_name} in {}", env.dir.display());
    let known = HookCaller::parse(agent)
        .and_then(|caller| Some((caller, HookEvent::parse(caller, event_name)?)));
    let Some((caller, event)) = known else {
        debug!("skipped: unknown agent or event");
        return HookOutput::default();
    };
    let input = match event {
        HookEvent::Turn => argument.unwrap_or_default().as_bytes(),
        _ => input,
    };
    let payload = match event {
        HookEvent::Commit => Payload::default(),
        _ if input.trim_ascii().is_empty() => Payload::default(),
        _ => match Payload::parse(input) {
            Some(payload) => payload,
            None => {
                log::line(
                    &env,
                    agent,
                    event_name,
                    "the input is not an object of JSON, or too long",
                );
                return HookOutput::default();
            }
        },
    };
    let is_empty = input.trim_ascii().is_empty() && env.variables.contains_key(CURSOR_VARIABLE);
    if caller == HookCaller::ClaudeCode && (payload.is_from_cursor || is_empty) {
        debug!("skipped: Cursor calls the hooks of Claude Code too, and has its own");
        return HookOutput::default();
    }
    if !may_need_work(event, &payload) {
        debug!("skipped: nothing to do for this event");
        return HookOutput::default();
    }
    let Some(dir) = usable_dir(&env.dir, payload.cwd.as_deref()) else {
        log::line(&env, agent, event_name, "there is no such directory");
        return HookOutput::default();
    };
    let handled_in = Some(dir.clone());
    env.dir = dir;
    let mut workspace = discover(&env);
    if skein_checkpoints::catch_up_here(&workspace).is_some() {
        workspace = discover(&env);
    }
    let event_name = event_name.to_owned();
    let unfinished = Vec::new();
    let mut call =
        HookCall { began, agent: caller, event, event_name, payload, workspace, unfinished };
    let handled = handle(&mut call);
    call.note_unfinished();
    let reply = call.log_error(handled).flatten();
    let stdout = reply.and_then(|reply| reply.to_bytes(caller, event)).unwrap_or_default();
    debug!("answered with {} bytes after {:?}", stdout.len(), began.elapsed());
    HookOutput { stdout, unfinished: call.unfinished, handled_in }
}

/// Returns whether Skein uses an environment variable.
///
/// These are the variables that start with `SKEIN_`, and those for the agent, its session and its process, the settings directories of
/// agents, the user, and the repository for which git runs a hook.
pub fn is_relevant_variable(variable: &str) -> bool {
    variable.starts_with("SKEIN_")
        || agent_names::is_agent_variable(variable)
        || agent_session::SESSION_VARIABLES.contains(&variable)
        || variable == agent_session::PROCESS_VARIABLE
        || skein_install::moves_settings(variable)
        || USER.contains(&variable)
        || variable == GIT_DIR
        || variable == CURSOR_VARIABLE
}

/// Logs why a hook failed.
pub fn note(env: &Env, agent: &str, event: &str, message: &str) {
    log::line(env, agent, event, &redact(message));
}

/// Returns whether an event may need work. This is checked before the workspace is searched.
fn may_need_work(event: HookEvent, payload: &Payload) -> bool {
    match event {
        HookEvent::Tool | HookEvent::FailedTool => {
            let command = payload.input.command.as_deref();
            command.is_some_and(|command| !shell::commits(command, None).is_empty())
                || (event == HookEvent::Tool && has_succeeded(payload))
        }
        // Workers without a name are internal to the agent, for example for a compaction.
        HookEvent::Worker => payload.worker.as_deref() != Some(""),
        _ => true,
    }
}

fn has_succeeded(payload: &Payload) -> bool {
    let is_done = payload.failed != Some(true) && !payload.in_background;
    is_done && (payload.is_worker() || !payload.edited().is_empty())
}

/// Returns the directory of the agent, or else the current one.
fn usable_dir(current: &Path, of_agent: Option<&str>) -> Option<PathBuf> {
    let dirs = of_agent.map(PathBuf::from).into_iter().chain([current.to_owned()]);
    dirs.into_iter().find(|dir| dir.is_absolute() && dir.is_dir())
}

fn handle(call: &mut HookCall) -> HookResult<Option<HookReply>> {
    match call.event {
        // These events belong to the user's conversation, not to a subagent.
        HookEvent::Start | HookEvent::Prompt | HookEvent::Stop | HookEvent::Turn
            if call.payload.is_subagent =>
        {
            Ok(None)
        }
        HookEvent::Start => Ok(session::on_start(call)),
        HookEvent::Prompt => Ok(session::on_prompt(call)),
        HookEvent::Stop | HookEvent::Turn => session::on_stop(call),
        HookEvent::Compaction => Ok(session::on_compaction(call)),
        HookEvent::End => session::on_end(call).map(|()| None),
        HookEvent::Worker => trigger::worker(call).map(|()| None),
        HookEvent::Commit => commit::by_git(call).map(|()| None),
        HookEvent::Tool | HookEvent::FailedTool => tool(call).map(|()| None),
    }
}

fn tool(call: &mut HookCall) -> HookResult {
    let failed = call.event == HookEvent::FailedTool || call.payload.failed == Some(true);
    let committed = commit::by_command(call, failed);
    if failed || !has_succeeded(&call.payload) {
        return committed;
    }
    call.log_error(committed);
    if call.payload.is_worker() {
        return trigger::worker(call);
    }
    let recorded = session::on_edit(call);
    call.log_error(recorded);
    trigger::generated(call)
}
