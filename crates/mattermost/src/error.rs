//! What can go wrong with a request.

use std::time::Duration;

use serde::Deserialize;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum MattermostError {
    #[error("not the address of a Mattermost server: {reason}")]
    Address { reason: &'static str },
    #[error("the token contains invalid characters")]
    Token,
    /// The token is wrong or revoked, or its user is deactivated.
    #[error("the Mattermost server does not accept the token")]
    Unauthorized,
    #[error("the Mattermost server does not permit this: {message}")]
    Forbidden { message: String },
    #[error("not found on the Mattermost server: {message}")]
    NotFound { message: String },
    #[error("too many requests; the Mattermost server asks to wait for {} s", retry_after.as_secs())]
    RateLimited { retry_after: Duration },
    /// A post with the same `pending_post_id` is being created.
    #[error("the same post is still being created")]
    Pending,
    /// Any other answer that is not a success. `id` is the server's name of the error, empty if it has none.
    #[error("the Mattermost server answered with status {status}: {message}")]
    Rejected { status: u16, id: String, message: String },
    #[error("the answer of the Mattermost server has more than {max} bytes")]
    TooLarge { max: u64 },
    /// The request or its answer was lost, or the server is down. The server may have done what was requested.
    #[error("cannot reach the Mattermost server")]
    Unreachable(#[source] reqwest::Error),
    /// The answer is not what this client expects.
    #[error("cannot understand the answer of the Mattermost server")]
    Protocol(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// How the server describes an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorBody {
    pub(crate) id: String,
    pub(crate) message: String,
    pub(crate) status_code: u16,
}

const PENDING_ID: &str = "api.post.deduplicate_create_post.pending";
/// The name of the error for a reply whose first post the server does not find.
const NO_ROOT_ID: &str = "api.post.create_post.root_id.app_error";

impl MattermostError {
    /// Says whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Pending => true,
            // 501 is the answer for what the settings of the server turn off, such as files.
            Self::Rejected { status, .. } => *status >= 500 && *status != 501,
            Self::Unreachable(source) => !source.is_builder(),
            _ => false,
        }
    }

    /// Says whether the server claims that something does not exist or is not permitted. It claims the same of everything while
    /// it cannot read its database, so that this alone proves nothing.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Forbidden { .. } | Self::NotFound { .. } => true,
            Self::Rejected { id, .. } => id == NO_ROOT_ID,
            _ => false,
        }
    }

    /// Says whether the server has certainly not done what was requested.
    pub(crate) fn is_untouched(&self) -> bool {
        match self {
            Self::RateLimited { .. } => true,
            Self::Unreachable(source) => source.is_connect(),
            _ => false,
        }
    }

    pub(crate) fn unreachable(source: reqwest::Error) -> Self {
        // The address is long and known to the caller.
        Self::Unreachable(source.without_url())
    }

    pub(crate) fn protocol(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Protocol(source.into())
    }

    /// Translates an answer that is not a success. The body is JSON, or text from a proxy or a rate limit.
    pub(crate) fn from_answer(status: u16, body: &[u8]) -> Self {
        let ErrorBody { id, message, .. } = serde_json::from_slice(body).unwrap_or_else(|_| {
            ErrorBody { message: shorten(&String::from_utf8_lossy(body)), ..ErrorBody::default() }
        });
        match status {
            401 => Self::Unauthorized,
            403 => Self::Forbidden { message },
            404 => Self::NotFound { message },
            500 if id == PENDING_ID => Self::Pending,
            _ => Self::Rejected { status, id, message },
        }
    }

    /// Returns the message with the messages of its causes.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            text = format!("{text}: {error}");
            source = error.source();
        }
        text
    }
}

/// Returns the first line, of at most 200 characters.
fn shorten(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, expected: &str, is_retryable: bool) {
        let error = MattermostError::from_answer(status, body.as_bytes());
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.is_retryable(), is_retryable);
    }

    #[test]
    fn answers_become_errors() {
        let body = r#"{"id": "api.context.session_expired.app_error", "message": "Login again.",
            "detailed_error": "", "request_id": "sx", "status_code": 401}"#;
        check(401, body, "the Mattermost server does not accept the token", false);
        let body = r#"{"id": "api.post.deduplicate_create_post.pending", "message": "Pending"}"#;
        check(500, body, "the same post is still being created", true);
        let body =
            r#"{"id": "model.post.is_valid.message_length.app_error", "message": "Too long."}"#;
        check(400, body, "the Mattermost server answered with status 400: Too long.", false);
        let body = r#"{"id": "app.post.get.app_error", "message": "No such post."}"#;
        check(404, body, "not found on the Mattermost server: No such post.", false);
    }

    #[test]
    fn an_answer_of_a_proxy_is_cut_to_its_first_line() {
        let body = "\n<html>Bad gateway\n<p>long</html>";
        check(502, body, "the Mattermost server answered with status 502: <html>Bad gateway", true);
        check(503, "", "the Mattermost server answered with status 503: ", true);
    }

    #[test]
    fn what_a_server_without_its_database_claims_is_a_refusal() {
        let is_refusal = |status, id: &str| {
            let body = format!(r#"{{"id": "{id}", "message": "no"}}"#);
            MattermostError::from_answer(status, body.as_bytes()).is_refusal()
        };
        assert!(is_refusal(403, "api.context.permissions.app_error"));
        assert!(is_refusal(404, "app.post.get.app_error"));
        assert!(is_refusal(400, "api.post.create_post.root_id.app_error"));
        assert!(!is_refusal(400, "model.post.is_valid.message_length.app_error"));
        assert!(!is_refusal(500, "api.context.permissions.app_error"));
    }

    #[test]
    fn what_the_server_does_not_offer_is_not_tried_again() {
        let body = r#"{"id": "api.file.attachments.disabled.app_error", "message": "No files."}"#;
        check(501, body, "the Mattermost server answered with status 501: No files.", false);
    }
}
