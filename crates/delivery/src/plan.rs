//! Decides which sessions get which threads.

use std::path::PathBuf;

use serde::Serialize;
use skein_catalog::leases::Claims;
use skein_catalog::origins::{SubmittedThread, WrittenHere, fingerprint, target};
use skein_catalog::{ThreadRef, WorktreeScope, list, origins};
use skein_checkpoints::agent_session::{AgentSession, is_plain_id};
use skein_format::review::ReviewDoc;
use skein_model::person_names::is_name_of;
use skein_model::view::{ThreadOrigin, ThreadRow};
use skein_model::{Filter, Kind, Turn};
use skein_workspace::{Actor, Workspace, agent_names, discover_in, trust};

use crate::agent_command::{AgentCommand, command, usual_args};
use crate::attribution::Attribution;
use crate::evidence::{SessionEvidence, record_of};
use crate::known_sessions::KnownSessions;
use crate::process::{is_alive, listens};
use crate::record::{self, DeliveryRecord, DeliveryState};
use crate::submit::is_last_of;
use crate::{AGENTS, consent};

/// What can be delivered in a workspace.
#[derive(Debug)]
pub struct Plan {
    /// One for each session.
    pub deliveries: Vec<PlannedDelivery>,
    /// The threads whose session is not known, and why.
    pub unknown: Vec<UnknownThread>,
    /// The number of threads that agents have claimed.
    pub claimed: usize,
}

/// Threads for one session.
#[derive(Debug)]
pub struct PlannedDelivery {
    pub origin: ThreadOrigin,
    /// The last prompt of the user in the session.
    pub last_prompt: Option<String>,
    pub threads: Vec<PlannedThread>,
    /// How the session is known.
    pub evidence: SessionEvidence,
    /// How they are delivered, or why not now.
    pub action: Result<SessionChannel, Obstacle>,
}

/// A thread to deliver.
#[derive(Clone, Debug)]
pub struct PlannedThread {
    pub row: ThreadRow,
    /// The fingerprint of its comments.
    pub(crate) comments: String,
}

/// A way to deliver threads to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChannel {
    /// The session has ended, and a program resumes it.
    Resume(AgentCommand),
    /// The session is in a server of OpenCode that is running.
    Server { address: String, process: u32 },
}

/// A thread whose session is not known.
#[derive(Debug, Serialize)]
pub struct UnknownThread {
    pub thread: String,
    pub reason: String,
}

/// Why threads are not delivered now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("you have not allowed Skein to start this agent in this repository")]
    NotAllowed,
    #[error("this repository is not accepted")]
    NotTrusted,
    #[error("the session is open: its hooks report them with the next prompt")]
    Open,
    #[error("the session is busy")]
    Busy,
    #[error("Skein cannot resume sessions of this agent")]
    NoCommand,
    #[error("the directory of the session was removed")]
    NoDirectory,
    #[error("only hooks report this session, and the agent has no record of it")]
    HooksOnly,
    #[error("the session ran in a sandbox, and would be resumed outside of it")]
    Sandboxed,
    #[error("they were delivered, and were not answered")]
    Unanswered,
    #[error("their delivery was interrupted")]
    Interrupted,
    #[error("their delivery failed: {0}")]
    Failed(String),
}

impl Obstacle {
    /// Returns whether a later call can deliver the threads without the user making the session available again.
    pub fn can_pass(&self) -> bool {
        !matches!(self, Self::NoCommand | Self::NoDirectory)
    }
}

/// Plans the deliveries of a workspace. With `retry`, threads that were delivered before are included.
pub fn plan(workspace: &Workspace, retry: bool) -> Plan {
    let filter =
        Filter { kind: Some(Kind::Review), waiting: Some(Turn::Agent), ..Filter::default() };
    let mut rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    rows.reverse();
    let claims = Claims::read(workspace);
    let before = rows.len();
    rows.retain(|row| row.usable && claims.lease(row).is_none());
    let claimed = before - rows.len();
    let mut plan = Plan { deliveries: Vec::new(), unknown: Vec::new(), claimed };
    if rows.is_empty() {
        return plan;
    }
    let known = KnownSessions::read(workspace);
    let delivered = record::read(workspace);
    let mut submitted = origins::read(workspace);
    let mut unsubmitted = UnsubmittedReasons::new(workspace);
    let mut groups: Vec<PlannedGroup> = Vec::new();
    for row in rows {
        let SubmittedThread { origin, comments, is_sandboxed, .. } =
            match check_submitted(&mut unsubmitted, &row, submitted.remove(&row.id)) {
                Ok(submitted) => submitted,
                Err(reason) => {
                    plan.unknown.push(UnknownThread { thread: row.id.clone(), reason });
                    continue;
                }
            };
        let last = last_delivery(&delivered, &row.id, &comments).filter(|_| !retry);
        let obstacle = last.map(|last| match last.state {
            DeliveryState::Failed => Obstacle::Failed(last.error.clone().unwrap_or_default()),
            DeliveryState::Done => Obstacle::Unanswered,
            DeliveryState::Started | DeliveryState::Interrupted => Obstacle::Interrupted,
        });
        let thread = PlannedThread { row: *row, comments };
        match groups.iter_mut().find(|group| group.origin == origin && group.obstacle == obstacle) {
            Some(group) => {
                group.is_sandboxed |= is_sandboxed;
                group.threads.push(thread);
            }
            None => {
                groups.push(PlannedGroup { origin, is_sandboxed, obstacle, threads: vec![thread] });
            }
        }
    }
    for PlannedGroup { origin, is_sandboxed, obstacle, threads } in groups {
        let session = known.get(&origin.session);
        let evidence = if is_sandboxed || session.is_some_and(|session| session.is_sandboxed) {
            SessionEvidence::Sandbox
        } else {
            record_of(&workspace.env, &origin)
                .map_or(SessionEvidence::Hooks, SessionEvidence::Record)
        };
        let action = match obstacle {
            Some(obstacle) => Err(obstacle),
            None => action(workspace, &origin, session, &evidence),
        };
        let last_prompt = session.and_then(|session| session.last_prompt.clone());
        plan.deliveries.push(PlannedDelivery { origin, last_prompt, threads, evidence, action });
    }
    plan
}

/// The threads of a session that have the same obstacle.
struct PlannedGroup {
    origin: ThreadOrigin,
    is_sandboxed: bool,
    obstacle: Option<Obstacle>,
    threads: Vec<PlannedThread>,
}

/// Returns the record of a thread that can be delivered, or why it cannot.
fn check_submitted(
    unsubmitted: &mut UnsubmittedReasons<'_>,
    row: &ThreadRow,
    submitted: Option<SubmittedThread>,
) -> Result<SubmittedThread, String> {
    let workspace = unsubmitted.workspace;
    let thread = ThreadRef::from_row(workspace, row);
    let snapshot = skein_store::read(&thread.path).map_err(|error| error.to_string())?;
    let (doc, _) = ReviewDoc::parse(snapshot.bytes, &thread.id(), &workspace.reviews.store_path);
    let Some(submitted) = submitted else { return Err(unsubmitted.reason(row, &doc)) };
    // A comment can come from another clone: it must not start an agent.
    if fingerprint(&doc) != submitted.comments {
        return Err("it has changed since you submitted it: `skein review submit`".to_owned());
    }
    if target(&doc) != submitted.target {
        return Err("it is about other code than when you submitted it: look at it, reply, and `skein review submit`"
            .to_owned());
    }
    match asked_other(row, &submitted.origin) {
        Some(name) => Err(format!("it mentions {name}")),
        None => Ok(submitted),
    }
}

/// Finds out why threads are not recorded as submitted.
struct UnsubmittedReasons<'a> {
    workspace: &'a Workspace,
    reviewer: Actor,
    /// Reading them is only worth it for a thread without a record.
    sources: Option<(WrittenHere, Attribution<'a>)>,
}

impl<'a> UnsubmittedReasons<'a> {
    fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, reviewer: Actor::find(workspace, None), sources: None }
    }

    fn reason(&mut self, row: &ThreadRow, doc: &ReviewDoc) -> String {
        let Self { workspace, reviewer, sources } = self;
        if !is_last_of(row, reviewer) {
            let name = row.review().and_then(|detail| detail.last_author.as_deref());
            let name = name.unwrap_or("an unknown author");
            return format!("its last comment is by {name}: reply, and `skein review submit`");
        }
        let (written, attribution) = sources
            .get_or_insert_with(|| (WrittenHere::read(workspace), Attribution::new(workspace)));
        if !written.has_all_by(&reviewer.name, &row.id, doc) {
            return "a comment in your name was not written with Skein on this machine".to_owned();
        }
        match attribution.find(doc) {
            Ok(_) => "you have not submitted it: `skein review submit`".to_owned(),
            Err(reason) => reason.to_string(),
        }
    }
}

/// Returns the name that a thread asks for, if it is not that of the agent.
fn asked_other<'a>(row: &'a ThreadRow, origin: &ThreadOrigin) -> Option<&'a str> {
    let asked = row.review()?.waiting_on_name.as_deref()?;
    (!is_name_of(asked, agent_names::title_of(&origin.agent))).then_some(asked)
}

/// Returns the last delivery of a thread with these comments.
fn last_delivery<'a>(
    delivered: &'a [DeliveryRecord],
    id: &str,
    comments: &str,
) -> Option<&'a DeliveryRecord> {
    let has = |delivery: &&DeliveryRecord| {
        delivery.threads.iter().any(|thread| thread.id == id && thread.comments == comments)
    };
    delivered.iter().rev().find(has)
}

/// Returns the way to a session, or why it cannot be used now.
fn action(
    workspace: &Workspace,
    origin: &ThreadOrigin,
    session: Option<&AgentSession>,
    evidence: &SessionEvidence,
) -> Result<SessionChannel, Obstacle> {
    if !AGENTS.contains(&origin.agent.as_str()) || !is_plain_id(&origin.session) {
        return Err(Obstacle::NoCommand);
    }
    if !PathBuf::from(&origin.dir).is_dir() {
        return Err(Obstacle::NoDirectory);
    }
    let env = &workspace.env;
    if !trust::roots(workspace).iter().take(1).all(|root| trust::is_accepted(env, root)) {
        return Err(Obstacle::NotTrusted);
    }
    let consents = consent::allowed(workspace);
    let consent = consents.get(&origin.agent).ok_or(Obstacle::NotAllowed)?;
    if !consent.sessions.contains(&origin.session) {
        match evidence {
            SessionEvidence::Record(_) => {}
            SessionEvidence::Hooks => return Err(Obstacle::HooksOnly),
            SessionEvidence::Sandbox => return Err(Obstacle::Sandboxed),
        }
    }
    let is_open = |session: &&AgentSession| match session.process {
        Some(process) => session.ended_at.is_none() && is_alive(process),
        None => session.is_running(env.clock.now()),
    };
    if let Some(session) = session.filter(is_open) {
        return open_channel(session);
    }
    let other_root = is_elsewhere(workspace, origin).then_some(workspace.reviews.root.as_path());
    let usual = || usual_args(&origin.agent, other_root);
    let args = consent.args.clone().unwrap_or_else(usual);
    command(origin, &args).map(SessionChannel::Resume).ok_or(Obstacle::NoCommand)
}

/// Returns the way to a session that is open: a second process on it would mix two conversations.
fn open_channel(session: &AgentSession) -> Result<SessionChannel, Obstacle> {
    let server = session.server.as_ref().filter(|_| session.agent == "opencode");
    // OpenCode names an address also if nothing, or another process, listens there.
    let listens = |(server, process): &(&String, u32)| {
        port(server).is_some_and(|port| listens(*process, port))
    };
    let (address, process) = server.zip(session.process).filter(listens).ok_or(Obstacle::Open)?;
    if is_busy(session) {
        return Err(Obstacle::Busy);
    }
    Ok(SessionChannel::Server { address: address.clone(), process })
}

/// Returns whether a session works on a prompt.
pub(crate) fn is_busy(session: &AgentSession) -> bool {
    session.worked_at < session.prompted_at
}

/// Returns the port of an address on this machine.
fn port(address: &str) -> Option<u16> {
    let rest = address.strip_prefix("http://")?.trim_end_matches('/');
    let (host, port) = rest.rsplit_once(':')?;
    port.parse().ok().filter(|_| matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0"))
}

/// Returns whether a session works in another workspace than that of the threads.
pub(crate) fn is_elsewhere(workspace: &Workspace, origin: &ThreadOrigin) -> bool {
    discover_in(&workspace.env, origin.dir.as_ref()).reviews.root != workspace.reviews.root
}
