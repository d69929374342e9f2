mod allow;
mod run;
mod watch;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use skein_catalog::origins::in_words;
use skein_catalog::{ShortIds, names};
use skein_delivery::{
    Obstacle, Plan, PlannedDelivery, SessionChannel, SessionEvidence, UnknownThread,
};
use skein_model::sanitize::{one_line, shell_word};
use skein_model::truncate::truncate_line;
use skein_model::view::{ThreadOrigin, ThreadRow};
use skein_workspace::{Workspace, discover_in};

use super::context::CliContext;
use crate::error::CliResult;
use crate::render::text;
use run::Deliveries;

/// Delivers review threads to the agent sessions that wrote the code.
///
/// Hooks record which session edited and committed which file. Threads that you submitted and that wait on an agent are delivered to their
/// session if it has ended and its agent has a record of it: the agent resumes it in its own directory with the threads as the prompt, and answers in the threads. Only for
/// agents that you have allowed in this repository. The hooks of an open session report its threads with the next prompt. Threads of
/// other worktrees of the repository are delivered too. Each comment is delivered once. Exits with 1 if threads are left that a session
/// could get or has not answered; threads of unknown or removed sessions do not count.
///
/// Example: skein deliver allow claude-code
///
/// Example: skein deliver --watch
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DeliverArgs {
    #[command(subcommand)]
    command: Option<DeliverCommand>,

    /// Continues, and delivers threads as they are submitted and sessions as they end.
    #[arg(long)]
    watch: bool,

    /// Prints what would run, and starts nothing.
    #[arg(long, conflicts_with = "watch")]
    dry_run: bool,

    /// Also delivers threads whose delivery failed, was interrupted or was not answered.
    #[arg(long, conflicts_with = "watch")]
    retry: bool,
}

#[derive(Debug, Subcommand)]
enum DeliverCommand {
    Allow(allow::AllowArgs),
    Deny(allow::DenyArgs),
    Allowed(allow::AllowedArgs),
}

pub(crate) fn run_deliver(context: &mut CliContext<'_>, args: &DeliverArgs) -> CliResult {
    match &args.command {
        Some(DeliverCommand::Allow(args)) => return allow::run_allow(context, args),
        Some(DeliverCommand::Deny(args)) => return allow::run_deny(context, args),
        Some(DeliverCommand::Allowed(_)) => return allow::run_allowed(context),
        None => {}
    }
    let mut workspaces = workspaces(&context.workspace);
    workspaces.retain(|workspace| workspace.reviews.exists);
    if args.dry_run {
        let plans: Vec<Plan> =
            workspaces.iter().map(|one| skein_delivery::plan(one, args.retry)).collect();
        return print_plans(context, &workspaces, &plans);
    }
    let mut deliveries = Deliveries::new(context, args.retry)?;
    if args.watch {
        return watch::watch(context, &mut deliveries);
    }
    let mut plans = Vec::new();
    for workspace in workspaces {
        let plan = deliveries.start(context, &workspace)?;
        plans.push((workspace, plan));
    }
    deliveries.finish(context)?;
    deliveries.print(context, &plans)
}

/// Returns the workspaces of all worktrees of the repository, the current one first.
fn workspaces(current: &Workspace) -> Vec<Workspace> {
    let mut found = vec![current.clone()];
    for worktree in current.git.iter().flat_map(|git| git.worktrees()) {
        let other = discover_in(&current.env.with_dir(worktree.top.clone()), &worktree.top);
        if found.iter().all(|known| known.reviews.root != other.reviews.root) {
            found.push(other);
        }
    }
    found
}

/// A delivery as JSON.
#[derive(Serialize)]
struct DeliveryView<'a> {
    #[serde(flatten)]
    origin: &'a ThreadOrigin,
    /// The root of the workspace of the threads.
    root: String,
    threads: Vec<&'a str>,
    /// How the session is known: `record`, `hooks` or `sandbox`.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_by: Option<&'static str>,
    state: &'static str,
    /// Why the threads were not delivered, or why the delivery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Vec<&'a str>>,
    /// The number of threads that the agent answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<usize>,
    /// The file with the output of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
}

impl<'a> DeliveryView<'a> {
    fn planned(workspace: &Workspace, planned: &'a PlannedDelivery) -> Self {
        let command = match &planned.action {
            Ok(SessionChannel::Resume(command)) => Some(command.words().collect()),
            _ => None,
        };
        Self {
            origin: &planned.origin,
            root: workspace.reviews.root.display().to_string(),
            threads: planned.threads.iter().map(|thread| thread.row.id.as_str()).collect(),
            known_by: Some(match planned.evidence {
                SessionEvidence::Record(_) => "record",
                SessionEvidence::Hooks => "hooks",
                SessionEvidence::Sandbox => "sandbox",
            }),
            state: if planned.action.is_ok() { "ready" } else { "waiting" },
            reason: planned.action.as_ref().err().map(ToString::to_string),
            command,
            answered: None,
            log: None,
        }
    }
}

fn print_plans(
    context: &mut CliContext<'_>,
    workspaces: &[Workspace],
    plans: &[Plan],
) -> CliResult {
    let each = || workspaces.iter().zip(plans);
    let unknown: Vec<&UnknownThread> = plans.iter().flat_map(|plan| &plan.unknown).collect();
    let views: Vec<DeliveryView<'_>> = each()
        .flat_map(|(workspace, plan)| {
            plan.deliveries.iter().map(move |planned| DeliveryView::planned(workspace, planned))
        })
        .collect();
    if context.output.print_json(&json!({ "deliveries": views, "unknown": unknown }))? {
        return Ok(());
    }
    if views.is_empty() && unknown.is_empty() {
        return context.output.note("No thread waits for a delivery.");
    }
    for (workspace, plan) in each() {
        let handles = ShortIds::new(&names(workspace));
        for planned in &plan.deliveries {
            print_planned(context, planned, &handles)?;
        }
        print_unknown(context, plan, &handles)?;
    }
    Ok(())
}

fn print_planned(
    context: &mut CliContext<'_>,
    planned: &PlannedDelivery,
    handles: &ShortIds,
) -> CliResult {
    let threads = text::count(planned.threads.len(), "thread");
    let session = session_in_words(context, &planned.origin, planned.last_prompt.as_deref());
    context.output.line(&format!("{threads} for {session}"))?;
    for thread in &planned.threads {
        context.output.line(&format!("  {}", thread_line(&thread.row, handles)))?;
    }
    let evidence = match &planned.evidence {
        SessionEvidence::Record(file) => format!("the agent's record {}", file.display()),
        SessionEvidence::Hooks => "hooks alone".to_owned(),
        SessionEvidence::Sandbox => "a sandboxed agent alone".to_owned(),
    };
    context.output.line(&format!("  known by {}", one_line(&evidence)))?;
    match &planned.action {
        Ok(SessionChannel::Resume(command)) => {
            let words: Vec<String> = command.words().map(shell_word).collect();
            context.output.line(&format!("  runs: {}", words.join(" ")))
        }
        Ok(SessionChannel::Server { address, .. }) => {
            context.output.line(&format!("  prompts it through its server: {address}"))
        }
        Err(reason) => {
            context.output.line(&format!("  not now: {reason}"))?;
            hint(context, reason, &planned.origin)
        }
    }
}

fn print_unknown(context: &mut CliContext<'_>, plan: &Plan, handles: &ShortIds) -> CliResult {
    if plan.unknown.is_empty() {
        return Ok(());
    }
    let threads = text::count(plan.unknown.len(), "thread");
    context.output.line(&format!("{threads} for any agent, by `skein review next`"))?;
    for unknown in &plan.unknown {
        let id = handles.of_file(skein_model::Kind::Review, &unknown.thread);
        context.output.line(&format!("  {id}: {}", one_line(&unknown.reason)))?;
    }
    Ok(())
}

/// Returns a session with its directory and the start of its last prompt: `Claude Code …a37f0c1d in ../wt-a ("fix the cache")`.
fn session_in_words(
    context: &CliContext<'_>,
    origin: &ThreadOrigin,
    last_prompt: Option<&str>,
) -> String {
    const MAX_PROMPT: usize = 50;
    let session = in_words(origin, &context.workspace.env.dir);
    match last_prompt {
        Some(prompt) => format!("{session} (\"{}\")", truncate_line(prompt, MAX_PROMPT)),
        None => session,
    }
}

const RETRY: &str = "`skein deliver --retry` delivers them again";

/// Says what the user can do about threads that are not delivered.
fn hint(context: &mut CliContext<'_>, reason: &Obstacle, origin: &ThreadOrigin) -> CliResult {
    let hint = match reason {
        Obstacle::NotAllowed => format!("`skein deliver allow {}` allows it", origin.agent),
        Obstacle::NotTrusted => format!("`skein install {}` accepts it", origin.agent),
        Obstacle::HooksOnly | Obstacle::Sandboxed => {
            let ThreadOrigin { agent, session, .. } = origin;
            format!("`skein deliver allow {agent} --session {session}` allows it")
        }
        Obstacle::Unanswered | Obstacle::Interrupted | Obstacle::Failed(_) => RETRY.to_owned(),
        Obstacle::NoDirectory => format!(
            "`git worktree add {}` and its branch make it available again; any agent gets them by `skein review next`",
            shell_word(&origin.dir)
        ),
        Obstacle::NoCommand => "any agent gets them by `skein review next`".to_owned(),
        Obstacle::Open | Obstacle::Busy => return Ok(()),
    };
    context.output.note(&hint)
}

fn thread_line(row: &ThreadRow, handles: &ShortIds) -> String {
    let at = row.review().and_then(|detail| detail.at.as_deref()).unwrap_or_default();
    one_line(&format!("{} {at} {}", handles.short_id(row), row.title))
}
