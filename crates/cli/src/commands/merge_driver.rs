use std::path::PathBuf;

use clap::Args;
use skein_install::setup::{MergeFiles, merge_driver};

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
    let is_merged = merge_driver(&files)?;
    context.answer(is_merged)
}
