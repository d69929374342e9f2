use std::error::Error as _;
use std::path::PathBuf;

use skein_checkpoints::CheckpointError;
use skein_git::RunError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

use super::agent::Scope;
use crate::setup::SetupError;

/// Why something was not installed, or not taken back.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no such agent.
    #[error("Skein cannot be installed for `{name}`")]
    UnknownAgent {
        /// What was asked for.
        name: String,
    },
    /// The agent has nothing of that kind.
    #[error("{agent} has no {} settings", scope.name())]
    NoScope {
        /// The agent.
        agent: &'static str,
        /// What was asked for.
        scope: Scope,
    },
    /// Nothing says where the user's settings are.
    #[error("there is no home directory to install into")]
    NoHome,
    /// There is no repository to install into.
    #[error("this is no git repository: {}", dir.display())]
    NoRepository {
        /// The directory.
        dir: PathBuf,
    },
    /// The repository has no worktree.
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare {
        /// The directory.
        dir: PathBuf,
    },
    /// A settings file cannot be parsed; nothing was written.
    #[error("cannot understand {}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: HooksError,
    },
    /// The file is committed, so that a change of it is not local.
    #[error("everybody who works on the repository has this file: {}", path.display())]
    Tracked {
        /// The file.
        path: PathBuf,
    },
    /// A symbolic link leads out of the repository, or nowhere.
    #[error("a symbolic link leads elsewhere: {}", path.display())]
    Link {
        /// The link, or what is behind it.
        path: PathBuf,
    },
    /// Git runs hooks of a directory that is not this clone's own.
    #[error("git runs the hooks of {}, which may serve others too", dir.display())]
    HooksPath {
        /// The directory.
        dir: PathBuf,
    },
    /// A hook that stepped aside earlier is still there, beside one that is not ours.
    #[error("two hooks are in the way: {} and {}", path.display(), aside.display())]
    TwoHooks {
        /// The hook.
        path: PathBuf,
        /// The one that stepped aside.
        aside: PathBuf,
    },
    /// Git failed.
    #[error("git gave no answer")]
    Git(#[from] RunError),
    /// The store of review threads could not be set up or taken back.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The store of checkpoints could not be made.
    #[error(transparent)]
    Work(#[from] CheckpointError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(InstallError);

impl InstallError {
    /// Returns the message with those of its causes.
    pub(super) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.ends_with(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        text
    }
}

/// Why a settings file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HooksError {
    /// It is no JSON.
    #[error("line {line}: expected {expected}")]
    Json {
        /// Where it stops being JSON.
        line: u32,
        /// What should stand there.
        expected: &'static str,
    },
    /// It is no TOML.
    #[error("line {line}: {message}")]
    Toml {
        /// Where it stops being TOML.
        line: u32,
        /// What is wrong there.
        message: String,
    },
    /// It is no text.
    #[error("it is not UTF-8")]
    NotText,
    /// Something else is where hooks belong.
    #[error("`{name}` is not {expected}")]
    Shape {
        /// What it is called.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
}
