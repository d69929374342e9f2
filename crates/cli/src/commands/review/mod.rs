//! `skein review …`: comments on code, and the answers to them.

mod add;
mod apply;
mod batch;
mod check;
mod clear;
mod delete;
mod diff;
pub(crate) mod duration;
mod edit;
mod export;
mod import;
mod list;
mod message;
mod narrow;
mod next;
mod open;
mod reopen;
mod reply;
mod report;
mod resolve;
mod restore;
mod settle;
mod show;
mod submit;
mod wait;
mod write;

use clap::{Args, Subcommand};

use super::Context;
use crate::error::CliError;
pub(crate) use diff::QueryArgs;
pub(crate) use report::short;

/// Comments on lines of code, and the answers to them.
///
/// A reviewer adds comments, an agent answers and changes the code, the reviewer resolves. Each thread is a Markdown file in the
/// store, `.code-review` unless set otherwise. An ID is an exact id, the start of one, a place such as `src/a.rs:12`, the
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
    Reopen(reopen::ReopenArgs),
    Edit(edit::EditArgs),
    Delete(delete::DeleteArgs),
    Restore(restore::RestoreArgs),
    Clear(clear::ClearArgs),
    List(list::ReviewListArgs),
    Show(show::ReviewShowArgs),
    Open(open::OpenArgs),
    Diff(diff::DiffArgs),
    Apply(apply::ApplyArgs),
    Next(next::NextArgs),
    Wait(wait::WaitArgs),
    Check(check::CheckArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
}

/// Who signs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AuthorArgs {
    /// Signs with this name; an agent's ends in ` [agent]` unless it is a known one.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
}

impl AuthorArgs {
    pub(crate) fn actor(&self, context: &Context<'_>) -> skein_workspace::Actor {
        skein_workspace::Actor::find(&context.workspace, &context.env, self.author.as_deref())
    }
}

pub(crate) fn run_review(context: &mut Context<'_>, args: &ReviewArgs) -> Result<u8, CliError> {
    match &args.command {
        ReviewCommands::Add(args) => add::run_add(context, args),
        ReviewCommands::Write(args) => write::run_write(context, args),
        ReviewCommands::Submit(args) => submit::run_submit(context, args),
        ReviewCommands::Open(args) => open::run_open(context, args),
        ReviewCommands::Diff(args) => diff::run_diff(context, args),
        ReviewCommands::Apply(args) => apply::run_apply(context, args),
        ReviewCommands::Reply(args) => reply::run_reply(context, args),
        ReviewCommands::Resolve(args) => resolve::run_resolve(context, args),
        ReviewCommands::Reopen(args) => reopen::run_reopen(context, args),
        ReviewCommands::Edit(args) => edit::run_edit(context, args),
        ReviewCommands::Delete(args) => delete::run_delete(context, args),
        ReviewCommands::Restore(args) => restore::run_restore(context, args),
        ReviewCommands::Clear(args) => clear::run_clear(context, args),
        ReviewCommands::List(args) => list::run_review_list(context, args),
        ReviewCommands::Show(args) => show::run_review_show(context, args),
        ReviewCommands::Next(args) => next::run_next(context, args),
        ReviewCommands::Wait(args) => wait::run_wait(context, args),
        ReviewCommands::Check(args) => check::run_check(context, args),
        ReviewCommands::Export(args) => export::run_export(context, args),
        ReviewCommands::Import(args) => import::run_import(context, args),
    }
}
