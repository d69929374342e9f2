use clap::Args;
use skein_engine::review;

use super::narrow::NarrowArgs;
use crate::commands::Context;
use crate::error::CliError;
use crate::terminal::safe;

/// Prints the open threads that wait on an agent as one text to give to it.
///
/// Each thread comes with its code as it is, the discussion, what became of the code since, and how to answer.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    narrow: NarrowArgs,

    /// Writes for an agent, which is what happens without it too.
    #[arg(long)]
    for_agent: bool,

    /// Threads too that wait on the reviewer.
    #[arg(long)]
    all: bool,

    /// What to print: markdown or json.
    #[arg(long, value_name = "FORMAT", value_parser = ["markdown", "json"])]
    format: Option<String>,
}

pub(super) fn run_export(context: &mut Context<'_>, args: &ExportArgs) -> Result<u8, CliError> {
    let filter = args.narrow.filter(context)?;
    let exported = review::export(&context.workspace, &context.env, &filter, args.all);
    let json = args.format.as_deref().map_or(context.output.json, |format| format == "json");
    if json {
        context.output.document(&exported)?;
    } else {
        let text = review::markdown(&context.workspace, &exported);
        context.output.line(safe(&text).trim_end())?;
    }
    Ok(crate::DONE)
}
