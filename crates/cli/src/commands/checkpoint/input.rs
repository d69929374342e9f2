//! What the commands that write checkpoints are given.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::commands::Context;
use crate::commands::stdin::{self, is_stdin};
use crate::error::CliError;

/// Which session it is.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SessionArgs {
    /// The agent's session; else the one that `SKEIN_SESSION` or the agent's own variable names, else, in an agent's environment, the only one that hooks know of here.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// Which files were touched besides those that git names.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FilesArgs {
    /// Adds the files that are listed in a file, one on each line; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
}

impl FilesArgs {
    /// Returns the paths.
    pub(crate) fn read(&self, context: &mut Context<'_>) -> Result<Vec<String>, CliError> {
        let Some(from) = &self.files_from else { return Ok(Vec::new()) };
        let bytes = bytes_of(context, from)?;
        let text = String::from_utf8_lossy(&bytes);
        // `git diff -z` and `find -print0` put no line ends between paths.
        let end = if text.contains('\0') { '\0' } else { '\n' };
        Ok(text.split(end).map(|path| path.trim_end_matches('\r').to_owned()).collect())
    }

    fn is_stdin(&self) -> bool {
        self.files_from.as_deref().is_some_and(is_stdin)
    }
}

/// Returns what was said: each text is a paragraph, and `-` alone reads it from stdin.
pub(crate) fn message(
    context: &mut Context<'_>,
    given: &[String],
    files: &FilesArgs,
) -> Result<String, CliError> {
    if given != ["-"] {
        return Ok(given.join("\n\n"));
    }
    check_stdin(true, files)?;
    stdin::text(context)
}

/// Makes sure that stdin is not read for two things.
pub(super) fn check_stdin(other: bool, files: &FilesArgs) -> Result<(), CliError> {
    if other && files.is_stdin() { Err(CliError::StdinTwice) } else { Ok(()) }
}

/// Reads a file, or stdin for `-`.
pub(super) fn bytes_of(context: &mut Context<'_>, from: &Path) -> Result<Vec<u8>, CliError> {
    if !is_stdin(from) {
        let path = context.env.dir.join(from);
        return std::fs::read(&path).map_err(|source| CliError::Input { path, source });
    }
    stdin::read(context).map(<[u8]>::to_vec)
}
