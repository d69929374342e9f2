//! Reads the input that is piped into a command.

use std::path::Path;

use skein_workspace::EditorFile;

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// Returns whether a path means stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads stdin to its end, once; a second call returns the same bytes.
///
/// A command calls it before any step that can fail, so that [`keep`] can keep the input.
pub(crate) fn read<'a>(context: &'a mut CliContext<'_>) -> CliResult<&'a [u8]> {
    if context.piped.is_none() {
        let mut bytes = Vec::new();
        let read = context.input.read_to_end(&mut bytes);
        read.map_err(|source| CliError::input(Path::new("-"), source))?;
        context.piped = Some(bytes);
    }
    Ok(context.piped.as_deref().unwrap_or_default())
}

/// Reads stdin as text.
pub(crate) fn text(context: &mut CliContext<'_>) -> CliResult<String> {
    read(context).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Keeps the input of a command that failed, and adds its path to the error.
pub(super) fn keep(context: &CliContext<'_>, error: CliError) -> CliError {
    let piped = context.piped.as_deref().filter(|bytes| !bytes.trim_ascii().is_empty());
    let Some(piped) = piped.filter(|_| !matches!(error, CliError::Closed)) else { return error };
    match EditorFile::create(&context.workspace.env, "piped", ".txt", piped) {
        Ok(file) => CliError::Piped { path: file.path, source: Box::new(error) },
        // The first error is more useful to the user.
        Err(_) => error,
    }
}

/// Reads a text file, or stdin for `-`.
pub(super) fn read_text(context: &mut CliContext<'_>, from: &Path) -> CliResult<String> {
    if is_stdin(from) {
        return text(context);
    }
    let path = context.workspace.env.dir.join(from);
    std::fs::read_to_string(&path).map_err(|source| CliError::input(&path, source))
}

/// Reads a file, or stdin for `-`.
pub(super) fn read_file(context: &mut CliContext<'_>, from: &Path) -> CliResult<Vec<u8>> {
    if is_stdin(from) {
        return read(context).map(<[u8]>::to_vec);
    }
    let path = context.workspace.env.dir.join(from);
    std::fs::read(&path).map_err(|source| CliError::input(&path, source))
}

/// Returns the error for two options that both read stdin.
pub(super) fn used_twice() -> CliError {
    CliError::new("stdin can be read only once", "put one of the inputs into a file, and name it")
}
