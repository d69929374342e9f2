//! `skein steps …`: what is left to do, of all checkpoints.

use clap::{Args, Subcommand};
use serde::Serialize;
use skein_checkpoints::{StepChange, StepRequest, StepRow, StepWritten, StepsQuery};
use skein_model::Filter;

use super::Context;
use super::list::filter;
use super::review::AuthorArgs;
use crate::error::CliError;
use crate::render::{age, style, table, text};
use crate::terminal::one_line;

/// What is left to do, of all checkpoints in one list.
///
/// Each step has a short name, such as `cache-eviction#2`, which every command takes. Closing a step changes that step alone.
///
/// Example: skein steps done cache-eviction#2 --note "in 1a2b3c4"
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct StepsArgs {
    #[command(subcommand)]
    command: Option<StepsCommands>,

    #[command(flatten)]
    list: StepsListArgs,
}

#[derive(Debug, Subcommand)]
enum StepsCommands {
    List(StepsListArgs),
    Done(DoneArgs),
    Drop(DropArgs),
    Reopen(ReopenArgs),
}

/// Lists the open steps, those of the checkpoint that was changed last first.
#[derive(Args, Debug, Default)]
struct StepsListArgs {
    /// Of checkpoints that pass: key:value, as in `tag:http` or `branch:main`.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Those that are done or dropped too.
    #[arg(long)]
    all: bool,

    /// Those of one checkpoint alone.
    #[arg(long, value_name = "ID")]
    thread: Option<String>,

    /// Of checkpoints with this tag.
    #[arg(long)]
    tag: Option<String>,

    /// Of checkpoints on this branch.
    #[arg(long)]
    branch: Option<String>,
}

/// Marks steps as done.
#[derive(Args, Debug)]
struct DoneArgs {
    #[command(flatten)]
    close: CloseArgs,
}

/// Gives steps up.
#[derive(Args, Debug)]
struct DropArgs {
    #[command(flatten)]
    close: CloseArgs,
}

#[derive(Args, Debug)]
struct CloseArgs {
    /// The steps, as the list names them: a checkpoint, `#`, a number.
    #[arg(value_name = "STEP", required = true)]
    steps: Vec<String>,

    /// What is to be said about it.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Opens steps again.
#[derive(Args, Debug)]
struct ReopenArgs {
    /// The steps, as the list names them: a checkpoint, `#`, a number.
    #[arg(value_name = "STEP", required = true)]
    steps: Vec<String>,

    #[command(flatten)]
    author: AuthorArgs,
}

#[derive(Serialize)]
struct Document<'a> {
    steps: &'a [StepWritten],
}

pub(crate) fn run_steps(context: &mut Context<'_>, args: &StepsArgs) -> Result<u8, CliError> {
    match &args.command {
        None => run_list(context, &args.list),
        Some(StepsCommands::List(args)) => run_list(context, args),
        Some(StepsCommands::Done(args)) => {
            let CloseArgs { steps, note, author } = &args.close;
            change(context, steps, StepChange::Done, note.clone(), author)
        }
        Some(StepsCommands::Drop(args)) => {
            let CloseArgs { steps, note, author } = &args.close;
            change(context, steps, StepChange::Drop, note.clone(), author)
        }
        Some(StepsCommands::Reopen(args)) => {
            change(context, &args.steps, StepChange::Reopen, None, &args.author)
        }
    }
}

fn run_list(context: &mut Context<'_>, args: &StepsListArgs) -> Result<u8, CliError> {
    let flags = [("tag", &args.tag), ("branch", &args.branch)];
    let filter = filter(context, &args.words, &flags, None)?;
    let is_narrowed = filter != Filter::default() || args.thread.is_some();
    let query = StepsQuery { filter, thread: args.thread.clone(), all: args.all };
    let found = skein_checkpoints::steps(&context.workspace, &context.env, &query)?;
    if context.output.json {
        context.output.document(&found)?;
        return Ok(crate::EXIT_OK);
    }
    let now = context.output.now;
    let row = |step: &StepRow| {
        vec![
            one_line(&step.handle),
            status(step, args.all || args.thread.is_some()),
            age::short(step.updated_at.map(|at| at.min(now)), now),
            text::title(&step.step),
        ]
    };
    let rows: Vec<Vec<String>> = found.steps.iter().map(row).collect();
    table::plain(
        &mut context.output,
        &["STEP", "STATUS", "AGE", "WHAT"],
        &rows,
        &["AGE", "STATUS"],
    )?;
    if found.steps.is_empty() {
        let text = match context.workspace.checkpoints.exists {
            false => {
                "There are no checkpoints here yet. `skein checkpoint save -m SUMMARY --step TEXT` writes the first one."
            }
            true if is_narrowed => "No step matches. `skein steps` shows what is left of all work.",
            true if args.all => "No checkpoint names a next step.",
            true => "Nothing is left to do. `skein steps list --all` shows what was.",
        };
        context.output.note(text)?;
    }
    if !found.diagnostics.is_empty() {
        let count = found.diagnostics.len();
        let (what, verb) = if count == 1 { ("thing", "is") } else { ("things", "are") };
        context.output.note(&format!("{count} {what} {verb} broken; `skein doctor` says why"))?;
    }
    Ok(crate::EXIT_OK)
}

/// Says what became of a step; one that was left open when the work of its checkpoint ended is not to be done any more.
fn status(step: &StepRow, wanted: bool) -> String {
    let is_closed = matches!(step.status.as_str(), "done" | "dropped");
    match &step.ended {
        _ if !wanted => String::new(),
        Some(ended) if !is_closed => one_line(&format!("{} (work {ended})", step.status)),
        _ => one_line(&step.status),
    }
}

fn change(
    context: &mut Context<'_>,
    steps: &[String],
    change: StepChange,
    note: Option<String>,
    author: &AuthorArgs,
) -> Result<u8, CliError> {
    let by = author.actor(context).name;
    let wanted = StepRequest { change, by, note };
    let written =
        skein_checkpoints::change_steps(&context.workspace, &context.env, steps, &wanted)?;
    if context.output.json {
        context.output.document(&Document { steps: &written })?;
        return Ok(crate::EXIT_OK);
    }
    for diag in written.iter().flat_map(|one| &one.diagnostics) {
        context.output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    for StepWritten { action, step, .. } in &written {
        let handle = context.output.paint(style::HANDLE, &one_line(&step.handle));
        let what = match *action {
            "done" => "Done",
            "dropped" => "Dropped",
            "reopened" => "Open again",
            _ => "As it was",
        };
        context.output.line(&format!("{what}: {handle}  {}", text::title(&step.step)))?;
    }
    Ok(crate::EXIT_OK)
}
