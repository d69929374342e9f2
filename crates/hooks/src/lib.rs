//! Handles the calls of agents' and git's hooks: what happened is written down, and agents are told what waits on them.
//!
//! A hook never fails its caller and changes only the files of Skein.

mod call;
mod commit;
mod elsewhere;
mod env_vars;
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

use call::{HookCall, HookError};
use hook_event::{HookCaller, HookEvent};
pub use log::{FILE as LOG_FILE, LogFile};
use payload::Payload;
use reply::HookReply;

use skein_format::redact::redact;
use skein_workspace::{Env, discover};
use tracing::debug;

/// More input than this is not taken.
pub const MAX_INPUT: usize = payload::MAX_BYTES;

/// What a hook has to say to the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    /// What to print: nothing, or one JSON object of the agent's own form.
    pub stdout: Vec<u8>,
}

/// Does what is to be done at an event of an agent, told by its JSON: `input`, or `argument` where the agent gives it so.
///
/// Unknown agents and events, and invalid input, are ignored.
pub fn run(env: Env, agent: &str, event: &str, input: &[u8], argument: Option<&str>) -> HookOutput {
    let began = Instant::now();
    debug!("called by {agent} for {event} in {}", env.dir.display());
    let Some((who, moment)) =
        HookCaller::parse(agent).and_then(|who| Some((who, HookEvent::parse(who, event)?)))
    else {
        debug!("passed over: not an agent or event that is known");
        return HookOutput::default();
    };
    let input =
        if moment == HookEvent::Turn { argument.unwrap_or_default().as_bytes() } else { input };
    let payload = match moment {
        HookEvent::Commit => Payload::default(),
        _ if input.trim_ascii().is_empty() => Payload::default(),
        _ => match Payload::parse(input) {
            Some(payload) => payload,
            None => {
                log::line(&env, agent, event, "the input is not an object of JSON, or too long");
                return HookOutput::default();
            }
        },
    };
    if !asks(moment, &payload) {
        debug!("passed over: nothing to do for this event");
        return HookOutput::default();
    }
    let mut env = env;
    let Some(dir) = place(&env.dir, payload.cwd.as_deref()) else {
        log::line(&env, agent, event, "there is no such directory");
        return HookOutput::default();
    };
    env.dir = dir;
    let mut workspace = discover(&env);
    if skein_checkpoints::catch_up_here(&workspace, &env).is_some() {
        workspace = discover(&env);
    }
    let event = event.to_owned();
    let mut scene = HookCall { began, agent: who, moment, event, payload, env, workspace };
    let done = act(&mut scene);
    let answer = scene.noted(done).flatten();
    let written = answer.and_then(|answer| reply::written(who, moment, answer));
    let stdout = written.unwrap_or_default();
    debug!("answered with {} bytes after {:?}", stdout.len(), began.elapsed());
    HookOutput { stdout }
}

/// Logs why a hook failed.
pub fn note(env: &Env, agent: &str, event: &str, message: &str) {
    log::line(env, agent, event, &redact(message));
}

/// Returns whether an event may ask for anything, before it costs anything to find out.
fn asks(moment: HookEvent, payload: &Payload) -> bool {
    match moment {
        HookEvent::Tool | HookEvent::FailedTool => {
            let command = payload.input.command.as_deref();
            command.is_some_and(|command| !shell::commits(command, None).is_empty())
                || (moment == HookEvent::Tool && ended_well(payload))
        }
        // Agents use workers for themselves too, as for a compaction; those have no name.
        HookEvent::Worker => payload.worker.as_deref() != Some(""),
        _ => true,
    }
}

fn ended_well(payload: &Payload) -> bool {
    let is_done = payload.failed != Some(true) && !payload.in_background;
    is_done && (payload.is_worker() || !payload.edited().is_empty())
}

fn place(dir: &Path, told: Option<&str>) -> Option<PathBuf> {
    let told = told.map(PathBuf::from);
    let usable = |dir: &PathBuf| dir.is_absolute() && dir.is_dir();
    told.filter(usable).or_else(|| Some(dir.to_owned()).filter(usable))
}

fn act(scene: &mut HookCall) -> Result<Option<HookReply>, HookError> {
    match scene.moment {
        // What concerns the user's conversation is none of a subagent's business.
        HookEvent::Start | HookEvent::Prompt | HookEvent::Stop | HookEvent::Turn
            if scene.payload.is_subagent =>
        {
            Ok(None)
        }
        HookEvent::Start => Ok(session::start(scene)),
        HookEvent::Prompt => Ok(session::prompted(scene)),
        HookEvent::Stop | HookEvent::Turn => session::stopped(scene),
        HookEvent::Compaction => Ok(session::compacted(scene)),
        HookEvent::End => session::ended(scene).map(|()| None),
        HookEvent::Worker => trigger::worker(scene).map(|()| None),
        HookEvent::Commit => commit::by_git(scene).map(|()| None),
        HookEvent::Tool | HookEvent::FailedTool => tool(scene).map(|()| None),
    }
}

fn tool(scene: &mut HookCall) -> Result<(), HookError> {
    let failed = scene.moment == HookEvent::FailedTool || scene.payload.failed == Some(true);
    let committed = commit::by_command(scene, failed);
    if failed || !ended_well(&scene.payload) {
        return committed;
    }
    scene.noted(committed);
    if scene.payload.is_worker() {
        return trigger::worker(scene);
    }
    let remembered = session::edited(scene);
    scene.noted(remembered);
    trigger::generated(scene)
}

pub use env_vars::is_relevant_variable;
