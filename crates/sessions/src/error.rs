use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::MapEditError;
use skein_store::{CreateError, EnsureDirError, LockError, ReplaceError};
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

pub type SessionResult<T = ()> = Result<T, SessionError>;

/// Why a session map was not read or written; nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("cannot find the session map: no home directory")]
    NoHome,
    #[error("there is no session map: {}", path.display())]
    NoMap { path: PathBuf },
    #[error("the session map path is {what}: {}", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("the session map is a dangling symlink: {}", path.display())]
    Dangling { path: PathBuf },
    #[error("no permission to read the session map: {}", path.display())]
    Denied { path: PathBuf, source: io::Error },
    #[error("no permission to write in {}", dir.display())]
    ReadOnly { dir: PathBuf, source: io::Error },
    #[error("the session map cannot be used: {reason}: {}", path.display())]
    UnknownVersion { path: PathBuf, reason: String },
    #[error("the session map is damaged: {reason}: {}", path.display())]
    Corrupt { path: PathBuf, reason: String },
    #[error("no such session: {id}")]
    NoSession { id: String },
    #[error("ambiguous session id: {id}")]
    Ambiguous { id: String, candidates: Vec<String> },
    #[error("the session has ended and cannot be changed: {session_id}")]
    Ended { session_id: String },
    #[error("the status of the session has changed to {now}: {session_id}")]
    Changed { session_id: String, now: String },
    #[error("`{field}` {rule}: {value}")]
    BadValue { field: &'static str, rule: &'static str, value: String },
    /// The output file exists and was not merged, so its content would be lost.
    #[error("already exists, and is not one of the merged maps: {}", path.display())]
    Exists { path: PathBuf },
    #[error(transparent)]
    Edit(#[from] MapEditError),
    #[error("the repository's session map is reached through a symbolic link: {}", path.display())]
    Link { path: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(SessionError);

impl SessionError {
    /// Returns whether the map was written, but a power cut may still undo the write.
    pub(super) fn is_unconfirmed(&self) -> bool {
        matches!(
            self,
            Self::File(
                FileError::Replace(ReplaceError::Unconfirmed { .. })
                    | FileError::Create(CreateError::Unconfirmed { .. })
            )
        )
    }

    /// Converts a failed write into an error with the directory, if its permissions are the reason.
    pub(super) fn in_dir(self, dir: &Path) -> Self {
        let denied = |source: &io::Error| {
            matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            )
        };
        match self {
            Self::File(
                FileError::Create(CreateError::Failed { source, .. })
                | FileError::Replace(ReplaceError::Failed { source, kept: None, .. })
                | FileError::Lock(LockError::Io { source, .. })
                | FileError::Directory(EnsureDirError { source, .. }),
            ) if denied(&source) => Self::ReadOnly { dir: dir.to_owned(), source },
            other => other,
        }
    }
}
