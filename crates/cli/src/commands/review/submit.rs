use clap::Args;

use super::{CliContext, report};
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::error::CliResult;

/// Publishes the drafts together, and records the state of the files.
///
/// `review wait` returns at once. Later, `review diff --since-submit` shows what has changed since. Without drafts, a
/// submission only says that you are done for now.
#[derive(Args, Debug)]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    new_store: NewStoreArgs,
}

const SINCE: &str = "`skein review diff --since-submit` shows the changes from here on";

pub(super) fn run_submit(context: &mut CliContext<'_>, args: &SubmitArgs) -> CliResult {
    if !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(());
    }
    let done = skein_review::submit(&context.workspace)?;
    if context.output.is_json {
        context.output.document(&done)?;
        return context.output.notes(&done.notes);
    }
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
