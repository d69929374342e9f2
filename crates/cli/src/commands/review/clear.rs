use clap::Args;
use skein_catalog::names;
use skein_model::Kind;

use super::report;
use crate::commands::{Context, ask};
use crate::error::CliError;

/// Deletes every thread of the store; asks first, and `restore --last` brings them back.
#[derive(Args, Debug)]
pub(crate) struct ClearArgs {
    /// Does not ask.
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run_clear(context: &mut Context<'_>, args: &ClearArgs) -> Result<u8, CliError> {
    let all = names(&context.workspace);
    let count = all.iter().filter(|named| named.kind == Kind::Review).count();
    let store = context.workspace.reviews.store();
    if count > 0 && !args.yes {
        if !context.can_ask {
            return Err(CliError::CannotAsk { what: "`clear`" });
        }
        let threads = if count == 1 { "thread" } else { "threads" };
        if !ask(context, &format!("Delete {count} {threads} of {}?", store.display()))? {
            context.output.note("Nothing was deleted.")?;
            return Ok(crate::EXIT_NEGATIVE);
        }
    }
    let written = skein_review::clear(&context.workspace, &context.env)?;
    let note = match written.len() {
        0 => "There is no thread here.".to_owned(),
        1 => "Deleted 1 thread; `skein review restore --last` brings it back".to_owned(),
        n => format!("Deleted {n} threads; `skein review restore --last` brings them back"),
    };
    if context.output.json {
        return report::print(context, &written, &[]);
    }
    context.output.line(&note)?;
    Ok(crate::EXIT_OK)
}
