use clap::Args;
use skein_catalog::{ThreadRef, WorktreeScope, list};
use skein_format::review::Status;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow, WriteAction, WriteResult};
use skein_model::{Filter, Kind};
use skein_review::SettleResult;

use super::{AuthorArgs, CliContext, report};
use crate::commands::message::MessageArgs;
use crate::error::CliResult;

/// Resolves threads, with a last comment if you add one.
///
/// An agent's resolve is a proposal: a comment on a thread that stays open. The reviewer accepts it by resolving the thread, or all of
/// them with `--proposed`. With the setting `review.agents_may_resolve` agents can resolve threads.
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

/// Reopens resolved threads.
#[derive(Args, Debug)]
pub(crate) struct ReopenArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    settle: SettleArgs,
}

#[derive(Args, Debug)]
struct SettleArgs {
    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_resolve(context: &mut CliContext<'_>, args: &ResolveArgs) -> CliResult {
    if !args.proposed {
        return settle(context, &args.ids, &args.settle, Status::Resolved);
    }
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(&context.workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let is_proposed =
        |row: &ThreadRow| matches!(&row.detail, RowDetail::Review(it) if it.proposed_resolved);
    let proposed = rows.into_iter().filter(|row| is_proposed(row));
    let threads: Vec<ThreadRef> =
        proposed.map(|row| ThreadRef::from_row(&context.workspace, &row)).collect();
    if threads.is_empty() {
        return context.decline("No agent proposes to resolve a thread here.");
    }
    let text = args.settle.message.optional(context)?;
    settle_found(context, &threads, &args.settle, (text, Status::Resolved))
}

pub(super) fn run_reopen(context: &mut CliContext<'_>, args: &ReopenArgs) -> CliResult {
    settle(context, &args.ids, &args.settle, Status::Open)
}

/// Changes the status of all threads, or of none if one of them cannot be written.
fn settle(
    context: &mut CliContext<'_>,
    ids: &[String],
    args: &SettleArgs,
    status: Status,
) -> CliResult {
    let text = args.message.optional(context)?;
    let threads = skein_review::find_to_settle(&context.workspace, ids, status)?;
    settle_found(context, &threads, args, (text, status))
}

fn settle_found(
    context: &mut CliContext<'_>,
    threads: &[ThreadRef],
    args: &SettleArgs,
    (text, status): (Option<String>, Status),
) -> CliResult {
    let actor = args.author.actor(context);
    let workspace = &context.workspace;
    let SettleResult { written, error } =
        skein_review::settle(workspace, &actor, threads, text.as_deref(), status);
    if let Some(error) = error {
        report::print_until(context, &written)?;
        return Err(error.into());
    }
    let notes: Vec<String> = written.iter().filter_map(unchanged).collect();
    report::print(context, &written, &notes)
}

/// Returns a note for a thread that already had the status, and only got a reply.
fn unchanged(written: &WriteResult) -> Option<String> {
    let is_replied = written.action == WriteAction::Replied;
    is_replied.then(|| format!("{} was already {}.", one_line(&written.at), written.status))
}
