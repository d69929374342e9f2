//! What is piped into a command.

use std::path::{Path, PathBuf};

use skein_workspace::EditorFile;

use super::Context;
use crate::error::CliError;

/// Returns whether a path means stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads stdin to its end, once; a second call returns the same bytes.
///
/// A command reads it before anything else can fail, so that [`keep`] has it.
pub(crate) fn read<'a>(context: &'a mut Context<'_>) -> Result<&'a [u8], CliError> {
    if context.piped.is_none() {
        let mut bytes = Vec::new();
        let read = context.input.read_to_end(&mut bytes);
        read.map_err(|source| CliError::Input { path: PathBuf::from("-"), source })?;
        context.piped = Some(bytes);
    }
    Ok(context.piped.as_deref().unwrap_or_default())
}

/// Reads stdin as text.
pub(crate) fn text(context: &mut Context<'_>) -> Result<String, CliError> {
    read(context).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Keeps what was piped into a command that failed, and adds to the error where it is.
pub(super) fn keep(context: &Context<'_>, error: CliError) -> CliError {
    let piped = context.piped.as_deref().filter(|bytes| !bytes.trim_ascii().is_empty());
    let Some(piped) = piped.filter(|_| !matches!(error, CliError::Closed)) else { return error };
    match EditorFile::create(&context.env, "piped", ".txt", piped) {
        Ok(scratch) => error.keeping_piped(&scratch.path),
        // The first error is the one that the user can do something about.
        Err(_) => error,
    }
}
