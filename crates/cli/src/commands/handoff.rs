use clap::{Args, Subcommand};
use skein_checkpoints::{Handoff, HandoffChange, HandoffChanged};

use super::Context;
use super::checkpoint::{FilesArgs, SessionArgs, message, print};
use super::new_store::{NewStore, NewStoreArgs};
use crate::error::CliError;
use crate::render::{style, text};
use crate::terminal::one_line;

/// Hands the work over: to another session, another agent or a colleague.
///
/// Saves a checkpoint of the type `handoff` and lets `handoff.json` lead to it; `skein resume` follows it. A handoff is open until
/// its last step is closed, or until `skein handoff done` or `skein handoff cancel` ends it.
///
/// Example: skein handoff -m "Parser done; the docs are next" --step "Write docs/parser.md"
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct HandoffArgs {
    #[command(subcommand)]
    end: Option<HandoffCommand>,

    /// What the next one should know first; given twice, each is a paragraph. `-` reads it from stdin.
    #[arg(long, short, value_name = "MESSAGE", required = true)]
    message: Vec<String>,

    /// A title; else it is the start of the message.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// Something left to do; can be given many times.
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,

    /// A word to find it by; can be given many times.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: SessionArgs,

    #[command(flatten)]
    new_store: NewStoreArgs,
}

/// What becomes of a handoff.
#[derive(Debug, Subcommand)]
enum HandoffCommand {
    /// Says that the work is done, so that it is offered no more.
    ///
    /// Without an ID: the handoff that you took, else the open one of this worktree, else of this branch.
    ///
    /// Example: skein handoff done
    Done(HandoffEndArgs),
    /// Says that the work is given up, so that it is offered no more.
    ///
    /// Without an ID: the handoff that you took, else the open one of this worktree, else of this branch.
    ///
    /// Example: skein handoff cancel parser-rewrite
    Cancel(HandoffEndArgs),
    /// Opens a handoff again that was ended by mistake.
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

fn run_end(context: &mut Context<'_>, command: &HandoffCommand) -> Result<u8, CliError> {
    let (id, change) = match command {
        HandoffCommand::Done(args) => (args.id.as_deref(), HandoffChange::Done),
        HandoffCommand::Cancel(args) => (args.id.as_deref(), HandoffChange::Cancel),
        HandoffCommand::Reopen { id } => (Some(id.as_str()), HandoffChange::Reopen),
    };
    let changed = skein_checkpoints::change_handoff(&context.workspace, &context.env, id, change)?;
    for diag in &changed.diagnostics {
        context.output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    if context.output.json {
        context.output.document(&changed)?;
    } else {
        let id = context.output.paint(style::HANDLE, &one_line(&changed.id));
        context.output.line(&format!(
            "{} {id}: {}",
            said(&changed),
            text::title(&changed.title)
        ))?;
    }
    let left = changed.open_steps;
    if left > 0 && changed.status != "open" {
        let steps = if left == 1 { "step is" } else { "steps are" };
        context.output.note(&format!("{left} open {steps} listed no more"))?;
    }
    Ok(crate::EXIT_OK)
}

fn said(changed: &HandoffChanged) -> &'static str {
    match (changed.action, changed.status) {
        ("unchanged", "done") => "Was done already:",
        ("unchanged", "cancelled") => "Was cancelled already:",
        ("unchanged", _) => "Was open already:",
        (_, "done") => "Done:",
        (_, "cancelled") => "Cancelled:",
        _ => "Open again:",
    }
}

pub(crate) fn run_handoff(context: &mut Context<'_>, args: &HandoffArgs) -> Result<u8, CliError> {
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
        return Ok(crate::EXIT_NEGATIVE);
    }
    let over = skein_checkpoints::handoff(&context.workspace, &context.env, &handoff)?;
    if context.output.json {
        context.output.document(&over)?;
        return super::checkpoint::notes(context, &over.saved).map(|()| crate::EXIT_OK);
    }
    let before = over.before.map(|id| format!(", and no longer from {id}, which stays open"));
    let hint = format!("`skein resume` goes on from here{}", before.unwrap_or_default());
    print(context, &over.saved, &hint)
}
