use clap::Args;
use skein_catalog::{FindError, ShowError, show};

use super::context::CliContext;
use super::session::session_named;
use crate::error::CliResult;
use crate::render::view;

/// Shows the whole content of one thread.
///
/// An ID is an exact id, the start of one, a checkpoint's slug, a session's short id or chat thread, a place such as
/// `src/a.rs:12`, the path of a thread file, or `@last` for the most recently changed thread.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Includes invalid entries of the session map.
    #[arg(long)]
    lenient: bool,
}

pub(crate) fn run_show(context: &mut CliContext<'_>, args: &ShowArgs) -> CliResult {
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    print_thread(context, &args.id)
}

/// Prints the thread with an id.
pub(crate) fn print_thread(context: &mut CliContext<'_>, id: &str) -> CliResult {
    let found = match show(&context.workspace, id) {
        Ok(found) => found,
        // Chat programs show short ids and thread ids, which are not the start of an id.
        Err(error @ ShowError::Find(FindError::None { .. })) => {
            session_named(context, id)?.ok_or(error)?
        }
        Err(error) => return Err(error.into()),
    };
    view::print_or_json(&mut context.output, &found)
}
