//! Reads the input that is piped into a command, or is in a file that an argument names.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use skein_workspace::{EditorFile, InputError, read_input};

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// A file whose content a command reads, or `-` for stdin.
///
/// It can be read only by [`read_text`] and [`read_file`], which refuse an agent what is outside of its worktree.
#[derive(Clone)]
pub(crate) struct InputFile(PathBuf);

impl From<OsString> for InputFile {
    fn from(argument: OsString) -> Self {
        Self(argument.into())
    }
}

impl fmt::Debug for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl InputFile {
    /// Returns whether it is stdin.
    pub(crate) fn is_stdin(&self) -> bool {
        self.0.as_os_str() == "-"
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self, context: &CliContext<'_>) -> PathBuf {
        context.workspace.env.dir.join(&self.0)
    }
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
pub(super) fn read_text(context: &mut CliContext<'_>, from: &InputFile) -> CliResult<String> {
    if from.is_stdin() {
        return text(context);
    }
    let bytes = read_file(context, from)?;
    String::from_utf8(bytes).map_err(|_| {
        let source = std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        );
        CliError::input(&from.path(context), source)
    })
}

/// Reads a file, or stdin for `-`.
pub(super) fn read_file(context: &mut CliContext<'_>, from: &InputFile) -> CliResult<Vec<u8>> {
    if from.is_stdin() {
        return read(context).map(<[u8]>::to_vec);
    }
    let path = from.path(context);
    read_input(&context.workspace, &path).map_err(|error| match error {
        InputError::Outside => CliError::new(
            format!("an agent cannot pass on a file outside of its worktree: {}", path.display()),
            "pass the text itself, as with `-m TEXT`, or ask the user to run this command",
        ),
        InputError::Unreadable(source) => CliError::input(&path, source),
    })
}

/// Returns the error for two options that both read stdin.
pub(super) fn used_twice() -> CliError {
    CliError::new("stdin can be read only once", "put one of the inputs into a file, and name it")
}
