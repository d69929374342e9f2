//! What the use cases of checkpoints and sessions say, in terms of the web.

use hyper::StatusCode;
use serde_json::json;
use skein_checkpoints::WorkError;
use skein_format::checkpoint::EditError;
use skein_sessions::SessionError;
use skein_summary::BriefError;

use super::WebError;
use super::engine::{NOT_WRITTEN, tell};

const MEND: &str = "`skein doctor` says what is wrong with the file, and mends what it can";

impl From<WorkError> for WebError {
    fn from(error: WorkError) -> Self {
        let error = match error {
            WorkError::File(error) => return error.into(),
            error => error,
        };
        let (status, hint) = match &error {
            WorkError::Find(_)
            | WorkError::NotAHandoff { .. }
            | WorkError::NoHandoff { .. }
            | WorkError::NoStep { .. }
            | WorkError::NoStore { .. } => {
                (StatusCode::NOT_FOUND, "load the page again; it may have been changed or put away")
            }
            WorkError::Unusable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, MEND),
            WorkError::NotAFile { .. } => {
                (StatusCode::CONFLICT, "see what stands there (`ls -l`), and move it elsewhere")
            }
            WorkError::Empty => (StatusCode::BAD_REQUEST, "say what was done, or what is next"),
            WorkError::Slug { .. } => (
                StatusCode::BAD_REQUEST,
                "letters, digits, `-` and `_` make a short name, as in `parser-rewrite`",
            ),
            WorkError::WorkerState { .. } => (
                StatusCode::BAD_REQUEST,
                "the states are `idle`, `loading`, `executing`, `verifying`, `completed`, `error`",
            ),
            WorkError::Edit(EditError::Legacy) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "a checkpoint of the old kind can only be read")
            }
            WorkError::Edit(EditError::Newer { .. }) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "a newer version of Skein can write it")
            }
            WorkError::StepChanged { .. } | WorkError::OtherCleanup => {
                (StatusCode::CONFLICT, "nothing was changed; look at what is there now")
            }
            WorkError::Edit(_) => {
                (StatusCode::CONFLICT, "the checkpoint was changed meanwhile; load the page again")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, NOT_WRITTEN),
        };
        let told = tell(status, &error).hint(hint);
        match error {
            WorkError::Empty => told.field("summary"),
            WorkError::Slug { .. } => told.field("slug"),
            WorkError::WorkerState { .. } => told.field("worker"),
            WorkError::StepChanged { now, .. } => told.conflict(json!({ "now": now })),
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
