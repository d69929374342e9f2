use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde::Serialize;
use skein_catalog::origins::in_words;
use skein_delivery::Submitted;
use skein_model::Filter;
use skein_model::view::ThreadOrigin;
use skein_review::{ExportOptions, SubmitResult};
use skein_workspace::agent_names::title_of;

use super::{CliContext, report};
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::commands::session::bound_session;
use crate::error::{CliError, CliResult};
use crate::render::text::{count as count_of, short_id};

/// Publishes the drafts together, and records the state of the files.
///
/// `review wait` returns at once. Later, `review diff --since-submit` shows what has changed since. Without drafts, a
/// submission only says that you are done for now.
///
/// Example: skein review submit --send ses_4f1c
#[derive(Args, Debug)]
pub(crate) struct SubmitArgs {
    /// Also prompts this session, through the running bridge, with the open threads that wait on an agent.
    #[arg(long, value_name = "SESSION")]
    send: Option<String>,

    #[command(flatten)]
    new_store: NewStoreArgs,
}

const SINCE: &str = "`skein review diff --since-submit` shows the changes from here on";

pub(super) fn run_submit(context: &mut CliContext<'_>, args: &SubmitArgs) -> CliResult {
    if !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(());
    }
    // An unknown session is an error before anything is published.
    let session = args.send.as_deref().map(|id| bound_session(context, id)).transpose()?;
    let Submitted { result, origins } = skein_delivery::submit(&context.workspace)?;
    if context.output.is_json {
        context.output.document(&SubmitView { result: &result, origins: &origins })?;
        context.output.notes(&result.notes)?;
    } else {
        print(context, result)?;
        print_origins(context, &origins)?;
    }
    session.map_or(Ok(()), |session| send(context, &session))
}

/// Prompts a session with the open threads that wait on an agent.
fn send(context: &mut CliContext<'_>, session: &str) -> CliResult {
    let options = ExportOptions { all: false, token: None };
    let exported = skein_review::export(&context.workspace, &Filter::default(), &options);
    if exported.threads.is_empty() {
        return context.output.note("No open thread waits on an agent, so nothing was sent.");
    }
    let text = skein_review::markdown(&context.workspace, &exported, false);
    (context.servers.bridge.send)(&context.workspace.env, session, text.as_str()).map_err(
        |error| {
            CliError::from(error)
                .context("the review is submitted, but was not sent to the session")
        },
    )?;
    let count = exported.threads.len();
    let threads = if count == 1 { "thread" } else { "threads" };
    context.output.note(&format!("Sent {count} open {threads} to {session}"))
}

/// The result as JSON.
#[derive(Serialize)]
struct SubmitView<'a> {
    #[serde(flatten)]
    result: &'a SubmitResult,
    /// The sessions of agents that wrote the code, by thread.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    origins: &'a BTreeMap<String, ThreadOrigin>,
}

/// Prints the sessions that threads are for, and how to deliver the threads.
pub(super) fn print_origins(
    context: &mut CliContext<'_>,
    origins: &BTreeMap<String, ThreadOrigin>,
) -> CliResult {
    const MAX_IDS: usize = 5;
    let mut sessions: BTreeMap<&ThreadOrigin, Vec<String>> = BTreeMap::new();
    for (thread, origin) in origins {
        sessions.entry(origin).or_default().push(short_id(thread));
    }
    for (origin, ids) in &sessions {
        let session = in_words(origin, &context.workspace.env.dir);
        let more = ids.len().saturating_sub(MAX_IDS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let shown: Vec<&str> = ids.iter().take(MAX_IDS).map(String::as_str).collect();
        let (threads, shown) = (count_of(ids.len(), "thread"), shown.join(", "));
        context.output.note(&format!("{threads} for {session}: {shown}{more}"))?;
    }
    if sessions.is_empty() {
        return Ok(());
    }
    let allowed = skein_delivery::consent::allowed(&context.workspace);
    let agents: BTreeSet<&str> = sessions.keys().map(|origin| origin.agent.as_str()).collect();
    if agents.iter().any(|agent| allowed.contains_key(*agent)) {
        context.output.note("`skein deliver` delivers them")?;
    }
    let may_be_allowed =
        |agent: &&str| skein_delivery::AGENTS.contains(agent) && !allowed.contains_key(*agent);
    for agent in agents.into_iter().filter(may_be_allowed) {
        let title = title_of(agent);
        let hint = format!("`skein deliver allow {agent}` lets `skein deliver` resume {title}");
        context.output.note(&hint)?;
    }
    Ok(())
}

fn print(context: &mut CliContext<'_>, done: SubmitResult) -> CliResult {
    let count = done.threads.len();
    let mut notes = done.notes;
    notes.push(match (count, done.reference.is_some()) {
        (0, false) => "There were no drafts.".to_owned(),
        (_, false) => format!("{count} published"),
        (0, true) => format!("There were no drafts; the round is recorded: {SINCE}"),
        (_, true) => SINCE.to_owned(),
    });
    report::print(context, &done.threads, &notes)
}
