use clap::Args;
use skein_catalog::{WorktreeScope, list};
use skein_format::review::Status;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};

use super::settle::{SettleArgs, settle};
use crate::commands::Context;
use crate::error::CliError;

/// Settles threads, with a last word if there is one.
///
/// An agent's resolve is a proposal: a comment on a thread that stays open. The reviewer accepts it by resolving the thread, or all of
/// them with `--proposed`. With the setting `review.agents_may_resolve` agents resolve by themselves.
#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    /// The threads.
    #[arg(value_name = "ID", required_unless_present = "proposed")]
    ids: Vec<String>,

    /// All threads that an agent proposes to resolve.
    #[arg(long, conflicts_with = "ids")]
    proposed: bool,

    #[command(flatten)]
    settle: SettleArgs,
}

pub(super) fn run_resolve(context: &mut Context<'_>, args: &ResolveArgs) -> Result<u8, CliError> {
    if !args.proposed {
        return settle(context, &args.ids, &args.settle, Status::Resolved);
    }
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(&context.workspace, &context.env, &filter, WorktreeScope::ThisWorktree).threads;
    let is_proposed =
        |row: &ThreadRow| matches!(&row.detail, RowDetail::Review(it) if it.proposed_resolved);
    let proposed = rows.into_iter().filter(|row| is_proposed(row));
    let files: Vec<String> = proposed.map(|row| row.file.clone()).collect();
    if files.is_empty() {
        context.output.note("No agent proposes to resolve a thread here.")?;
        return Ok(crate::EXIT_NEGATIVE);
    }
    settle(context, &files, &args.settle, Status::Resolved)
}
