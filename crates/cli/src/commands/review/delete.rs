use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use skein_model::view::WriteResult;

use super::report;
use crate::commands::Context;
use crate::error::CliError;

/// Deletes threads; `restore` brings them back.
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub(super) fn run_delete(context: &mut Context<'_>, args: &DeleteArgs) -> Result<u8, CliError> {
    let written = skein_review::delete(&context.workspace, &context.env, &args.ids)?;
    let notes = if context.output.json { Vec::new() } else { notes(context, &written) };
    report::print(context, &written, &notes)
}

/// Says how to bring back what was deleted, which is in the trash of its own worktree.
fn notes(context: &Context<'_>, written: &[WriteResult]) -> Vec<String> {
    let mut stores: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in written {
        let file = Path::new(&one.file);
        let store = file.ancestors().nth(2).unwrap_or(file);
        let here = store == context.workspace.reviews.store()
            || store.starts_with(&context.env.dirs.state);
        let place = if here { String::new() } else { format!("-C {} ", store.display()) };
        stores.entry(place).or_default().push(report::short(&one.id));
    }
    let note = |(place, ids): (String, Vec<String>)| {
        format!("`skein {place}review restore {}` brings back what was deleted", ids.join(" "))
    };
    stores.into_iter().map(note).collect()
}
