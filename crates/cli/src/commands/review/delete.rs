use clap::Args;
use skein_engine::review;

use super::report;
use crate::commands::Context;
use crate::error::CliError;

/// Deletes threads; `restore` brings them back.
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub(super) fn run_delete(context: &mut Context<'_>, args: &DeleteArgs) -> Result<u8, CliError> {
    let written = review::delete(&context.workspace, &context.env, &args.ids)?;
    let ids: Vec<String> = written.iter().map(|one| report::short(&one.id)).collect();
    let note = format!("`skein review restore {}` brings back what was deleted", ids.join(" "));
    let notes: &[String] = if context.output.json { &[] } else { &[note] };
    report::print(context, &written, notes)
}
