use std::path::PathBuf;

use clap::Args;
use skein_install::setup::{MergeFiles, merge_driver};

use super::Context;
use crate::error::CliError;

/// Merges two versions of a thread, for git.
///
/// `skein share` tells git to call this. Comments of both sides are kept; the merged thread replaces the second file. Ends with 1 where a
/// person must decide something, and git says so.
#[derive(Args, Debug)]
pub(crate) struct MergeDriverArgs {
    /// The version that both come from.
    base: PathBuf,
    /// Our version, which is replaced.
    ours: PathBuf,
    /// Their version.
    theirs: PathBuf,
    /// The path of the thread in the repository.
    path: String,
}

pub(crate) fn run_merge_driver(
    context: &mut Context<'_>,
    args: &MergeDriverArgs,
) -> Result<u8, CliError> {
    let here = |path: &PathBuf| context.env.dir.join(path);
    let files = MergeFiles {
        base: here(&args.base),
        ours: here(&args.ours),
        theirs: here(&args.theirs),
        path: args.path.clone(),
    };
    Ok(if merge_driver(&files)? { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}
