//! Checks the host name: another name that resolves to this machine is an attack (DNS rebinding).

use axum::extract::Request;
use hyper::StatusCode;

use super::single_header;
use crate::credentials::Credentials;
use crate::error::WebError;

/// Refuses a request for another host name than that of the loopback interface.
pub(super) fn check(keys: &Credentials, request: &Request) -> Result<(), WebError> {
    let named = single_header(request.headers(), "host").unwrap_or("");
    let authority = request.uri().authority().map(hyper::http::uri::Authority::as_str);
    if !is_ours(keys, named) || authority.is_some_and(|authority| authority != named) {
        let address = format!("http://127.0.0.1:{}/", keys.port);
        return Err(WebError::new(StatusCode::MISDIRECTED_REQUEST, "invalid Host header")
            .hint(format!("open {address}")));
    }
    // In a redirect, a browser would treat such a path as the address of another host.
    if request.uri().path().starts_with("//") {
        return Err(WebError::no_page());
    }
    Ok(())
}

/// Returns the origin of pages under this host name.
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
        assert_eq!(
            is_ours(&Credentials::new(("token", "browser"), 2048, "start"), named),
            expected,
            "{named}"
        );
    }

    #[test]
    fn only_the_loopback_addresses_of_this_server_are_accepted() {
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
