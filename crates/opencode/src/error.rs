use serde_json::Value;

/// Maximum number of characters of a server's message that an error repeats.
const MAX_MESSAGE: usize = 500;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum OpencodeError {
    #[error("not an address of an OpenCode server: {0}")]
    Address(String),
    #[error("the OpenCode server rejected the password")]
    Unauthorized,
    #[error("OpenCode does not have this")]
    NotFound,
    #[error("OpenCode refused the request with status {status}: {message}")]
    Rejected { status: u16, message: String },
    #[error("cannot reach the OpenCode server")]
    Unreachable(#[source] reqwest::Error),
    #[error("OpenCode sent something unexpected")]
    Protocol(#[source] serde_json::Error),
    #[error("OpenCode sent an event of more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("OpenCode sent nothing for too long")]
    Silent,
    #[error("OpenCode closed the connection")]
    Closed,
    #[error("OpenCode {version} is not supported: install a version 1, such as 1.18")]
    Version { version: String },
    /// The server answers, but not as OpenCode does.
    #[error("the server does not answer as OpenCode 1 does; OpenCode 2 is not supported")]
    OtherServer,
}

impl OpencodeError {
    /// Whether the request certainly did not reach the server.
    #[must_use]
    pub fn is_undelivered(&self) -> bool {
        match self {
            Self::Address(_) => true,
            Self::Unreachable(error) => error.is_connect() || error.is_builder(),
            _ => false,
        }
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Silent | Self::Closed => true,
            Self::Rejected { status, .. } => *status >= 500,
            _ => false,
        }
    }

    /// Explains a status that is not a success by what OpenCode says in the body.
    ///
    /// An answer 404 without OpenCode's own error is from another server or an unknown path: it does not prove
    /// that a session or message is missing.
    pub(crate) fn from_response(status: u16, body: &[u8]) -> Self {
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
        let name = text("/name").or_else(|| text("/_tag")).unwrap_or_default();
        match status {
            401 => Self::Unauthorized,
            404 if name.ends_with("NotFoundError") => Self::NotFound,
            _ => {
                let message = text("/data/message").or_else(|| text("/message")).unwrap_or(name);
                let message = if message.is_empty() { "no reason given" } else { message };
                Self::Rejected { status, message: message.chars().take(MAX_MESSAGE).collect() }
            }
        }
    }
}

impl From<reqwest::Error> for OpencodeError {
    fn from(error: reqwest::Error) -> Self {
        // The address may contain a password.
        Self::Unreachable(error.without_url())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, expected: &str) {
        assert_eq!(OpencodeError::from_response(status, body.as_bytes()).to_string(), expected);
    }

    #[test]
    fn errors_of_both_shapes_are_understood() {
        let missing = "OpenCode does not have this";
        check(404, r#"{"name":"NotFoundError","data":{"message":"Session not found"}}"#, missing);
        check(404, r#"{"_tag":"PermissionNotFoundError","message":"x"}"#, missing);
        check(
            400,
            r#"{"name":"BadRequest","data":{"message":"no parts"}}"#,
            "OpenCode refused the request with status 400: no parts",
        );
        check(
            400,
            r#"{"_tag":"InvalidRequestError","message":"bad id"}"#,
            "OpenCode refused the request with status 400: bad id",
        );
    }

    #[test]
    fn pages_of_other_servers_are_not_repeated() {
        let refused = "OpenCode refused the request with status";
        check(404, "<html>Not here</html>", &format!("{refused} 404: no reason given"));
        check(502, "<html>Bad gateway</html>", &format!("{refused} 502: no reason given"));
        check(401, "", "the OpenCode server rejected the password");
    }
}
