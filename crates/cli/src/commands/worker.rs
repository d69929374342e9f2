use clap::Args;
use skein_checkpoints::MoveOptions;
use skein_model::sanitize::one_line;

use super::context::CliContext;
use crate::error::CliResult;

/// Moves the worker of a checkpoint to its next state, and records the time.
///
/// The states follow each other: idle, loading, executing, verifying, completed; after executing, also error.
///
/// Example: skein worker load-test executing
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    /// The checkpoint: an id, the start of one, a slug, or the path of its file.
    #[arg(value_name = "ID")]
    id: String,

    /// The new state: idle, loading, executing, verifying, completed or error.
    #[arg(value_name = "STATE")]
    state: String,

    /// The error message.
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,

    /// Sets the state even if it does not follow the current one, or is unknown.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run_worker(context: &mut CliContext<'_>, args: &WorkerArgs) -> CliResult {
    let options =
        MoveOptions { state: args.state.clone(), error: args.error.clone(), force: args.force };
    let moved = skein_checkpoints::move_worker(&context.workspace, &args.id, &options)?;
    if context.output.print_json(&moved)? {
        return Ok(());
    }
    context.output.warnings(&moved.diagnostics)?;
    let from = one_line(moved.from.as_deref().unwrap_or("idle"));
    let arrow = format!("{from} \u{2192} {}  ", one_line(&moved.to));
    context.output.line_with_id(&arrow, &moved.id, "")
}
