use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skein_engine::review::{self, Next, NextOptions};
use skein_engine::view::{Body, View};
use skein_format::review::suggestions;

use super::narrow::NarrowArgs;
use super::{AuthorArgs, duration, report};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::view;
use crate::terminal::one_line;

/// Shows the open thread that has waited on an agent for longest.
///
/// Ends with 1 when there is none. With `--claim` nobody else gets the thread until it is answered, given back with `--release`, or the
/// lease is over. Who asks again gets the same thread by naming the same claimant, with `--claimant` or in `SKEIN_SESSION`; the JSON of a
/// claim has the `token` to name.
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

    /// Gives a claimed thread back.
    #[arg(long, value_name = "ID", conflicts_with_all = ["claim", "include_claimed", "words", "file"])]
    release: Option<String>,

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
    /// Returns what was given, else what `SKEIN_SESSION` says.
    pub(super) fn token(&self, context: &Context<'_>) -> Option<String> {
        let session = || context.env.variables.get("SKEIN_SESSION").cloned();
        self.claimant.clone().or_else(session).filter(|token| !token.is_empty())
    }
}

#[derive(Serialize)]
struct Released<'a> {
    id: &'a str,
    released: bool,
}

pub(super) fn run_next(context: &mut Context<'_>, args: &NextArgs) -> Result<u8, CliError> {
    if let Some(id) = &args.release {
        return release(context, id);
    }
    let filter = args.narrow.filter(context)?;
    let options = NextOptions {
        lease: args.claim.then_some(args.lease),
        token: args.claimant.token(context),
        include_claimed: args.include_claimed,
    };
    let actor = args.author.actor(context);
    let next = review::next(&context.workspace, &context.env, &actor, &filter, &options)?;
    if context.output.json {
        context.output.document(&next)?;
    } else if let Some(thread) = &next.thread {
        view::print(&mut context.output, thread)?;
        how_to_answer(context, thread, &next)?;
    } else {
        context.output.note(&nothing(&next))?;
    }
    Ok(if next.thread.is_some() { crate::DONE } else { crate::NO })
}

fn how_to_answer(context: &mut Context<'_>, thread: &View, next: &Next) -> Result<(), CliError> {
    let id = report::short(&thread.row.id);
    context.output.line("")?;
    context.output.line(&format!(
        "Answer with `skein review reply {id} -m TEXT`; add `--resolve` when it is settled."
    ))?;
    if suggests(thread) {
        context.output.line(&format!("`skein review apply {id}` makes the suggested change."))?;
    }
    if let Some(claim) = &next.claim {
        let note = format!("Claimed by {} until {}", one_line(&claim.by), claim.until);
        context.output.note(&note)?;
    }
    Ok(())
}

/// Returns whether a comment of the thread suggests a change of lines that are there.
fn suggests(thread: &View) -> bool {
    let Body::Review(body) = &thread.body else { return false };
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

fn release(context: &mut Context<'_>, id: &str) -> Result<u8, CliError> {
    let released = review::release(&context.workspace, &context.env, id)?;
    if context.output.json {
        context.output.document(&Released { id, released })?;
    } else {
        context.output.note(if released { "Given back." } else { "Nobody had claimed it." })?;
    }
    Ok(if released { crate::DONE } else { crate::NO })
}
