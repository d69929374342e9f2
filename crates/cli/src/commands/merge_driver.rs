use std::path::PathBuf;

use clap::Args;
use skein_install::setup::{MergeFiles, add_drivers, lacks_driver, merge_driver};
use skein_workspace::state_file;

use super::context::CliContext;
use crate::error::CliResult;

/// Merges two versions of a thread, for git.
///
/// `skein share` configures git to call this. Comments of both sides are kept; the merged thread replaces the second file. Exits with 1 if
/// there is a conflict, which git reports.
#[derive(Args, Debug)]
pub(crate) struct MergeDriverArgs {
    /// The common ancestor.
    base: PathBuf,
    /// Our version, which is replaced.
    ours: PathBuf,
    /// Their version.
    theirs: PathBuf,
    /// The path of the thread in the repository.
    path: String,
}

pub(crate) fn run_merge_driver(context: &mut CliContext<'_>, args: &MergeDriverArgs) -> CliResult {
    let here = |path: &PathBuf| context.workspace.env.dir.join(path);
    let files = MergeFiles {
        base: here(&args.base),
        ours: here(&args.ours),
        theirs: here(&args.theirs),
        path: args.path.clone(),
    };
    let outcome = merge_driver(&files)?;
    for note in &outcome.notes {
        // Git shows this among its own messages, which do not name the file in every case.
        context.output.note(&format!("{}: {note}", args.path))?;
    }
    context.answer(!outcome.is_conflicted)
}

/// The file in the state directory of a workspace that records a declined offer.
const DECLINED_FILE: &str = "merge-driver-declined.json";

/// Warns if the repository shares its threads and this clone cannot merge them.
///
/// With `may_offer`, the user is asked once whether to set it up.
pub(super) fn check_setup(context: &mut CliContext<'_>, may_offer: bool) -> CliResult {
    if !lacks_driver(&context.workspace) {
        return Ok(());
    }
    context.output.note(
        "Warning: this repository shares its threads, and git cannot merge them in this clone: the next pull can leave conflicts in \
         them. `skein init` sets up merging",
    )?;
    let dirs = context.workspace.dirs();
    let is_declined = || state_file::read::<bool>(&dirs, DECLINED_FILE) == Some(true);
    if !may_offer || !context.can_ask || context.output.is_json || is_declined() {
        return Ok(());
    }
    if context.ask("Set up merging in the git configuration of this clone now?")? {
        let changes = add_drivers(&context.workspace)?;
        return context.output.notes(&changes);
    }
    // If the answer cannot be stored, the question is asked again.
    drop(state_file::update(&context.workspace.env, &dirs, DECLINED_FILE, &|_| Some(true)));
    Ok(())
}
