use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::EditError;
use skein_store::{CreateError, EnsureDirError, LockError, ReplaceError};
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

/// Why a session map was not read, or not written; nothing of it is lost.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No home directory is set, so the place of the map is unknown.
    #[error("there is no home directory, in which the session map would be")]
    NoHome,
    /// There is no map.
    #[error("there is no session map: {}", path.display())]
    NoMap {
        /// Where it would be.
        path: PathBuf,
    },
    /// Something else has the name of the map.
    #[error("{what} stands in the place of the session map: {}", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it leads to, such as `a directory`.
        what: &'static str,
    },
    /// The map is a symlink to what does not exist.
    #[error("the session map is a link that leads nowhere: {}", path.display())]
    Dangling {
        /// The link.
        path: PathBuf,
    },
    /// The map may not be read.
    #[error("no permission to read the session map: {}", path.display())]
    Denied {
        /// The map.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory of the map may not be written to.
    #[error("no permission to write in {}", dir.display())]
    ReadOnly {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The map is of a version that is not known.
    #[error("the session map cannot be used: {why}: {}", path.display())]
    UnknownVersion {
        /// The map.
        path: PathBuf,
        /// What the file says.
        why: String,
    },
    /// The file is no map.
    #[error("the session map is damaged: {why}: {}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No session is meant.
    #[error("no such session: {id}")]
    NoSession {
        /// What was asked for.
        id: String,
    },
    /// Several sessions are meant.
    #[error("`{id}` means {} sessions", candidates.len())]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// Their session ids.
        candidates: Vec<String>,
    },
    /// The session is over, for good.
    #[error("the session has ended, which is final: {session_id}")]
    Ended {
        /// The session.
        session_id: String,
    },
    /// The status is not the expected one.
    #[error("the session is {now} by now: {session_id}")]
    Changed {
        /// The session.
        session_id: String,
        /// The status that it has.
        now: String,
    },
    /// A field cannot have that value.
    #[error("`{field}` {rule}: {value}")]
    BadValue {
        /// The field, as the file names it.
        field: &'static str,
        /// What it takes.
        rule: &'static str,
        /// What was given.
        value: String,
    },
    /// A file is there that was not read, and would be lost.
    #[error("already exists, and is none of the maps that were merged: {}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The document refused the change.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The map that a repository's settings name is reached through a symbolic link.
    #[error("the repository's session map is reached through a symbolic link: {}", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(SessionError);

impl SessionError {
    /// Returns whether the map was written and may still be undone by a power cut.
    pub(super) fn is_unconfirmed(&self) -> bool {
        matches!(
            self,
            Self::File(
                FileError::Replace(ReplaceError::Unconfirmed { .. })
                    | FileError::Create(CreateError::Unconfirmed { .. })
            )
        )
    }

    /// Says in whose way the permissions are, where they are the reason of a failed write.
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
