//! `skein steps …`: the open steps of all checkpoints.

use clap::{Args, Subcommand};
use serde::Serialize;
use skein_checkpoints::{StepChange, StepRequest, StepResult, StepRow, StepWritten, StepsQuery};
use skein_model::Filter;
use skein_model::sanitize::one_line;

use super::context::CliContext;
use super::filter_args::filter;
use super::list::{note_problems, number, print_long};
use super::review::AuthorArgs;
use crate::error::{CliError, CliResult};
use crate::render::{age, table, text};

/// Lists and closes the next steps of all checkpoints.
///
/// Each step has a short name, such as `cache-eviction#2`, which every command accepts. Closing a step changes only that step.
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
    /// Marks steps as done.
    Done(CloseArgs),
    /// Drops steps: they will not be done.
    Drop(CloseArgs),
    Reopen(ReopenArgs),
}

/// Lists the open steps, those of the most recently changed checkpoint first.
#[derive(Args, Debug, Default)]
struct StepsListArgs {
    /// Steps of checkpoints that match key:value, as in `tag:http` or `branch:main`.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Includes steps that are done or dropped.
    #[arg(long)]
    all: bool,

    /// Lists at most this many steps.
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, value_parser = number)]
    limit: Option<usize>,

    /// Steps of one checkpoint.
    #[arg(long, value_name = "ID")]
    thread: Option<String>,

    /// Steps of checkpoints with this tag.
    #[arg(long)]
    tag: Option<String>,

    /// Steps of checkpoints on this branch.
    #[arg(long)]
    branch: Option<String>,
}

#[derive(Args, Debug)]
struct CloseArgs {
    /// The steps, as listed: a checkpoint, `#`, a number.
    #[arg(value_name = "STEP", required = true)]
    steps: Vec<String>,

    #[command(flatten)]
    expected: ExpectedArgs,

    /// A note to store with the step.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Reopens steps.
#[derive(Args, Debug)]
struct ReopenArgs {
    /// The steps, as listed: a checkpoint, `#`, a number.
    #[arg(value_name = "STEP", required = true)]
    steps: Vec<String>,

    #[command(flatten)]
    expected: ExpectedArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

#[derive(Args, Debug)]
struct ExpectedArgs {
    /// The text of the step as you know it; refused if it has another text or was closed in another way by now. For one step.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    was: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    steps: &'a [StepWritten],
}

pub(crate) fn run_steps(context: &mut CliContext<'_>, args: &StepsArgs) -> CliResult {
    match &args.command {
        None => run_list(context, &args.list),
        Some(StepsCommands::List(args)) => run_list(context, args),
        Some(StepsCommands::Done(args)) => close(context, args, StepChange::Done),
        Some(StepsCommands::Drop(args)) => close(context, args, StepChange::Drop),
        Some(StepsCommands::Reopen(args)) => {
            let by = args.author.actor(context).name;
            let wanted = StepRequest { change: StepChange::Reopen, by, note: None };
            change(context, &args.steps, &args.expected, &wanted)
        }
    }
}

fn run_list(context: &mut CliContext<'_>, args: &StepsListArgs) -> CliResult {
    let flags = [("tag", &args.tag), ("branch", &args.branch)];
    let filter = filter(context, &args.words, &flags, None, false)?;
    let is_narrowed = filter != Filter::default() || args.thread.is_some();
    let query = StepsQuery { filter, thread: args.thread.clone(), all: args.all };
    let mut found = skein_checkpoints::steps(&context.workspace, &query)?;
    let all = found.steps.len();
    found.steps.truncate(args.limit.unwrap_or(all));
    if context.output.print_json(&found)? {
        return Ok(());
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
    let head = ["STEP", "STATUS", "AGE", "WHAT"];
    let text =
        context.output.capture(|output| table::plain(output, &head, &rows, &["AGE", "STATUS"]))?;
    print_long(context, &text)?;
    if found.steps.len() < all {
        let more = all - found.steps.len();
        context.output.note(&format!("{more} more; use `--limit` to show them"))?;
    } else if found.steps.is_empty() {
        let text = match context.workspace.checkpoints.exists {
            false => {
                "There are no checkpoints here yet. `skein checkpoint save -m SUMMARY --step TEXT` writes the first one."
            }
            true if is_narrowed => {
                "No steps match. `skein steps` lists the open steps of all work."
            }
            true if args.all => "No checkpoint has next steps.",
            true => "No open steps. Use `skein steps list --all` to include closed ones.",
        };
        context.output.note(text)?;
    }
    note_problems(context, found.diagnostics.len())
}

/// Returns the status of a step. An open step of work that has ended is marked.
fn status(step: &StepRow, wanted: bool) -> String {
    let is_closed = matches!(step.status.as_str(), "done" | "dropped");
    match &step.ended {
        _ if !wanted => String::new(),
        Some(ended) if !is_closed => one_line(&format!("{} (work {ended})", step.status)),
        _ => one_line(&step.status),
    }
}

fn close(context: &mut CliContext<'_>, args: &CloseArgs, change_to: StepChange) -> CliResult {
    let by = args.author.actor(context).name;
    let wanted = StepRequest { change: change_to, by, note: args.note.clone() };
    change(context, &args.steps, &args.expected, &wanted)
}

fn change(
    context: &mut CliContext<'_>,
    steps: &[String],
    expected: &ExpectedArgs,
    wanted: &StepRequest,
) -> CliResult {
    let workspace = &context.workspace;
    let written = match (&expected.was, steps) {
        (None, _) => skein_checkpoints::change_steps(workspace, steps, wanted)?,
        (Some(was), [step]) => {
            skein_checkpoints::change_step_with_text(workspace, step, was, wanted)?
        }
        (Some(_), _) => {
            let message = format!("`--was` is the text of one step, but {} are named", steps.len());
            return Err(CliError::new(message, "run the command once for each step"));
        }
    };
    if context.output.print_json(&Document { steps: &written })? {
        return Ok(());
    }
    context.output.warnings(written.iter().flat_map(|one| &one.diagnostics))?;
    for StepWritten { action, step, .. } in &written {
        let what = match *action {
            StepResult::Done => "Done: ",
            StepResult::Dropped => "Dropped: ",
            StepResult::Reopened => "Reopened: ",
            StepResult::Unchanged => "Unchanged: ",
        };
        let title = format!("  {}", text::title(&step.step));
        context.output.line_with_id(what, &step.handle, &title)?;
    }
    Ok(())
}
