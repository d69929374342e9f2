//! `skein review …`: comments on code, and the replies.

mod add;
mod apply;
mod check;
mod clear;
mod delete;
mod diff;
pub(crate) mod duration;
mod edit;
mod export;
mod import;
mod next;
mod open;
mod reply;
mod report;
mod resolve;
mod restore;
mod review_filter_args;
mod submit;
mod wait;
mod write;

use clap::{Args, Subcommand};
use skein_catalog::{ShowError, show_review};

use super::context::CliContext;
use super::list::{ListArgs, run_list_placed};
use super::show::ShowArgs;
use crate::error::CliResult;
use crate::render::view;
pub(crate) use diff::QueryArgs;

/// Manages review threads: comments on lines of code, and the replies.
///
/// A reviewer adds comments, an agent replies and changes the code, the reviewer resolves. Each thread is a Markdown file in the
/// store, `.code-review` by default. An ID is an exact id, the start of one, a place such as `src/a.rs:12`, the
/// path of a thread file, or `@last`.
#[derive(Args, Debug)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    command: ReviewCommands,
}

#[derive(Debug, Subcommand)]
enum ReviewCommands {
    Add(add::AddArgs),
    Write(write::WriteArgs),
    Submit(submit::SubmitArgs),
    Reply(reply::ReplyArgs),
    Resolve(resolve::ResolveArgs),
    Reopen(resolve::ReopenArgs),
    Edit(edit::EditArgs),
    Delete(delete::DeleteArgs),
    Restore(restore::ReviewRestoreArgs),
    Clear(clear::ClearArgs),
    /// Lists review threads, most recently changed first, each at the current location of its code.
    ///
    /// Takes the filters of `skein list`: `status:open`, `file:src`, `author:mira`, `waiting:agent`, `since:2w`.
    List(ReviewListArgs),
    /// Shows a thread with the current code.
    Show(ShowArgs),
    Open(open::OpenArgs),
    Diff(diff::DiffArgs),
    Apply(apply::ApplyArgs),
    Next(next::NextArgs),
    Wait(wait::WaitArgs),
    Check(check::CheckArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
}

#[derive(Args, Debug)]
struct ReviewListArgs {
    #[command(flatten)]
    list: ListArgs,

    /// Lists only the comments that are not submitted yet.
    #[arg(long)]
    drafts: bool,
}

/// The author of a change.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AuthorArgs {
    /// Signs with this name; an agent's name ends in ` [agent]` unless it is a known one.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
}

impl AuthorArgs {
    pub(crate) fn actor(&self, context: &CliContext<'_>) -> skein_workspace::Actor {
        skein_workspace::Actor::find(&context.workspace, self.author.as_deref())
    }
}

pub(crate) fn run_review(context: &mut CliContext<'_>, args: &ReviewArgs) -> CliResult {
    match &args.command {
        ReviewCommands::Add(args) => add::run_add(context, args),
        ReviewCommands::Write(args) => write::run_write(context, args),
        ReviewCommands::Submit(args) => submit::run_submit(context, args),
        ReviewCommands::Open(args) => open::run_open(context, args),
        ReviewCommands::Diff(args) => diff::run_diff(context, args),
        ReviewCommands::Apply(args) => apply::run_apply(context, args),
        ReviewCommands::Reply(args) => reply::run_reply(context, args),
        ReviewCommands::Resolve(args) => resolve::run_resolve(context, args),
        ReviewCommands::Reopen(args) => resolve::run_reopen(context, args),
        ReviewCommands::Edit(args) => edit::run_edit(context, args),
        ReviewCommands::Delete(args) => delete::run_delete(context, args),
        ReviewCommands::Restore(args) => restore::run_restore(context, args),
        ReviewCommands::Clear(args) => clear::run_clear(context, args),
        ReviewCommands::List(args) => run_list_placed(context, &args.list, args.drafts),
        ReviewCommands::Show(args) => {
            let workspace = &context.workspace;
            let thread = skein_review::find(workspace, &args.id)?;
            let view = show_review(workspace, &thread).map_err(ShowError::from)?;
            view::print_or_json(&mut context.output, &view)
        }
        ReviewCommands::Next(args) => next::run_next(context, args),
        ReviewCommands::Wait(args) => wait::run_wait(context, args),
        ReviewCommands::Check(args) => check::run_check(context, args),
        ReviewCommands::Export(args) => export::run_export(context, args),
        ReviewCommands::Import(args) => import::run_import(context, args),
    }
}
