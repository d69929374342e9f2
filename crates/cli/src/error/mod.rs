//! Errors of the command line, and how they are printed.

mod io_hint;
mod retype;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skein_model::UserError;
use skein_model::sanitize::escape_control;

use crate::style::{self, paint};

pub(crate) type CliResult<T = ()> = Result<T, CliError>;

#[derive(Debug)]
pub(crate) enum CliError {
    /// The output was closed by its reader, which is not an error.
    Closed,
    /// The output could not be written; what the command did before is done.
    Output(io::Error),
    /// A file or stream could not be read or written.
    Io { message: String, source: io::Error },
    /// The command refused its arguments or input.
    Refused { message: String, hint: Option<String> },
    /// A use case failed.
    UseCase(Box<dyn UserError>),
    /// Another error, with the operation that failed.
    Context { message: String, hint: Option<String>, source: Box<Self> },
    /// Another error, with the path under which the piped input is kept.
    Piped { path: PathBuf, source: Box<Self> },
    /// Another error, after which a service is not started again.
    Final { source: Box<Self> },
}

impl<E: UserError + 'static> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::UseCase(Box::new(error))
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the output was closed"),
            Self::Output(_) => f.write_str("cannot write the output"),
            Self::Io { message, .. }
            | Self::Refused { message, .. }
            | Self::Context { message, .. } => f.write_str(message),
            Self::UseCase(error) => error.fmt(f),
            Self::Piped { source, .. } | Self::Final { source } => source.fmt(f),
        }
    }
}

impl Error for CliError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Closed | Self::Refused { .. } => None,
            Self::Output(source) | Self::Io { source, .. } => Some(source),
            Self::UseCase(error) => error.source(),
            Self::Context { source, .. } => Some(source),
            Self::Piped { source, .. } | Self::Final { source } => source.source(),
        }
    }
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn from_output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Output(error),
        }
    }

    /// Returns the error for a file or stdin that cannot be read.
    pub(crate) fn input(path: &Path, source: io::Error) -> Self {
        Self::Io { message: format!("cannot read {}", path.display()), source }
    }

    /// Adds the operation that failed.
    pub(crate) fn context(self, message: impl Into<String>) -> Self {
        Self::Context { message: message.into(), hint: None, source: Box::new(self) }
    }

    /// Replaces the hint.
    pub(crate) fn hinting(self, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), Some(hint.into()));
        Self::Context { message, hint, source: Box::new(self) }
    }

    /// Adds the path under which the user's text is kept, and a hint.
    pub(crate) fn keeping(self, path: &Path) -> Self {
        let path = path.display();
        self.hinting(
            format!("what you wrote is kept in {path}"),
            format!("fix the problem, then reuse your text with `-F {path}`"),
        )
    }

    /// Returns the exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        if let Self::Final { .. } = self { crate::EXIT_FINAL } else { crate::EXIT_ERROR }
    }

    /// Returns the hint; `args` are the arguments of the program.
    fn hint(&self, args: &[OsString]) -> Option<String> {
        let hint = match self {
            Self::Output(_) => return Some(OUTPUT_HINT.to_owned()),
            Self::Closed | Self::Io { .. } => None,
            Self::Refused { hint, .. } => return hint.clone(),
            Self::UseCase(error) => error.advice(&|text, id| retype::retype(args, text, id)).hint,
            Self::Context { hint, source, .. } => hint.clone().or_else(|| source.hint(args)),
            Self::Final { source } => source.hint(args),
            Self::Piped { path, source } => {
                let hint = source.hint(args).map(|hint| hint + "\n").unwrap_or_default();
                let path = path.display();
                Some(format!("{hint}the piped input is kept; add `< {path}`"))
            }
        };
        hint.or_else(|| io_hint::find(self))
    }
}

/// A command prints after it has written.
const OUTPUT_HINT: &str = "write the output elsewhere; if the command changes something, that is done: check with `skein list` before you run it again";

/// Prints an error with its causes and a hint.
pub(crate) fn print(
    error: &CliError,
    args: &[OsString],
    color: bool,
    err: &mut dyn Write,
) -> io::Result<()> {
    let mut previous = error.to_string();
    writeln!(err, "{} {}", paint(color, style::ERROR, "Error:"), escape_control(&previous))?;
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if text != previous {
            let title = paint(color, style::ERROR, "Caused by:");
            writeln!(err, "{title} {}", escape_control(&text))?;
        }
        previous = text;
        cause = error.source();
    }
    if let Some(hint) = error.hint(args) {
        writeln!(err, "{} {}", paint(color, style::HINT, "Hint:"), escape_control(&hint))?;
    }
    err.flush()
}

#[cfg(test)]
mod tests {
    use skein_install::InstallError;
    use skein_install::setup::SetupError;
    use skein_workspace::GitError;

    use super::*;

    #[test]
    fn without_git_the_hint_says_to_install_it() {
        let missing = || GitError::Missing { source: io::ErrorKind::NotFound.into() };
        let errors: [CliError; 2] =
            [InstallError::from(missing()).into(), SetupError::from(missing()).into()];
        for error in errors {
            let hint = error.hint(&[]).unwrap_or_default();
            assert_eq!(hint, "install git or add it to `PATH`, and run the command again");
        }
    }

    #[test]
    fn each_kind_of_io_error_has_its_own_hint() {
        let hint = |kind: io::ErrorKind| CliError::input(Path::new("a"), kind.into()).hint(&[]);
        let kinds = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::StorageFull,
            io::ErrorKind::NotADirectory,
        ];
        let mut hints: Vec<String> = kinds.into_iter().filter_map(hint).collect();
        hints.dedup();
        assert_eq!(hints.len(), kinds.len());
        assert_eq!(hint(io::ErrorKind::Other), None);
    }
}
