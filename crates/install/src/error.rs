use std::path::PathBuf;

use skein_checkpoints::CheckpointError;
use skein_git::RunError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

use super::agent::Scope;
use crate::setup::SetupError;

pub type InstallResult<T = ()> = Result<T, InstallError>;

/// Why something was not installed or uninstalled.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("Skein cannot be installed for `{name}`")]
    UnknownAgent { name: String },
    /// The agent does not have this scope.
    #[error("{agent} has no {} settings", scope.name())]
    NoScope { agent: &'static str, scope: Scope },
    #[error("there is no home directory to install into")]
    NoHome,
    #[error("not a git repository: {}", dir.display())]
    NoRepository { dir: PathBuf },
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare { dir: PathBuf },
    /// A settings file cannot be parsed; nothing was written.
    #[error("cannot parse {}", path.display())]
    Settings { path: PathBuf, source: HooksError },
    /// The file is tracked by git, so a change to it would not be local.
    #[error("the file is tracked by git, so a change is not local: {}", path.display())]
    Tracked { path: PathBuf, has_user_scope: bool },
    /// A symbolic link points out of the repository, or is dangling.
    #[error("a symbolic link is dangling or points out of the repository: {}", path.display())]
    Link { path: PathBuf },
    /// Git is configured to run hooks from a directory outside of this clone.
    #[error("git runs the hooks of {}, which other repositories may use too", dir.display())]
    HooksPath { dir: PathBuf },
    /// A hook that was renamed earlier still exists, and the current hook is not ours.
    #[error("there are two hooks of other programs: {} and {}", path.display(), aside.display())]
    TwoHooks { path: PathBuf, aside: PathBuf },
    #[error("git failed")]
    Git(#[from] RunError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Work(#[from] CheckpointError),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(InstallError);

/// Why a settings file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HooksError {
    #[error("line {line}: expected {expected}")]
    Json { line: u32, expected: &'static str },
    #[error("line {line}: {message}")]
    Toml { line: u32, message: String },
    #[error("it is not UTF-8")]
    NotText,
    /// A value does not have the type that hooks need.
    #[error("`{name}` is not {expected}")]
    Shape { name: String, expected: &'static str },
}
