use clap::Args;
use skein_catalog::show;
use skein_model::view::ThreadBody;

use crate::commands::Context;
use crate::error::{CliError, ReviewError};
use crate::program;

/// Opens your editor where the code of a thread is now.
#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    /// Opens the thread file instead.
    #[arg(long)]
    thread: bool,
}

pub(super) fn run_open(context: &mut Context<'_>, args: &OpenArgs) -> Result<u8, CliError> {
    let id = skein_review::file_of(&context.workspace, &context.env, &args.id)?;
    let view = show(&context.workspace, &context.env, &id)?;
    let ThreadBody::Review(body) = &view.body else {
        return Err(ReviewError::NotAReview { id: args.id.clone() }.into());
    };
    if args.thread {
        let editor = program::editor(context.machine)?;
        program::edit(&editor, std::path::Path::new(&view.row.file), None)?;
        return Ok(crate::EXIT_OK);
    }
    let placement = body.placement.as_ref();
    let placement = placement.filter(|at| at.state != "gone");
    let none = || ReviewError::NoCode { id: args.id.clone() };
    let placement = placement.ok_or_else(none)?;
    let (workspace, env) = (&context.workspace, &context.env);
    let path = skein_review::code_file(workspace, env, &view.row.file, &placement.path)?;
    let path = path.ok_or_else(none)?;
    let editor = program::editor(context.machine)?;
    context.output.finish()?;
    program::edit(&editor, &path, placement.start_line.map(|line| line + 1))?;
    Ok(crate::EXIT_OK)
}
