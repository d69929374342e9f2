//! What the use cases say, in terms of the web.

use std::error::Error;

use hyper::StatusCode;
use skein_catalog::FindError;
use skein_review::{
    AddError, ApplyError, ChangesError, CommentError, LocationError, RestoreError, StalePreview,
    SubmitError, WriteError,
};
use skein_workspace::FileError;

use super::WebError;

pub(super) const NOT_WRITTEN: &str = "nothing was written; remove the cause, and try again";

/// Tells what happened with all that led to it.
pub(super) fn tell(status: StatusCode, error: &(dyn Error + 'static)) -> WebError {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    WebError::new(status, message)
}

impl From<LocationError> for WebError {
    fn from(error: LocationError) -> Self {
        let (status, hint) = match &error {
            LocationError::Path { .. } => {
                (StatusCode::BAD_REQUEST, "name a file of the workspace, by a plain relative path")
            }
            LocationError::Outside { .. } => {
                (StatusCode::FORBIDDEN, "only files of the workspace are shown")
            }
            LocationError::Missing { .. } => {
                (StatusCode::NOT_FOUND, "it may have been deleted or renamed; load the page again")
            }
            LocationError::Directory { .. } => (StatusCode::BAD_REQUEST, "name a file in it"),
            LocationError::Binary { .. } => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "only text can be shown and commented on")
            }
            LocationError::PastEnd { .. } | LocationError::PastLine { .. } => {
                (StatusCode::CONFLICT, "the file may have been changed; load the page again")
            }
            LocationError::Lines { .. } => {
                (StatusCode::BAD_REQUEST, "give the first and the last line, counted from 1")
            }
            LocationError::Read(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "it may be too large, or not be for you to read; `ls -l` shows it",
            ),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<FindError> for WebError {
    fn from(error: FindError) -> Self {
        tell(StatusCode::NOT_FOUND, &error).hint("the list of threads has all that there are")
    }
}

impl From<FileError> for WebError {
    fn from(error: FileError) -> Self {
        let (status, hint) = match &error {
            FileError::Link { .. } => (
                StatusCode::CONFLICT,
                "see where it leads (`ls -l`), and delete it if it is not yours",
            ),
            error if error.is_busy() => {
                (StatusCode::SERVICE_UNAVAILABLE, "wait a moment, and try again")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, NOT_WRITTEN),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<WriteError> for WebError {
    fn from(error: WriteError) -> Self {
        let (status, hint) = match error {
            WriteError::Find(error) => return error.into(),
            WriteError::OtherKind { .. } => {
                (StatusCode::NOT_FOUND, "only review threads can be written here")
            }
            WriteError::Draft { .. } => {
                (StatusCode::CONFLICT, "submit the review first, or delete the draft")
            }
            WriteError::Unusable { .. } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "`skein doctor` says what is wrong with the file, and mends what it can",
            ),
            WriteError::ForeignStore { .. } => (
                StatusCode::CONFLICT,
                "keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`",
            ),
            WriteError::Bare { .. } => (
                StatusCode::CONFLICT,
                "serve a clone or a worktree of it; `git worktree add ../work` makes one",
            ),
            WriteError::Edit(_) => {
                (StatusCode::CONFLICT, "the thread was changed meanwhile; load the page again")
            }
            WriteError::File(error) => return error.into(),
            WriteError::NotOwned { .. } => (StatusCode::INTERNAL_SERVER_ERROR, NOT_WRITTEN),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<AddError> for WebError {
    fn from(error: AddError) -> Self {
        let (status, hint) = match error {
            AddError::Place(error) => return error.into(),
            AddError::Write(error) => return error.into(),
            AddError::Empty => (StatusCode::BAD_REQUEST, "say something, or suggest a change"),
            AddError::NeedsLine { .. } => {
                (StatusCode::BAD_REQUEST, "choose the lines that it is about")
            }
            AddError::Unexpected { .. } => {
                (StatusCode::CONFLICT, "look at the lines as they are now, and comment on those")
            }
            AddError::Unchanged { .. } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "only changed lines may be commented on here: `skein config list` shows the setting",
            ),
            AddError::Field { .. } | AddError::Many { .. } => {
                (StatusCode::BAD_REQUEST, "`docs/api.md` lists the fields")
            }
            AddError::Git(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "run `git status` in the workspace, and mend what it says",
            ),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<CommentError> for WebError {
    fn from(error: CommentError) -> Self {
        let (status, hint) = match error {
            CommentError::Write(error) => return error.into(),
            CommentError::None { .. } => {
                (StatusCode::NOT_FOUND, "it may have been taken out; load the page again")
            }
            CommentError::NothingOwn { .. } | CommentError::NotYours { .. } => {
                (StatusCode::FORBIDDEN, "reply instead: only one's own comments can be edited")
            }
            CommentError::Changed { .. } => (
                StatusCode::CONFLICT,
                "nothing was changed; look at what it says, and edit it again",
            ),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<RestoreError> for WebError {
    fn from(error: RestoreError) -> Self {
        let (status, hint) = match error {
            RestoreError::Write(error) => return error.into(),
            RestoreError::None { .. }
            | RestoreError::Ambiguous { .. }
            | RestoreError::NoWorktree { .. }
            | RestoreError::ManyWorktrees { .. } => {
                (StatusCode::NOT_FOUND, "`skein review restore` lists what was deleted")
            }
            RestoreError::Exists { .. } => (StatusCode::CONFLICT, "it is there already"),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<SubmitError> for WebError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Write(error) => error.into(),
            SubmitError::Git(_) => tell(StatusCode::INTERNAL_SERVER_ERROR, &error).hint(
                "the drafts are kept; run `git status` in the workspace, and mend what it says",
            ),
        }
    }
}

impl From<ChangesError> for WebError {
    fn from(error: ChangesError) -> Self {
        let (status, hint) = match &error {
            ChangesError::NoRepository { .. } | ChangesError::Bare { .. } => (
                StatusCode::NOT_FOUND,
                "there is nothing to compare with; type the path of a file into the field on the left to look at it and to comment on it",
            ),
            ChangesError::NoCommit { .. } => (
                StatusCode::NOT_FOUND,
                "`git branch -a` and `git log --oneline` show what there is",
            ),
            ChangesError::NoRound => {
                (StatusCode::NOT_FOUND, "submitting a review marks the point to compare with")
            }
            ChangesError::NoMergeBase { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "compare the two with `..` between them")
            }
            ChangesError::Outside { .. } | ChangesError::Unknown(_) => {
                (StatusCode::BAD_REQUEST, "name a file or directory of the workspace")
            }
            ChangesError::Git(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "run `git status` in the workspace, and mend what it says",
            ),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<ApplyError> for WebError {
    fn from(error: ApplyError) -> Self {
        let (status, hint) = match error {
            ApplyError::Write(error) => return error.into(),
            ApplyError::NoSuggestion { .. } | ApplyError::Nothing => {
                (StatusCode::NOT_FOUND, "only a comment with a block `suggestion` can be applied")
            }
            ApplyError::Unclosed { .. } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "close the block in the comment with a line of backticks",
            ),
            ApplyError::Elsewhere { .. } => {
                (StatusCode::CONFLICT, "open the page of that worktree: `skein serve` there")
            }
            ApplyError::NoLines { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "change the file by hand")
            }
            ApplyError::Changed { .. } | ApplyError::Uncertain { .. } => {
                (StatusCode::CONFLICT, "nothing was changed; change the code by hand")
            }
            ApplyError::Overlap { .. } => {
                (StatusCode::CONFLICT, "apply one of them, then look at the other")
            }
            ApplyError::File { .. } => {
                (StatusCode::CONFLICT, "another program changed the file; look at it again")
            }
            ApplyError::Outside { .. } => (StatusCode::FORBIDDEN, "change the file by hand"),
        };
        tell(status, &error).hint(hint)
    }
}

impl From<StalePreview> for WebError {
    fn from(error: StalePreview) -> Self {
        match error {
            StalePreview::Apply(error) => error.into(),
            StalePreview::Changed { .. } => tell(StatusCode::CONFLICT, &error)
                .hint("nothing was changed; look at what it would do now, and apply that"),
        }
    }
}
