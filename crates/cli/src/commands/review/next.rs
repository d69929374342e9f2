use std::time::Duration;

use clap::Args;
use serde_json::json;
use skein_checkpoints::agent_session;
use skein_format::review::suggestions;
use skein_model::sanitize::one_line;
use skein_model::view::{ClaimedBy, ThreadBody, ThreadView};
use skein_review::{NextOptions, NextResult};
use skein_workspace::Actor;

use super::review_filter_args::ReviewFilterArgs;
use super::{AuthorArgs, CliContext, duration};
use crate::error::{CliError, CliResult};
use crate::render::{text, view};

/// Shows the open thread that has waited longest on an agent.
///
/// Exits with 1 if there is none. With `--claim` no other agent gets the thread until it is answered, released with `--release`, or the
/// lease expires. The same claimant gets the same thread again. A claimant is identified by `--claimant`, else by the agent's session, as in
/// `SKEIN_SESSION`, else by the author's name.
#[derive(Args, Debug)]
pub(crate) struct NextArgs {
    #[command(flatten)]
    narrow: ReviewFilterArgs,

    /// Claims the thread, so that other agents skip it.
    #[arg(long)]
    claim: bool,

    /// How long the claim lasts: 30m, 2h.
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration::parse)]
    lease: Duration,

    #[command(flatten)]
    claimant: ClaimantArgs,

    /// Includes threads that others have claimed.
    #[arg(long)]
    include_claimed: bool,

    /// Releases a thread that this claimant has claimed.
    #[arg(long, value_name = "ID", conflicts_with_all = ["claim", "include_claimed", "words", "file"])]
    release: Option<String>,

    /// With --release: even if another claimant has it.
    #[arg(long, requires = "release")]
    force: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

/// The claimant.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ClaimantArgs {
    /// Identifies the claimant; the same claimant gets the same thread again.
    #[arg(long, value_name = "TOKEN")]
    claimant: Option<String>,
}

impl ClaimantArgs {
    /// Returns the given token, else the session that the program runs in, else the author.
    pub(super) fn token(&self, context: &CliContext<'_>, actor: &Actor) -> String {
        let given = self.claimant.clone().filter(|token| !token.is_empty());
        given
            .or_else(|| agent_session::around(&context.workspace.env).map(str::to_owned))
            .unwrap_or_else(|| actor.name.clone())
    }
}

pub(super) fn run_next(context: &mut CliContext<'_>, args: &NextArgs) -> CliResult {
    if let Some(id) = &args.release {
        return release(context, id, args);
    }
    let filter = args.narrow.filter(context)?;
    let actor = args.author.actor(context);
    let options = NextOptions {
        lease: args.claim.then_some(args.lease),
        token: Some(args.claimant.token(context, &actor)),
        include_claimed: args.include_claimed,
    };
    let next = skein_review::next(&context.workspace, &actor, &filter, &options)?;
    if !context.output.print_json(&next)? {
        match &next.thread {
            Some(thread) => {
                view::print(&mut context.output, thread)?;
                how_to_answer(context, thread, &next)?;
            }
            None => context.output.note(&nothing(&next))?,
        }
    }
    context.answer(next.thread.is_some())
}

fn how_to_answer(
    context: &mut CliContext<'_>,
    thread: &ThreadView,
    next: &NextResult,
) -> CliResult {
    let id = text::short_id(&thread.row.id);
    context.output.line("")?;
    context.output.line(&format!(
        "Answer with `skein review reply {id} -m TEXT`; add `--resolve` when it is done."
    ))?;
    if suggests(thread) {
        context.output.line(&format!("`skein review apply {id}` makes the suggested change."))?;
    }
    if let Some(claim) = &next.claim {
        let until = context.output.clock.end(claim.until);
        let claimant = ClaimedBy::from(claim.clone()).claimant();
        let note = format!("Claimed by {} until {until}", one_line(&claimant));
        context.output.note(&note)?;
    }
    Ok(())
}

/// Returns whether a comment of the thread suggests a change of existing lines.
fn suggests(thread: &ThreadView) -> bool {
    let ThreadBody::Review(body) = &thread.body else { return false };
    let gone = body.placement.as_ref().is_none_or(|at| at.start_line.is_none());
    let mut comments = body.comments.iter();
    !gone && comments.any(|comment| suggestions(&comment.body).iter().any(|one| one.closed))
}

fn nothing(next: &NextResult) -> String {
    match next.waiting {
        0 => "No threads are waiting on an agent.".to_owned(),
        1 => "The only waiting thread is claimed; `--include-claimed` shows it.".to_owned(),
        n => format!("All {n} waiting threads are claimed; `--include-claimed` shows them."),
    }
}

fn release(context: &mut CliContext<'_>, id: &str, args: &NextArgs) -> CliResult {
    let actor = args.author.actor(context);
    let token = args.claimant.token(context, &actor);
    let workspace = &context.workspace;
    let thread = skein_review::find(workspace, id)?;
    let done = skein_review::release(workspace, &thread, Some(&token), args.force)?;
    let released = match done {
        skein_review::Released::Yes => true,
        skein_review::Released::NotClaimed => false,
        skein_review::Released::OfAnother { by } => {
            return Err(CliError::new(
                format!("{by} has claimed this thread: {id}"),
                "add `--force` to release it anyway; `--claimant` or `SKEIN_SESSION` names the claimant",
            ));
        }
    };
    if !context.output.print_json(&json!({ "id": id, "released": released }))? {
        context.output.note(if released { "Released." } else { "The thread was not claimed." })?;
    }
    context.answer(released)
}
