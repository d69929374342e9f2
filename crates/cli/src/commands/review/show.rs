use clap::Args;

use crate::commands::Context;
use crate::commands::show::{ShowArgs, run_show};
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
    run_show(context, &args.show)
}
