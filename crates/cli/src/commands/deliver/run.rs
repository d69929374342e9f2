//! Runs the agents, and records the results.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use serde_json::json;
use skein_delivery::{
    Deliverer, MAX_TURN, Obstacle, Plan, PlannedDelivery, RENEW_INTERVAL, SessionChannel,
    StartedDelivery, UnknownThread,
};
use skein_model::advice::with_causes;
use skein_model::sanitize::one_line;
use skein_model::truncate::truncate_line;
use skein_workspace::Workspace;

use super::{CliContext, DeliveryView, RETRY, hint, session_in_words};
use crate::error::{CliError, CliResult};
use crate::program;
use crate::render::text;
use crate::servers::{OpencodeTurn, TurnFailure};

/// Maximum number of agents that run at the same time.
const MAX_AGENTS: usize = 4;
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The agents that were started.
pub(super) struct Deliveries {
    deliverer: Deliverer,
    /// Whether threads that were delivered before are delivered again.
    retry: bool,
    running: Vec<RunningAgent>,
    /// The sessions that get threads of a workspace when an agent can be started.
    waiting: Vec<(Workspace, String)>,
    ended: Vec<EndedDelivery>,
}

struct RunningAgent {
    workspace: Workspace,
    started: StartedDelivery,
    work: AgentWork,
    begun: Instant,
    /// When its claims were last renewed.
    renewed: Instant,
}

/// What delivers the threads.
enum AgentWork {
    /// A program that resumes the session.
    Program(Child),
    /// A server of OpenCode, whose answer ends with this message.
    Server(Receiver<Result<(), TurnFailure>>),
}

/// How the work of an agent ended.
enum AgentOutcome {
    Done,
    Failed(String),
    /// The session works on something else; nothing was sent.
    Busy,
    /// Nothing is known of the agent, which may still work.
    Lost(String),
}

/// A delivery that was carried out.
struct EndedDelivery {
    started: StartedDelivery,
    root: String,
    answered: usize,
    error: Option<String>,
    /// The file with the output of the agent, if it printed anything.
    log: Option<PathBuf>,
}

impl Deliveries {
    /// Takes the right to deliver threads in the repository.
    pub(super) fn new(context: &CliContext<'_>, retry: bool) -> CliResult<Self> {
        let Some(deliverer) = Deliverer::new(&context.workspace)? else {
            return Err(CliError::new(
                "another `skein deliver` is running in this repository",
                "wait until it has ended, or stop it",
            ));
        };
        let (running, waiting, ended) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { deliverer, retry, running, waiting, ended })
    }

    /// Plans the deliveries of a workspace, and starts those that are ready. Returns the others.
    pub(super) fn start(
        &mut self,
        context: &mut CliContext<'_>,
        workspace: &Workspace,
    ) -> CliResult<Plan> {
        let is_own = |id: &str| self.running.iter().any(|one| one.started.id == id);
        self.deliverer.recover(workspace, &is_own)?;
        let mut plan = skein_delivery::plan(workspace, self.retry);
        let (ready, left): (Vec<PlannedDelivery>, Vec<PlannedDelivery>) =
            plan.deliveries.into_iter().partition(|planned| planned.action.is_ok());
        plan.deliveries = left;
        for planned in ready {
            let session = planned.origin.session;
            if !self.has(workspace, &session) {
                self.waiting.push((workspace.clone(), session));
            }
        }
        self.step(context)?;
        Ok(plan)
    }

    /// Returns whether threads of a workspace are being delivered to a session, or wait for it.
    fn has(&self, workspace: &Workspace, session: &str) -> bool {
        let root = &workspace.reviews.root;
        let mut running =
            self.running.iter().map(|one| (&one.workspace, &one.started.origin.session));
        let mut waiting = self.waiting.iter().map(|(workspace, session)| (workspace, session));
        running.any(|(of, other)| of.reviews.root == *root && other == session)
            || waiting.any(|(of, other)| of.reviews.root == *root && other == session)
    }

    /// Returns whether agents run or wait to be started.
    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty() || !self.waiting.is_empty()
    }

    /// Waits until all agents have ended.
    pub(super) fn finish(&mut self, context: &mut CliContext<'_>) -> CliResult {
        while self.is_busy() {
            std::thread::sleep(POLL_INTERVAL);
            self.step(context)?;
        }
        Ok(())
    }

    /// Records agents that have ended, and starts waiting ones. One session has one agent at a time.
    ///
    /// An error with one of them does not keep the others from being recorded.
    pub(super) fn step(&mut self, context: &mut CliContext<'_>) -> CliResult {
        let mut result = Ok(());
        for mut one in std::mem::take(&mut self.running) {
            match outcome(&mut one) {
                None => {
                    if one.renewed.elapsed() >= RENEW_INTERVAL {
                        let renewed = self.deliverer.renew(&one.workspace, &one.started);
                        result = result.and(renewed.map_err(CliError::from));
                        one.renewed = Instant::now();
                    }
                    self.running.push(one);
                }
                Some(outcome) => {
                    let ended = self.end(context, &one.workspace, one.started, outcome);
                    result = result.and(ended);
                }
            }
        }
        for (workspace, session) in std::mem::take(&mut self.waiting) {
            let is_busy = self.running.iter().any(|one| one.started.origin.session == session);
            if self.running.len() >= MAX_AGENTS || is_busy {
                self.waiting.push((workspace, session));
            } else {
                result = result.and(self.begin(context, workspace, &session));
            }
        }
        result
    }

    fn begin(
        &mut self,
        context: &mut CliContext<'_>,
        workspace: Workspace,
        session: &str,
    ) -> CliResult {
        // It may have waited for long: threads, the consent and the session can be different now.
        let plan = skein_delivery::plan(&workspace, self.retry);
        let is_meant = |one: &PlannedDelivery| one.origin.session == session && one.action.is_ok();
        let Some(planned) = plan.deliveries.into_iter().find(is_meant) else { return Ok(()) };
        let Ok(channel) = &planned.action else { return Ok(()) };
        let Some(started) = self.deliverer.begin(&workspace, &planned)? else { return Ok(()) };
        let name = session_in_words(context, &planned.origin, planned.last_prompt.as_deref());
        let threads = text::count(started.len(), "thread");
        context.output.note(&format!("Delivering {threads} to {name}"))?;
        let log = skein_delivery::log_file(&workspace, &started.id);
        match start(context, &workspace, channel, &started, &log) {
            Ok(work) => {
                let process = match (&work, channel) {
                    (AgentWork::Program(child), _) => Some(child.id()),
                    (_, SessionChannel::Server { process, .. }) => Some(*process),
                    _ => None,
                };
                if let Some(process) = process {
                    self.deliverer.started(&workspace, &started, process)?;
                }
                let begun = Instant::now();
                self.running.push(RunningAgent { workspace, started, work, begun, renewed: begun });
                Ok(())
            }
            Err(error) => self.end(context, &workspace, started, AgentOutcome::Failed(error)),
        }
    }

    fn end(
        &mut self,
        context: &mut CliContext<'_>,
        workspace: &Workspace,
        started: StartedDelivery,
        outcome: AgentOutcome,
    ) -> CliResult {
        let deliverer = &self.deliverer;
        let (answered, error) = match outcome {
            AgentOutcome::Done => (deliverer.end(workspace, &started, None)?, None),
            AgentOutcome::Failed(error) => {
                (deliverer.end(workspace, &started, Some(&error))?, Some(error))
            }
            AgentOutcome::Lost(error) => {
                (deliverer.lose(workspace, &started, &error)?, Some(error))
            }
            AgentOutcome::Busy => {
                deliverer.cancel(workspace, &started)?;
                (0, Some("the session is busy, and nothing was sent".to_owned()))
            }
        };
        let session = session_in_words(context, &started.origin, started.last_prompt.as_deref());
        let threads = text::count(started.len(), "thread");
        let log = skein_delivery::log_file(workspace, &started.id);
        let log = Some(log).filter(|log| log.metadata().is_ok_and(|meta| meta.len() > 0));
        let root = workspace.reviews.root.display().to_string();
        context.output.note(&match &error {
            None => format!("{session} answered {answered} of {threads}"),
            Some(error) => format!("{session} failed: {error}"),
        })?;
        let one = EndedDelivery { started, root, answered, error, log };
        if !one.is_answered() {
            one.explain(context)?;
        }
        self.ended.push(one);
        Ok(())
    }

    /// Prints what was delivered and what is left.
    pub(super) fn print(
        &self,
        context: &mut CliContext<'_>,
        plans: &[(Workspace, Plan)],
    ) -> CliResult {
        let left = || {
            plans.iter().flat_map(|(workspace, plan)| {
                plan.deliveries.iter().map(move |planned| (workspace, planned))
            })
        };
        let unknown: Vec<&UnknownThread> =
            plans.iter().flat_map(|(_, plan)| &plan.unknown).collect();
        let claimed: usize = plans.iter().map(|(_, plan)| plan.claimed).sum();
        let can_pass = |planned: &PlannedDelivery| {
            planned.action.as_ref().err().is_none_or(Obstacle::can_pass)
        };
        let is_complete = !left().any(|(_, planned)| can_pass(planned))
            && claimed == 0
            && self.ended.iter().all(EndedDelivery::is_answered);
        context.answer(is_complete)?;
        if context.output.is_json {
            let ended = self.ended.iter().map(EndedDelivery::view);
            let left = left().map(|(workspace, planned)| DeliveryView::planned(workspace, planned));
            let views: Vec<DeliveryView<'_>> = ended.chain(left).collect();
            let document = json!({ "deliveries": views, "unknown": unknown, "claimed": claimed });
            return context.output.document(&document);
        }
        if self.ended.is_empty() && left().next().is_none() && unknown.is_empty() && claimed == 0 {
            return context.output.note("No thread waits for a delivery.");
        }
        for (_, planned) in left() {
            let threads = text::count(planned.threads.len(), "thread");
            let session =
                session_in_words(context, &planned.origin, planned.last_prompt.as_deref());
            let Err(reason) = &planned.action else { continue };
            context.output.line(&format!("{threads} for {session}: {reason}"))?;
            hint(context, reason, &planned.origin)?;
        }
        if !unknown.is_empty() {
            let threads = text::count(unknown.len(), "thread");
            context.output.line(&format!(
                "{threads} for any agent, by `skein review next`; `--dry-run` says why"
            ))?;
        }
        if claimed > 0 {
            let threads = text::count(claimed, "thread");
            context.output.line(&format!("{threads} claimed by an agent"))?;
        }
        Ok(())
    }
}

impl EndedDelivery {
    /// Returns whether the agent answered all threads.
    fn is_answered(&self) -> bool {
        self.error.is_none() && self.answered == self.started.len()
    }

    /// Prints why threads have no answer, as far as it is known, and how to deliver them again.
    fn explain(&self, context: &mut CliContext<'_>) -> CliResult {
        if let Some(log) = &self.log {
            let last = last_line(log).map(|line| format!(", which ends with: {line}"));
            let log = one_line(&log.display().to_string());
            context.output.note(&format!("its output is in {log}{}", last.unwrap_or_default()))?;
        } else if self.error.is_none() {
            context.output.note("it printed nothing")?;
        }
        context.output.note(RETRY)
    }

    fn view(&self) -> DeliveryView<'_> {
        DeliveryView {
            origin: &self.started.origin,
            root: self.root.clone(),
            threads: self.started.threads().collect(),
            known_by: None,
            state: if self.error.is_some() { "failed" } else { "done" },
            reason: self.error.clone(),
            command: None,
            answered: Some(self.answered),
            log: self.log.as_ref().map(|log| log.display().to_string()),
        }
    }
}

/// Returns the last line of the output of an agent.
fn last_line(log: &Path) -> Option<String> {
    const MAX_LINE: usize = 200;
    /// More than the last lines that agents print, which can be long.
    const MAX_READ: u64 = 16 * 1024;
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_READ))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(truncate_line(last, MAX_LINE))
}

/// Starts to deliver threads.
fn start(
    context: &CliContext<'_>,
    workspace: &Workspace,
    channel: &SessionChannel,
    started: &StartedDelivery,
    log: &Path,
) -> Result<AgentWork, String> {
    let StartedDelivery { id, origin, prompt, .. } = started;
    match channel {
        SessionChannel::Resume(command) => {
            program::start_agent(command, &workspace.reviews.root, prompt, log)
                .map(AgentWork::Program)
                .map_err(|error| format!("cannot start `{}`: {error}", command.program()))
        }
        SessionChannel::Server { address, .. } => {
            let turn = OpencodeTurn {
                address: address.clone(),
                session: origin.session.clone(),
                dir: origin.dir.clone(),
                prompt: prompt.clone(),
                delivery: id.clone(),
                now: context.workspace.env.clock.now(),
                timeout: MAX_TURN,
            };
            let opencode_turn = context.servers.opencode_turn;
            let (sender, receiver) = mpsc::channel();
            // The receiver is dropped only when the process ends.
            std::thread::spawn(move || drop(sender.send(opencode_turn(&turn))));
            Ok(AgentWork::Server(receiver))
        }
    }
}

/// Returns how the work of an agent ended, and none while it goes on.
fn outcome(one: &mut RunningAgent) -> Option<AgentOutcome> {
    match &mut one.work {
        AgentWork::Program(child) => match child.try_wait() {
            Ok(Some(status)) if status.success() => Some(AgentOutcome::Done),
            Ok(Some(status)) => Some(AgentOutcome::Failed(status.to_string())),
            Err(error) => Some(AgentOutcome::Failed(error.to_string())),
            Ok(None) if one.begun.elapsed() > MAX_TURN => {
                drop(child.kill().and_then(|()| child.wait()));
                Some(AgentOutcome::Failed("it took too long".to_owned()))
            }
            Ok(None) => None,
        },
        AgentWork::Server(turn) => match turn.try_recv() {
            Ok(Ok(())) => Some(AgentOutcome::Done),
            Ok(Err(TurnFailure::Busy)) => Some(AgentOutcome::Busy),
            Ok(Err(TurnFailure::NotSent(error))) => {
                Some(AgentOutcome::Failed(with_causes(&*error.source)))
            }
            Ok(Err(TurnFailure::Sent(error))) => {
                Some(AgentOutcome::Lost(with_causes(&*error.source)))
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(AgentOutcome::Lost("a bug in Skein".to_owned()))
            }
        },
    }
}
