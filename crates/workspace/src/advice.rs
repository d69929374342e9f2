//! The advice for errors of files and git.

use std::path::Path;

use skein_git::RunError;
use skein_model::{Advice, FailureKind, Retype, UserError};

use crate::FileError;
use crate::settings::SetError;

pub const GIT_INIT: &str = "run `git init` there first, or name a repository with `-C DIR`";
pub const BARE: &str = "go to a clone or a worktree of it; `git worktree add ../work` makes one";
pub const DOCTOR: &str = "run `skein doctor --fix` to diagnose and repair the file";
pub const CHECK_LINK: &str =
    "check where the link points (`ls -l`); delete it if you did not create it";
/// The advice if the state has changed since a page was loaded.
pub const RELOAD: &str = "it may have changed in the meantime; load the page again";

impl UserError for FileError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        match self {
            Self::Link { .. } => FailureKind::Conflict.hint(CHECK_LINK),
            error if error.is_busy() => {
                FailureKind::Busy.hint("wait a moment and run the command again")
            }
            _ => FailureKind::System.plain(),
        }
    }
}

impl UserError for SetError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::NoHome => FailureKind::System.hint("set `HOME` and run the command again"),
            Self::Edit { .. } | Self::NotText { .. } => FailureKind::Unusable.hint(
                "nothing was changed: fix the file in an editor; `skein config path` prints its path",
            ),
            Self::Unsafe { .. } => FailureKind::Forbidden.plain(),
            Self::File(error) => error.advice(retype),
        }
    }
}

/// Returns the advice for an error of git.
pub fn git_advice(error: &RunError) -> Advice {
    match error {
        RunError::Missing { .. } => {
            FailureKind::System.hint("install git or add it to `PATH`, and run the command again")
        }
        RunError::Failed { .. } => {
            FailureKind::System.hint("run `git status` there and fix what it reports")
        }
        _ => FailureKind::System.plain(),
    }
}

/// Returns the advice for a store of another user.
pub fn not_owned(root: &Path) -> Advice {
    let root = root.display();
    FailureKind::System
        .hint(format!("if you trust that user: `skein config set store.safe_directories {root}`"))
}
