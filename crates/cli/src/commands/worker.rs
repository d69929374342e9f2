use clap::Args;
use skein_checkpoints::MoveOptions;

use super::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::one_line;

/// Moves the worker of a checkpoint to its next state, and stamps the times.
///
/// The states follow each other: idle, loading, executing, verifying, completed; from executing there is error too.
///
/// Example: skein worker load-test executing
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    /// The checkpoint: an id, the start of one, a slug, or the path of its file.
    #[arg(value_name = "ID")]
    id: String,

    /// Where the worker goes: idle, loading, executing, verifying, completed or error.
    #[arg(value_name = "STATE")]
    state: String,

    /// What went wrong.
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,

    /// Also where the states do not follow each other, or a state is not known.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run_worker(context: &mut Context<'_>, args: &WorkerArgs) -> Result<u8, CliError> {
    let options =
        MoveOptions { state: args.state.clone(), error: args.error.clone(), force: args.force };
    let moved =
        skein_checkpoints::move_worker(&context.workspace, &context.env, &args.id, &options)?;
    if context.output.json {
        context.output.document(&moved)?;
        return Ok(crate::EXIT_OK);
    }
    for diag in &moved.diagnostics {
        context.output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    let id = context.output.paint(style::HANDLE, &one_line(&moved.id));
    let from = one_line(moved.from.as_deref().unwrap_or("idle"));
    context.output.line(&format!("{from} \u{2192} {}  {id}", one_line(&moved.to)))?;
    Ok(crate::EXIT_OK)
}
