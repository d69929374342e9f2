use clap::Args;
use skein_catalog::{FindError, ShowError, show};

use super::Context;
use super::session::session_named;
use crate::error::CliError;
use crate::render::view;

/// Shows one thread with everything that is in it.
///
/// An ID is an exact id, the start of one, a checkpoint's slug, a session's short id or chat thread, a place such as
/// `src/a.rs:12`, the path of a thread file, or `@last` for the thread that was changed last.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    /// Sessions that break the contract of the map too.
    #[arg(long)]
    lenient: bool,
}

pub(crate) fn run_show(context: &mut Context<'_>, args: &ShowArgs) -> Result<u8, CliError> {
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    print_thread(context, &args.id)
}

impl ShowArgs {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

/// Prints the thread that an id means.
pub(crate) fn print_thread(context: &mut Context<'_>, id: &str) -> Result<u8, CliError> {
    let found = match show(&context.workspace, &context.env, id) {
        Ok(found) => found,
        // The chat shows short ids and threads, which are no starts of an id.
        Err(error @ ShowError::Find(FindError::None { .. })) => {
            session_named(context, id)?.ok_or(error)?
        }
        Err(error) => return Err(error.into()),
    };
    if context.output.json {
        context.output.document(&found)?;
    } else {
        view::print(&mut context.output, &found)?;
    }
    Ok(crate::EXIT_OK)
}
