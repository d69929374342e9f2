use clap::Args;
use skein_catalog::names;
use skein_model::Kind;

use super::{CliContext, report};
use crate::error::CliResult;
use crate::render::text;

/// Deletes every thread of the store; asks first; `restore --last` undoes it.
#[derive(Args, Debug)]
pub(crate) struct ClearArgs {
    /// Does not ask.
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run_clear(context: &mut CliContext<'_>, args: &ClearArgs) -> CliResult {
    let all = names(&context.workspace);
    let count = all.iter().filter(|named| named.kind == Kind::Review).count();
    let store = context.workspace.reviews.store();
    let question = format!("Delete {} of {}?", text::count(count, "thread"), store.display());
    if count > 0 && !args.yes && !context.confirm("`clear`", &question)? {
        return context.decline("Nothing was deleted.");
    }
    let written = skein_review::clear(&context.workspace)?;
    if context.output.is_json {
        return report::print(context, &written, &[]);
    }
    context.output.line(&match written.len() {
        0 => "There are no threads here.".to_owned(),
        1 => "Deleted 1 thread; `skein review restore --last` restores it".to_owned(),
        n => format!("Deleted {n} threads; `skein review restore --last` restores them"),
    })
}
