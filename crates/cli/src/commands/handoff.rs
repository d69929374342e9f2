use clap::{Args, Subcommand};
use skein_checkpoints::{
    Handoff, HandoffAction, HandoffChange, HandoffChanged, HandoffResult, HandoffStatus,
};
use skein_format::redact::redact;
use skein_model::sanitize::one_line;

use super::checkpoint::{AgentSessionArgs, FilesArgs, message, print};
use super::context::CliContext;
use super::new_store::{NewStore, NewStoreArgs};
use super::session::bound_session;
use crate::error::{CliError, CliResult};
use crate::render::text;

/// Hands the work over to another session, another agent or a colleague.
///
/// Saves a checkpoint of the type `handoff`, to which `handoff.json` points; `skein resume` uses it. A handoff is open until
/// its last step is closed, or until `skein handoff done` or `skein handoff cancel` ends it.
///
/// Example: skein handoff -m "Parser done; the docs are next" --step "Write docs/parser.md"
///
/// Example: skein handoff -m "Parser done" --post ses_4f1c
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct HandoffArgs {
    #[command(subcommand)]
    end: Option<HandoffCommand>,

    /// What the successor should know first; repeat for more paragraphs. `-` reads it from stdin.
    #[arg(long, short, value_name = "MESSAGE", required = true)]
    message: Vec<String>,

    /// A title; by default the start of the message.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// A next step; can be repeated.
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,

    /// A tag to find it by; can be repeated.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: AgentSessionArgs,

    /// Also posts it into the chat thread of this session, through the running bridge.
    #[arg(long, value_name = "SESSION")]
    post: Option<String>,

    #[command(flatten)]
    new_store: NewStoreArgs,
}

#[derive(Debug, Subcommand)]
enum HandoffCommand {
    /// Marks the work as done, so that it is not offered any more.
    ///
    /// Without an ID: the handoff that you locked, else the open one of this worktree, else of this branch.
    ///
    /// Example: skein handoff done
    Done(HandoffEndArgs),
    /// Cancels the work, so that it is not offered any more.
    ///
    /// Without an ID: the handoff that you locked, else the open one of this worktree, else of this branch.
    ///
    /// Example: skein handoff cancel parser-rewrite
    Cancel(HandoffEndArgs),
    /// Reopens a handoff that was ended by mistake.
    ///
    /// Example: skein handoff reopen parser-rewrite
    Reopen {
        /// The handoff: an id, the start of one, a slug, or the path of its file.
        #[arg(value_name = "ID")]
        id: String,
    },
}

#[derive(Args, Debug)]
struct HandoffEndArgs {
    /// The handoff: an id, the start of one, a slug, or the path of its file.
    #[arg(value_name = "ID")]
    id: Option<String>,
}

fn run_end(context: &mut CliContext<'_>, command: &HandoffCommand) -> CliResult {
    let (id, change) = match command {
        HandoffCommand::Done(args) => (args.id.as_deref(), HandoffChange::Done),
        HandoffCommand::Cancel(args) => (args.id.as_deref(), HandoffChange::Cancel),
        HandoffCommand::Reopen { id } => (Some(id.as_str()), HandoffChange::Reopen),
    };
    let changed = skein_checkpoints::change_handoff(&context.workspace, id, change)?;
    context.output.warnings(&changed.diagnostics)?;
    if !context.output.print_json(&changed)? {
        let title = format!(": {}", text::title(&changed.title));
        context.output.line_with_id(outcome(&changed), &changed.id, &title)?;
    }
    let left = changed.open_steps;
    if left > 0 && changed.status != HandoffStatus::Open {
        let steps = if left == 1 { "step is" } else { "steps are" };
        context.output.note(&format!("{left} open {steps} not listed any more"))?;
    }
    Ok(())
}

fn outcome(changed: &HandoffChanged) -> &'static str {
    match (changed.action, changed.status) {
        (HandoffAction::Unchanged, HandoffStatus::Done) => "Already done: ",
        (HandoffAction::Unchanged, HandoffStatus::Cancelled) => "Already cancelled: ",
        (HandoffAction::Unchanged, HandoffStatus::Open) => "Already open: ",
        (_, HandoffStatus::Done) => "Done: ",
        (_, HandoffStatus::Cancelled) => "Cancelled: ",
        (_, HandoffStatus::Open) => "Reopened: ",
    }
}

pub(crate) fn run_handoff(context: &mut CliContext<'_>, args: &HandoffArgs) -> CliResult {
    if let Some(command) = &args.end {
        return run_end(context, command);
    }
    let handoff = Handoff {
        message: message(context, &args.message, &args.files)?,
        title: args.title.clone(),
        steps: args.step.clone(),
        tags: args.tag.clone(),
        files: args.files.read(context)?,
        session: args.session.session.clone(),
    };
    if !args.new_store.consent(context, NewStore::Checkpoints)? {
        return Ok(());
    }
    // An unknown session is an error before anything is written.
    let session = args.post.as_deref().map(|id| bound_session(context, id)).transpose()?;
    let over = skein_checkpoints::handoff(&context.workspace, &handoff)?;
    let text = post_text(&over, &handoff);
    print_handoff(context, over)?;
    let Some(session) = session else { return Ok(()) };
    (context.servers.bridge.say)(&context.workspace.env, &session, &text).map_err(|error| {
        CliError::from(error).context("the handoff is saved, but was not posted")
    })?;
    context.output.note(&format!("Posted into the thread of {session}"))
}

/// Returns a handoff as Markdown, without secrets.
fn post_text(over: &HandoffResult, handoff: &Handoff) -> String {
    let mut text = format!("**Handoff: {}**", one_line(&over.saved.title));
    let paragraph = format!("\n\n{}", handoff.message.trim());
    text.push_str(&paragraph);
    if !handoff.steps.is_empty() {
        text.push_str("\n\nNext steps:");
    }
    for step in &handoff.steps {
        text.push_str("\n- [ ] ");
        text.push_str(&one_line(step));
    }
    text.push_str("\n\n`skein resume ");
    text.push_str(&over.saved.id);
    text.push_str("` continues from here.");
    redact(&text).into_owned()
}

fn print_handoff(context: &mut CliContext<'_>, over: HandoffResult) -> CliResult {
    if context.output.print_json(&over)? {
        return super::checkpoint::notes(context, &over.saved);
    }
    let before = over.before.map(|id| format!(" instead of {id}, which stays open"));
    let hint = format!("`skein resume` continues from here{}", before.unwrap_or_default());
    print(context, &over.saved, &hint)
}
