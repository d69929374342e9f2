use clap::Args;
use skein_format::review::Status;

use super::settle::{SettleArgs, settle};
use crate::commands::Context;
use crate::error::CliError;

/// Opens threads again that were resolved.
#[derive(Args, Debug)]
pub(crate) struct ReopenArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    settle: SettleArgs,
}

pub(super) fn run_reopen(context: &mut Context<'_>, args: &ReopenArgs) -> Result<u8, CliError> {
    settle(context, &args.ids, &args.settle, Status::Open)
}
