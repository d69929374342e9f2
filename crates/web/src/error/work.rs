//! What the use cases of checkpoints and sessions say, in terms of the web.

use hyper::StatusCode;
use serde_json::json;
use skein_checkpoints::CheckpointError;
use skein_format::checkpoint::EditError;
use skein_sessions::SessionError;
use skein_summary::BriefError;

use super::WebError;
use super::engine::{NOT_WRITTEN, tell};

const MEND: &str = "`skein doctor` says what is wrong with the file, and mends what it can";

impl From<CheckpointError> for WebError {
    fn from(error: CheckpointError) -> Self {
        let error = match error {
            CheckpointError::File(error) => return error.into(),
            error => error,
        };
        let (status, hint) = match &error {
            CheckpointError::Find(_)
            | CheckpointError::NotAHandoff { .. }
            | CheckpointError::NoHandoff { .. }
            | CheckpointError::NoStep { .. }
            | CheckpointError::NoStore { .. } => {
                (StatusCode::NOT_FOUND, "load the page again; it may have been changed or put away")
            }
            CheckpointError::Unusable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, MEND),
            CheckpointError::NotAFile { .. } => {
                (StatusCode::CONFLICT, "see what stands there (`ls -l`), and move it elsewhere")
            }
            CheckpointError::Empty => {
                (StatusCode::BAD_REQUEST, "say what was done, or what is next")
            }
            CheckpointError::Slug { .. } => (
                StatusCode::BAD_REQUEST,
                "letters, digits, `-` and `_` make a short name, as in `parser-rewrite`",
            ),
            CheckpointError::WorkerState { .. } => (
                StatusCode::BAD_REQUEST,
                "the states are `idle`, `loading`, `executing`, `verifying`, `completed`, `error`",
            ),
            CheckpointError::Edit(EditError::Legacy) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "a checkpoint of the old kind can only be read")
            }
            CheckpointError::Edit(EditError::Newer { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "a newer version of Skein can write it")
            }
            CheckpointError::StepChanged { .. } | CheckpointError::OtherCleanup => {
                (StatusCode::CONFLICT, "nothing was changed; look at what is there now")
            }
            CheckpointError::Edit(_) => {
                (StatusCode::CONFLICT, "the checkpoint was changed meanwhile; load the page again")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, NOT_WRITTEN),
        };
        let told = tell(status, &error).hint(hint);
        match error {
            CheckpointError::Empty => told.field("summary"),
            CheckpointError::Slug { .. } => told.field("slug"),
            CheckpointError::WorkerState { .. } => told.field("worker"),
            CheckpointError::StepChanged { now, .. } => told.conflict(json!({ "now": now })),
            _ => told,
        }
    }
}

impl From<BriefError> for WebError {
    fn from(error: BriefError) -> Self {
        let (status, hint) = match &error {
            BriefError::Find(_) | BriefError::Nothing { .. } | BriefError::AllDone { .. } => {
                (StatusCode::NOT_FOUND, "the timeline has all checkpoints that there are")
            }
            BriefError::Unusable { .. } | BriefError::Read(_) => {
                (StatusCode::UNPROCESSABLE_ENTITY, MEND)
            }
        };
        tell(status, &error).hint(hint)
    }
}

impl From<SessionError> for WebError {
    fn from(error: SessionError) -> Self {
        let error = match error {
            SessionError::File(error) => return error.into(),
            error => error,
        };
        let (status, hint) = match &error {
            SessionError::NoHome | SessionError::NoMap { .. } => {
                (StatusCode::NOT_FOUND, "there are no sessions yet; `docs/sessions.md` says more")
            }
            SessionError::NoSession { .. } | SessionError::Ambiguous { .. } => {
                (StatusCode::NOT_FOUND, "load the page again; it has every session that there is")
            }
            SessionError::BadValue { .. } => {
                (StatusCode::BAD_REQUEST, "nothing was changed: give it another value")
            }
            SessionError::Ended { .. } => {
                (StatusCode::CONFLICT, "nothing was changed: what has ended stays ended")
            }
            SessionError::Changed { .. } => {
                (StatusCode::CONFLICT, "nothing was changed; look at what it is now")
            }
            SessionError::Corrupt { .. } | SessionError::UnknownVersion { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "the page of sessions shows how to repair it")
            }
            SessionError::NotAFile { .. }
            | SessionError::Dangling { .. }
            | SessionError::Link { .. } => {
                (StatusCode::CONFLICT, "see what stands there (`ls -l`), and move it elsewhere")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, NOT_WRITTEN),
        };
        let told = tell(status, &error).hint(hint);
        match error {
            SessionError::Changed { now, .. } => told.conflict(json!({ "now": now })),
            _ => told,
        }
    }
}
