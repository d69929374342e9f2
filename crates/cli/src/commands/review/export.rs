use clap::Args;
use skein_review::ExportOptions;

use super::AuthorArgs;
use super::narrow::NarrowArgs;
use super::next::ClaimantArgs;
use crate::commands::Context;
use crate::error::CliError;
use crate::terminal::escape_control;

/// Prints the open threads that wait on an agent as one text to give to it.
///
/// Each thread comes with its code as it is, the discussion, what became of the code since, and how to answer. An agent
/// does not get the threads that another one has claimed.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    narrow: NarrowArgs,

    /// Writes for an agent, which is what happens without it too.
    #[arg(long)]
    for_agent: bool,

    /// Threads too that wait on the reviewer or that are for other agents.
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    claimant: ClaimantArgs,

    /// What to print: markdown or json.
    #[arg(long, value_name = "FORMAT", value_parser = ["markdown", "json"])]
    format: Option<String>,
}

pub(super) fn run_export(context: &mut Context<'_>, args: &ExportArgs) -> Result<u8, CliError> {
    let filter = args.narrow.filter(context)?;
    let token = args.claimant.token(context, &AuthorArgs::default().actor(context));
    let options = ExportOptions { all: args.all, token: Some(token) };
    let exported = skein_review::export(&context.workspace, &context.env, &filter, &options);
    let json = args.format.as_deref().map_or(context.output.json, |format| format == "json");
    if json {
        context.output.document(&exported)?;
    } else {
        let text = skein_review::markdown(&context.workspace, &exported);
        context.output.line(escape_control(&text).trim_end())?;
    }
    Ok(crate::EXIT_OK)
}
