use std::collections::BTreeMap;

use clap::Args;
use skein_model::view::WriteResult;
use skein_workspace::Actor;

use super::{CliContext, report};
use crate::error::CliResult;
use crate::render::text;

/// Deletes threads; `restore` undoes it.
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub(super) fn run_delete(context: &mut CliContext<'_>, args: &DeleteArgs) -> CliResult {
    let workspace = &context.workspace;
    // If a resolved and an open thread have the same location, either may be meant.
    let threads = skein_review::find_all(workspace, &args.ids, None)?;
    skein_review::check_delete(&Actor::find(workspace, None), &threads)?;
    let written = skein_review::delete(workspace, &threads)?;
    let notes = if context.output.is_json { Vec::new() } else { notes(context, &written) };
    report::print(context, &written, &notes)
}

/// Returns the commands that restore the deleted threads; each thread is in the trash of its own worktree.
fn notes(context: &CliContext<'_>, written: &[WriteResult]) -> Vec<String> {
    let mut stores: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in written {
        let store = one.file.ancestors().nth(2).unwrap_or(&one.file);
        let here = store == context.workspace.reviews.store()
            || store.starts_with(&context.workspace.env.dirs.state);
        let place = if here { String::new() } else { format!("-C {} ", store.display()) };
        stores.entry(place).or_default().push(text::short_id(&one.id));
    }
    let note = |(place, ids): (String, Vec<String>)| {
        format!("`skein {place}review restore {}` restores what was deleted", ids.join(" "))
    };
    stores.into_iter().map(note).collect()
}
