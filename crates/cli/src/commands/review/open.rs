use clap::Args;
use skein_catalog::show;
use skein_model::view::ThreadBody;
use skein_review::WriteError;

use super::CommandContext;
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

pub(super) fn run_open(context: &mut CommandContext<'_>, args: &OpenArgs) -> CliResult {
    let id = skein_review::file_of(&context.workspace, &context.env, &args.id)?;
    let view = show(&context.workspace, &context.env, &id)?;
    let ThreadBody::Review(body) = &view.body else {
        return Err(WriteError::OtherKind { id: args.id.clone() }.into());
    };
    if args.thread {
        let editor = program::editor(context.machine)?;
        program::edit(context.machine, &editor, std::path::Path::new(&view.row.file), None)?;
        return Ok(());
    }
    let placement = body.placement.as_ref();
    let placement = placement.filter(|at| at.state != "gone");
    let none = || {
        let id = &args.id;
        CliError::new(
            format!("the code of this thread does not exist any more: {id}"),
            format!("`skein review show {id}` shows the text that was commented on"),
        )
    };
    let placement = placement.ok_or_else(none)?;
    let (workspace, env) = (&context.workspace, &context.env);
    let path = skein_review::code_file(workspace, env, &view.row.file, &placement.path)?;
    let path = path.ok_or_else(none)?;
    let editor = program::editor(context.machine)?;
    context.output.finish()?;
    program::edit(context.machine, &editor, &path, placement.start_line.map(|line| line + 1))?;
    Ok(())
}
