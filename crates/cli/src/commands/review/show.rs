use clap::Args;

use crate::commands::Context;
use crate::commands::show::{ShowArgs, print_thread};
use crate::error::CliError;

/// Shows a thread with the code as it is now.
#[derive(Args, Debug)]
pub(crate) struct ReviewShowArgs {
    #[command(flatten)]
    show: ShowArgs,
}

pub(super) fn run_review_show(
    context: &mut Context<'_>,
    args: &ReviewShowArgs,
) -> Result<u8, CliError> {
    let id = skein_review::file_of(&context.workspace, &context.env, args.show.id())?;
    print_thread(context, &id)
}
