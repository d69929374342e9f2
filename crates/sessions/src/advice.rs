//! The advice for errors of the session map.

use std::error::Error;
use std::io;

use skein_model::FailureKind::{Conflict, Invalid, NotFound, System, Unusable};
use skein_model::{Advice, Retype, UserError};
use skein_workspace::FileError;
use skein_workspace::advice::RELOAD;

use crate::SessionError;

/// The advice for a map of another version.
pub const OTHER_VERSION: &str =
    "nothing was changed: use the program that wrote the file, or a newer version of Skein";

impl UserError for SessionError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        const REPAIR: &str = "the page of sessions shows how to repair it";
        const MOVE_AWAY: &str = "look at what is there (`ls -l`), and move it elsewhere";
        const NO_SESSIONS: &str = "there are no sessions yet; see `docs/sessions.md`";
        match self {
            Self::NoHome => {
                NotFound.hint("set `HOME`, or name a map with `--file MAP`").page(NO_SESSIONS)
            }
            Self::NoMap { .. } => NotFound
                .hint("`skein bridge run` or an agent's chat plugin writes the map when it binds its first session")
                .page(NO_SESSIONS),
            Self::NotAFile { .. } => Conflict
                .hint("nothing was changed: move it elsewhere, or name a regular file")
                .page(MOVE_AWAY),
            Self::Dangling { path } => Conflict
                .hint(format!(
                    "`ls -l {}` shows where it points: fix the link or delete it",
                    path.display()
                ))
                .page(MOVE_AWAY),
            Self::Link { .. } => Conflict
                .hint("nothing was changed: the repository may be untrusted; `--file MAP` names a map of your own")
                .page(MOVE_AWAY),
            Self::UnknownVersion { .. } => Unusable.hint(OTHER_VERSION).page(REPAIR),
            Self::Corrupt { path, .. } => Unusable
                .hint(format!(
                    "`skein session repair --file {}` shows what can be recovered",
                    path.display()
                ))
                .page(REPAIR),
            Self::BadValue { field, .. } if field.ends_with("At") => {
                Invalid.hint(format!("write it as `{field}=2026-01-15T14:30:00Z`"))
            }
            Self::BadValue { .. } => Invalid.hint("nothing was changed: give it another value"),
            Self::Exists { .. } => Conflict.hint(
                "nothing was written: name a file that does not exist, or one of those that are merged",
            ),
            Self::NoSession { .. } | Self::Ambiguous { .. } => NotFound.plain().page(RELOAD),
            Self::Ended { .. } => {
                Conflict.hint("nothing was changed: a session that has ended stays ended")
            }
            Self::Changed { now, .. } => Advice {
                now: Some(now.clone()),
                ..Conflict.hint("nothing was changed; look at the current state")
            },
            Self::Denied { .. } | Self::ReadOnly { .. } | Self::Edit(_) => System.plain(),
            Self::File(FileError::Lock(error)) if is_missing(error.source()) => {
                System.hint("create the directory first, with `mkdir -p`")
            }
            Self::File(error) => error.advice(retype),
        }
    }
}

fn is_missing(cause: Option<&(dyn Error + 'static)>) -> bool {
    let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|io| io.kind() == io::ErrorKind::NotFound)
}
