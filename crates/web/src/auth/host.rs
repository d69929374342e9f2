//! Whom the browser thinks it talks to: a foreign name that leads here is somebody's attempt to look in.

use axum::extract::Request;
use hyper::StatusCode;

use super::{Credentials, only};
use crate::error::WebError;

/// Makes sure that the request is meant for this server, by a name that only this machine has.
pub(super) fn check(keys: &Credentials, request: &Request) -> Result<(), WebError> {
    let named = only(request.headers(), "host").unwrap_or("");
    let authority = request.uri().authority().map(hyper::http::uri::Authority::as_str);
    if !is_ours(keys, named) || authority.is_some_and(|authority| authority != named) {
        let address = format!("http://127.0.0.1:{}/", keys.port);
        return Err(WebError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server answers only by the name of this machine",
        )
        .hint(format!("open {address}")));
    }
    // A path like this would be taken for another host's address in a redirection.
    if request.uri().path().starts_with("//") {
        return Err(WebError::no_page());
    }
    Ok(())
}

/// Returns the origin of the pages that a request by this name sees.
pub(super) fn origin(keys: &Credentials, named: &str) -> Option<String> {
    is_ours(keys, named).then(|| format!("http://{named}"))
}

fn is_ours(keys: &Credentials, named: &str) -> bool {
    let host = named.strip_suffix(&format!(":{}", keys.port));
    matches!(host, Some("127.0.0.1" | "localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(named: &str, expected: bool) {
        assert_eq!(is_ours(&Credentials::new("token", 2048, "start"), named), expected, "{named}");
    }

    #[test]
    fn only_this_machine_is_ours() {
        check("127.0.0.1:2048", true);
        check("localhost:2048", true);
        check("localhost", false);
        check("localhost:20480", false);
        check("127.0.0.1:2048.example.org", false);
        check("example.org:2048", false);
        check("LOCALHOST:2048", false);
        check("[::1]:2048", false);
        check("", false);
    }
}
