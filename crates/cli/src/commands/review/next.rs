use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skein_checkpoints::agent_session::session_name;
use skein_format::review::suggestions;
use skein_model::view::{ThreadBody, ThreadView};
use skein_review::{Next, NextOptions};
use skein_workspace::Actor;

use super::narrow::NarrowArgs;
use super::{AuthorArgs, duration, report};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::view;
use crate::terminal::one_line;

/// Shows the open thread that has waited on an agent for longest.
///
/// Ends with 1 when there is none. With `--claim` nobody else gets the thread until it is answered, given back with `--release`, or the
/// lease is over. The same claimant gets the same thread again. A claimant is known by `--claimant`, else by the agent's session, as in
/// `SKEIN_SESSION`, else by the author's name.
#[derive(Args, Debug)]
pub(crate) struct NextArgs {
    #[command(flatten)]
    narrow: NarrowArgs,

    /// Takes the thread, so that other agents pass it over.
    #[arg(long)]
    claim: bool,

    /// For how long it is taken: 30m, 2h.
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration::parse)]
    lease: Duration,

    #[command(flatten)]
    claimant: ClaimantArgs,

    /// Does not pass over threads that others have claimed.
    #[arg(long)]
    include_claimed: bool,

    /// Gives a thread back that this claimant has claimed.
    #[arg(long, value_name = "ID", conflicts_with_all = ["claim", "include_claimed", "words", "file"])]
    release: Option<String>,

    /// With --release: gives it back even if another claimant has it.
    #[arg(long, requires = "release")]
    force: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Who claims.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ClaimantArgs {
    /// Who claims; the same claimant gets the same thread again.
    #[arg(long, value_name = "TOKEN")]
    claimant: Option<String>,
}

impl ClaimantArgs {
    /// Returns what was given, else the session that the program runs in, else the author.
    pub(super) fn token(&self, context: &Context<'_>, actor: &Actor) -> String {
        let given = self.claimant.clone().filter(|token| !token.is_empty());
        given.or_else(|| session_name(&context.env)).unwrap_or_else(|| actor.name.clone())
    }
}

#[derive(Serialize)]
struct ReleaseDocument<'a> {
    id: &'a str,
    released: bool,
}

pub(super) fn run_next(context: &mut Context<'_>, args: &NextArgs) -> Result<u8, CliError> {
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
    let next = skein_review::next(&context.workspace, &context.env, &actor, &filter, &options)?;
    if context.output.json {
        context.output.document(&next)?;
    } else if let Some(thread) = &next.thread {
        view::print(&mut context.output, thread)?;
        how_to_answer(context, thread, &next)?;
    } else {
        context.output.note(&nothing(&next))?;
    }
    Ok(if next.thread.is_some() { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}

fn how_to_answer(
    context: &mut Context<'_>,
    thread: &ThreadView,
    next: &Next,
) -> Result<(), CliError> {
    let id = report::short(&thread.row.id);
    context.output.line("")?;
    context.output.line(&format!(
        "Answer with `skein review reply {id} -m TEXT`; add `--resolve` when it is settled."
    ))?;
    if suggests(thread) {
        context.output.line(&format!("`skein review apply {id}` makes the suggested change."))?;
    }
    if let Some(claim) = &next.claim {
        let until = context.output.clock.end(claim.until);
        let note = format!("Claimed by {} until {until}", one_line(&claim.by));
        context.output.note(&note)?;
    }
    Ok(())
}

/// Returns whether a comment of the thread suggests a change of lines that are there.
fn suggests(thread: &ThreadView) -> bool {
    let ThreadBody::Review(body) = &thread.body else { return false };
    let gone = body.placement.as_ref().is_none_or(|at| at.start_line.is_none());
    let mut comments = body.comments.iter();
    !gone && comments.any(|comment| suggestions(&comment.body).iter().any(|one| one.closed))
}

fn nothing(next: &Next) -> String {
    match next.waiting {
        0 => "Nothing waits on an agent here.".to_owned(),
        1 => "The one thread that waits is claimed; `--include-claimed` shows it.".to_owned(),
        n => format!("All {n} threads that wait are claimed; `--include-claimed` shows them."),
    }
}

fn release(context: &mut Context<'_>, id: &str, args: &NextArgs) -> Result<u8, CliError> {
    let actor = args.author.actor(context);
    let token = args.claimant.token(context, &actor);
    let done =
        skein_review::release(&context.workspace, &context.env, id, Some(&token), args.force)?;
    let released = match done {
        skein_review::Released::Yes => true,
        skein_review::Released::NotClaimed => false,
        skein_review::Released::OfAnother { by } => {
            return Err(CliError::NotYourClaim { id: id.to_owned(), by });
        }
    };
    if context.output.json {
        context.output.document(&ReleaseDocument { id, released })?;
    } else {
        context.output.note(if released { "Given back." } else { "It was not claimed." })?;
    }
    Ok(if released { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}
