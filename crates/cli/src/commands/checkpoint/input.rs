//! Options of the commands that write checkpoints.

use clap::Args;

use super::CliContext;
use crate::commands::stdin::{self, InputFile};
use crate::error::CliResult;

/// The agent's session.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AgentSessionArgs {
    /// The agent's session; by default the one in `SKEIN_SESSION` or in the agent's own variable, else, in an agent's environment, the only one that hooks have recorded here.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// Touched files in addition to those that git reports.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FilesArgs {
    /// Adds the files listed in a file, one per line; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<InputFile>,
}

impl FilesArgs {
    pub(crate) fn read(&self, context: &mut CliContext<'_>) -> CliResult<Vec<String>> {
        let Some(from) = &self.files_from else { return Ok(Vec::new()) };
        let bytes = stdin::read_file(context, from)?;
        let text = String::from_utf8_lossy(&bytes);
        // `git diff -z` and `find -print0` separate paths by NUL.
        let end = if text.contains('\0') { '\0' } else { '\n' };
        Ok(text.split(end).map(|path| path.trim_end_matches('\r').to_owned()).collect())
    }

    fn is_stdin(&self) -> bool {
        self.files_from.as_ref().is_some_and(InputFile::is_stdin)
    }
}

/// Returns the message: each text is a paragraph, and `-` alone reads it from stdin.
pub(crate) fn message(
    context: &mut CliContext<'_>,
    given: &[String],
    files: &FilesArgs,
) -> CliResult<String> {
    if given != ["-"] {
        return Ok(given.join("\n\n"));
    }
    check_stdin(true, files)?;
    stdin::text(context)
}

/// Checks that stdin is not read for two things.
pub(super) fn check_stdin(other: bool, files: &FilesArgs) -> CliResult {
    if other && files.is_stdin() { Err(stdin::used_twice()) } else { Ok(()) }
}
