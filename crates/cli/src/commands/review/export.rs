use clap::Args;
use skein_review::ExportOptions;

use super::next::ClaimantArgs;
use super::review_filter_args::ReviewFilterArgs;
use super::{AuthorArgs, CliContext};
use crate::commands::list::number;
use crate::error::CliResult;

/// Prints the open threads that wait on an agent as one text for it.
///
/// Each thread comes with its current code, the discussion, what has changed in the code since, and how to reply. Threads that
/// another agent has claimed are left out.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    narrow: ReviewFilterArgs,

    /// Accepted for compatibility; this is the default.
    #[arg(long)]
    for_agent: bool,

    /// Includes threads that wait on the reviewer or are for other agents.
    #[arg(long)]
    all: bool,

    /// Includes at most this many threads.
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, value_parser = number)]
    limit: Option<usize>,

    #[command(flatten)]
    claimant: ClaimantArgs,

    /// The format of the output: markdown or json.
    #[arg(long, value_name = "FORMAT", value_parser = ["markdown", "json"])]
    format: Option<String>,
}

pub(super) fn run_export(context: &mut CliContext<'_>, args: &ExportArgs) -> CliResult {
    let filter = args.narrow.filter(context)?;
    let token = args.claimant.token(context, &AuthorArgs::default().actor(context));
    let options = ExportOptions { all: args.all, token: Some(token) };
    let mut exported = skein_review::export(&context.workspace, &filter, &options);
    let all = exported.threads.len();
    exported.threads.truncate(args.limit.unwrap_or(all));
    if exported.threads.len() < all {
        let more = all - exported.threads.len();
        context.output.note(&format!("{more} more; use `--limit` to include them"))?;
    }
    let json = args.format.as_deref().map_or(context.output.is_json, |format| format == "json");
    if json {
        context.output.document(&exported)?;
    } else {
        let text = skein_review::markdown(&context.workspace, &exported, false);
        context.output.line(text.as_str().trim_end())?;
    }
    Ok(())
}
