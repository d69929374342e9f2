use clap::Args;

use super::report;
use crate::commands::Context;
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::error::CliError;

/// Publishes the drafts together, and records the state of the files.
///
/// Whoever waits (`review wait`) goes on at once. Later, `review diff --since-submit` shows what was changed in answer. Without drafts the
/// submission says only that you are done for now.
#[derive(Args, Debug)]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    new_store: NewStoreArgs,
}

const SINCE: &str = "`skein review diff --since-submit` shows what changes from here on";

pub(super) fn run_submit(context: &mut Context<'_>, args: &SubmitArgs) -> Result<u8, CliError> {
    if !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(crate::EXIT_NEGATIVE);
    }
    let mut done = skein_review::submit(&context.workspace, &context.env)?;
    if context.output.json {
        skein_catalog::placed::place_written(&context.workspace, &context.env, &mut done.threads);
        context.output.document(&done)?;
        for note in &done.notes {
            context.output.note(note)?;
        }
        return Ok(crate::EXIT_OK);
    }
    let count = done.threads.len();
    let mut notes = done.notes;
    notes.push(match (count, done.reference.is_some()) {
        (0, false) => "No drafts were waiting.".to_owned(),
        (_, false) => format!("{count} published"),
        (0, true) => format!("No drafts were waiting; the round is recorded: {SINCE}"),
        (_, true) => SINCE.to_owned(),
    });
    report::print(context, &done.threads, &notes)
}
