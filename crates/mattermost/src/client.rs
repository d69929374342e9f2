//! Sends requests, and repeats those that failed for a while.

use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, Url, redirect};
use serde::de::DeserializeOwned;

use crate::{MattermostError, Secret};

const MAX_ATTEMPTS: u32 = 5;
/// A server that asks for a longer wait is not waited for; the caller gets the error.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Maximum size of an answer that is not a file.
const MAX_ANSWER: u64 = 64 << 20;
/// Maximum size of the description of an error.
const MAX_ERROR: u64 = 64 << 10;
const UNESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub request_timeout: Duration,
    /// For a file.
    pub transfer_timeout: Duration,
    /// Before the first repetition of a request; each further one waits twice as long.
    pub retry_delay: Duration,
    /// Between two pings of the WebSocket. Without an answer until the next ping the connection is dead.
    pub ping_interval: Duration,
    /// Before the WebSocket is connected again; twice as long after each failure.
    pub min_backoff: Duration,
    pub max_backoff: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(10),
            transfer_timeout: Duration::from_mins(10),
            retry_delay: Duration::from_millis(250),
            ping_interval: Duration::from_secs(20),
            min_backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(30),
        }
    }
}

/// A client of one server with the rights of one token. Clones share their connections.
#[derive(Clone)]
pub struct MattermostClient {
    http: reqwest::Client,
    /// Without a slash at the end.
    base: String,
    pub(crate) timing: Timing,
}

/// For how long a request that may have reached the server may be sent again.
#[derive(Clone, Copy)]
pub(crate) enum Repeat {
    Never,
    Within(Duration),
    Always,
}

impl MattermostClient {
    /// Creates a client of the server at an address such as `https://chat.example.com`. Nothing is sent yet.
    ///
    /// Certificates are checked as the operating system does, because the authority of a company is known only there.
    /// The proxy of the environment is used for `https` only.
    pub fn new(address: &str, token: &Secret) -> Result<Self, MattermostError> {
        Self::with_timing(address, token, Timing::default())
    }

    /// Creates a client that waits for other times than usual.
    pub fn with_timing(
        address: &str,
        token: &Secret,
        timing: Timing,
    ) -> Result<Self, MattermostError> {
        let base = parse_address(address)?;
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
            .map_err(|_| MattermostError::Token)?;
        bearer.set_sensitive(true);
        // An error means that the process has a provider already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .default_headers(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
            // A redirection would turn requests that change something into ones that read.
            .redirect(redirect::Policy::none())
            .connect_timeout(timing.request_timeout);
        if base.starts_with("http:") {
            // No need to read the certificates of the system, which a container may not have.
            builder = builder.no_proxy().tls_certs_only([]);
        }
        Ok(Self { http: builder.build().map_err(MattermostError::unreachable)?, base, timing })
    }

    /// Starts a request to a path below `/api/v4`.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/api/v4{path}", self.base);
        self.http.request(method, url).timeout(self.timing.request_timeout)
    }

    /// Requests a path and reads the JSON of the answer.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, MattermostError> {
        self.json(self.request(Method::GET, path), Repeat::Always).await
    }

    /// Sends a request and reads the JSON of the answer.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        repeat: Repeat,
    ) -> Result<T, MattermostError> {
        let body = self.send(request, repeat, MAX_ANSWER).await?;
        serde_json::from_slice(&body).map_err(MattermostError::protocol)
    }

    /// Sends a request until it is answered, and reads the answer up to a size.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        repeat: Repeat,
        max_bytes: u64,
    ) -> Result<Vec<u8>, MattermostError> {
        let start = Instant::now();
        let mut delay = self.timing.retry_delay;
        let mut may_be_done = false;
        for _ in 1..MAX_ATTEMPTS {
            let copy = request.try_clone().expect("the body is in memory");
            let error = match self.send_once(copy, max_bytes).await {
                Ok(body) => return Ok(body),
                Err(error) => error,
            };
            let wait = match error {
                MattermostError::RateLimited { retry_after } => retry_after.max(delay),
                _ => delay,
            };
            may_be_done |= !error.is_untouched();
            let may_repeat = match repeat {
                Repeat::Never => !may_be_done,
                Repeat::Within(limit) => !may_be_done || start.elapsed() + wait < limit,
                Repeat::Always => true,
            };
            if !error.is_retryable() || !may_repeat || wait > MAX_RETRY_AFTER {
                return Err(error);
            }
            tokio::time::sleep(wait.mul_f64(1.0 + fastrand::f64() / 2.0)).await;
            delay *= 2;
        }
        self.send_once(request, max_bytes).await
    }

    /// Sends a request once, and reads the answer up to a size.
    pub(crate) async fn send_once(
        &self,
        request: RequestBuilder,
        max_bytes: u64,
    ) -> Result<Vec<u8>, MattermostError> {
        match exchange(request).await {
            Ok(response) => read_body(response, max_bytes).await,
            Err(MattermostError::Unauthorized) => Err(self.confirm_unauthorized().await),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the server says that it works, also its database.
    pub async fn is_healthy(&self) -> bool {
        let request = self.request(Method::GET, "/system/ping?get_server_status=true");
        exchange(request).await.is_ok()
    }

    /// Finds out why a token is not accepted. Without its database the server accepts none.
    async fn confirm_unauthorized(&self) -> MattermostError {
        let request = self.request(Method::GET, "/system/ping?get_server_status=true");
        match exchange(request).await {
            Err(MattermostError::Rejected { status: status @ 500.., id, .. }) => {
                let message = "it is not healthy and accepts no token".to_owned();
                MattermostError::Rejected { status, id, message }
            }
            Err(error) if error.is_retryable() => error,
            _ => MattermostError::Unauthorized,
        }
    }
}

/// Encodes a value as one segment of a path or as a value in a query.
pub(crate) fn encode(value: &str) -> impl std::fmt::Display {
    utf8_percent_encode(value, UNESCAPED)
}

/// Sends a request and returns the response if it is a success or the start of a WebSocket, otherwise its error.
pub(crate) async fn exchange(request: RequestBuilder) -> Result<Response, MattermostError> {
    let response = request.send().await.map_err(MattermostError::unreachable)?;
    let status = response.status();
    if status.is_success() || status.is_informational() {
        return Ok(response);
    }
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    if status.as_u16() == 429 {
        let seconds = header(RETRY_AFTER).and_then(|text| text.parse().ok()).unwrap_or(1);
        return Err(MattermostError::RateLimited { retry_after: Duration::from_secs(seconds) });
    }
    if let (true, Some(location)) = (status.is_redirection(), header(LOCATION)) {
        let message = format!("the address has moved to {location}");
        return Err(MattermostError::Rejected {
            status: status.as_u16(),
            id: String::new(),
            message,
        });
    }
    let body = read_body(response, MAX_ERROR).await.unwrap_or_default();
    Err(MattermostError::from_answer(status.as_u16(), &body))
}

async fn read_body(mut response: Response, max_bytes: u64) -> Result<Vec<u8>, MattermostError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(MattermostError::unreachable)? {
        body.extend_from_slice(&chunk);
        if body.len() as u64 > max_bytes {
            return Err(MattermostError::TooLarge { max: max_bytes });
        }
    }
    Ok(body)
}

/// Returns the address without a slash at the end. It may have a path, if the server is below one.
fn parse_address(address: &str) -> Result<String, MattermostError> {
    let address = address.trim();
    let url = Url::parse(address).map_err(|_| MattermostError::Address {
        reason: "it needs the form https://chat.example.com",
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(MattermostError::Address {
            reason: "it has to start with https:// or http://",
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(MattermostError::Address { reason: "it must not contain a password" });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(MattermostError::Address { reason: "it must not contain ? or #" });
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_address(address: &str, expected: Result<&str, &str>) {
        let result = parse_address(address).map_err(|error| error.to_string());
        let expected = expected.map(str::to_owned);
        assert_eq!(
            result,
            expected.map_err(|e| format!("not the address of a Mattermost server: {e}"))
        );
    }

    #[test]
    fn addresses_are_checked() {
        check_address("https://chat.example.com/ ", Ok("https://chat.example.com"));
        check_address("http://127.0.0.1:8065/mm/", Ok("http://127.0.0.1:8065/mm"));
        check_address("chat.example.com", Err("it needs the form https://chat.example.com"));
        check_address("ftp://chat.example.com", Err("it has to start with https:// or http://"));
        check_address("https://a:b@chat.example.com", Err("it must not contain a password"));
        check_address("https://chat.example.com/?a=b", Err("it must not contain ? or #"));
    }

    #[test]
    fn values_are_encoded_for_paths() {
        assert_eq!(encode("../a b?c&d/+1").to_string(), "..%2Fa%20b%3Fc%26d%2F%2B1");
    }

    #[test]
    fn a_token_with_control_characters_is_refused() {
        let result = MattermostClient::new("http://127.0.0.1:1", &Secret::new("a\nb"));
        assert!(matches!(result, Err(MattermostError::Token)));
    }
}
