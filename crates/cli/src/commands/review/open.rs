use clap::Args;
use skein_catalog::{ShowError, show_review};
use skein_model::view::{PlacementState, ThreadBody};
use skein_review::{CodeFile, WriteError};

use super::CliContext;
use crate::error::{CliError, CliResult};
use crate::program;

/// Opens your editor at the current location of a thread's code.
#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    /// Opens the thread file instead.
    #[arg(long)]
    thread: bool,
}

pub(super) fn run_open(context: &mut CliContext<'_>, args: &OpenArgs) -> CliResult {
    let workspace = &context.workspace;
    let thread = skein_review::find(workspace, &args.id)?;
    let view = show_review(workspace, &thread).map_err(ShowError::from)?;
    let ThreadBody::Review(body) = &view.body else {
        return Err(WriteError::OtherKind { id: args.id.clone() }.into());
    };
    if args.thread {
        let editor = program::editor(context.machine)?;
        program::edit(context.machine, &editor, &thread, None)?;
        return Ok(());
    }
    let placement = body.placement.as_ref();
    let placement = placement.filter(|at| at.state != PlacementState::Gone);
    let none = || {
        let id = &args.id;
        CliError::new(
            format!("the code of this thread does not exist any more: {id}"),
            format!("`skein review show {id}` shows the text that was commented on"),
        )
    };
    let placement = placement.ok_or_else(none)?;
    let file = CodeFile::open(&thread, &placement.path).ok_or_else(none)?;
    let editor = program::editor(context.machine)?;
    context.output.finish()?;
    program::edit(context.machine, &editor, &file, placement.start_line.map(|line| line + 1))?;
    Ok(())
}
