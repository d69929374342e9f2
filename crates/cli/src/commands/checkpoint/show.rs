use clap::Args;

use crate::commands::Context;
use crate::commands::show::{ShowArgs, print_thread};
use crate::error::CliError;

/// Shows a checkpoint with everything that is in it.
#[derive(Args, Debug)]
pub(crate) struct CheckpointShowArgs {
    #[command(flatten)]
    show: ShowArgs,
}

pub(super) fn run_checkpoint_show(
    context: &mut Context<'_>,
    args: &CheckpointShowArgs,
) -> Result<u8, CliError> {
    let file = skein_checkpoints::file_of(&context.workspace, &context.env, args.show.id())?;
    print_thread(context, &file)
}
