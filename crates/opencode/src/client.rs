use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{OpencodeError, Password};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence after which the system asks whether the server is still there, between two of these questions, and their number.
/// A call that waits for a model has no other limit.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const MAX_KEEPALIVES: u32 = 3;
/// Maximum time of a call that does not wait for a model.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// The user name that OpenCode expects unless it is configured otherwise.
const USER: &str = "opencode";

/// Makes the calls of a server. Clones share their connections.
#[derive(Clone, Debug)]
pub struct OpencodeClient {
    http: reqwest::Client,
    address: Arc<Url>,
    password: Option<Password>,
}

impl OpencodeClient {
    /// Prepares to call the server at an address like `http://127.0.0.1:4096`; connects when it is needed.
    pub fn new(address: &str, password: Option<Password>) -> Result<Self, OpencodeError> {
        let invalid = || OpencodeError::Address(address.to_owned());
        let url = Url::parse(address).map_err(|_| invalid())?;
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.scheme(), "http" | "https") || has_credentials {
            return Err(invalid());
        }
        // Another client of the process may have installed a provider; every provider is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEPALIVE_TIMEOUT)
            .tcp_keepalive_interval(KEEPALIVE_INTERVAL)
            .tcp_keepalive_retries(MAX_KEEPALIVES)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        if url.scheme() == "http" {
            // A system without certificates would be an error.
            http = http.tls_certs_only([]);
        }
        Ok(Self { http: http.build()?, address: Arc::new(url), password })
    }

    /// Returns the version of the server, if it answers in time. A server that is just starting may accept the
    /// request and never answer it.
    pub async fn health(&self, timeout: Duration) -> Result<String, OpencodeError> {
        #[derive(serde::Deserialize)]
        struct Health {
            version: String,
        }
        let request = self.request(Method::GET, &["global", "health"])?.timeout(timeout);
        Ok(decode::<Health>(accept(request).await?).await?.version)
    }

    /// Returns the version of the server, or an error if it is one that this client cannot talk to.
    pub async fn supported_version(&self, timeout: Duration) -> Result<String, OpencodeError> {
        let version = self.health(timeout).await?;
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        // A server that was built from its sources has another kind of version.
        if major.is_some_and(|major| major > 1) {
            return Err(OpencodeError::Version { version });
        }
        Ok(version)
    }

    pub(crate) fn call(&self, method: Method, path: &[&str]) -> Call {
        Call { request: self.request(method, path), timeout: Some(CALL_TIMEOUT) }
    }

    /// Starts a response without an end.
    pub(crate) async fn open_stream(&self, path: &[&str]) -> Result<Response, OpencodeError> {
        accept(self.request(Method::GET, path)?).await
    }

    fn request(&self, method: Method, path: &[&str]) -> Result<RequestBuilder, OpencodeError> {
        let mut url = Url::clone(&self.address);
        // Such segments would change the meaning of the path; no id is like this.
        if path.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
            return Err(OpencodeError::NotFound);
        }
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let request = self.http.request(method, url);
        Ok(match &self.password {
            Some(password) => request.basic_auth(USER, Some(password.reveal())),
            None => request,
        })
    }
}

/// A request that is being put together.
pub(crate) struct Call {
    request: Result<RequestBuilder, OpencodeError>,
    timeout: Option<Duration>,
}

impl Call {
    pub(crate) fn query(self, name: &str, value: &str) -> Self {
        self.map(|request| request.query(&[(name, value)]))
    }

    /// Names the directory whose sessions are meant.
    pub(crate) fn directory(self, directory: &str) -> Self {
        self.query("directory", directory)
    }

    pub(crate) fn body(self, body: &impl Serialize) -> Self {
        self.map(|request| request.json(body))
    }

    /// Waits as long as a model works, which may include the time until a person answers.
    pub(crate) fn without_timeout(self) -> Self {
        Self { timeout: None, ..self }
    }

    pub(crate) async fn send(self) -> Result<(), OpencodeError> {
        self.accept().await?.bytes().await?;
        Ok(())
    }

    pub(crate) async fn fetch<T: DeserializeOwned>(self) -> Result<T, OpencodeError> {
        decode(self.accept().await?).await
    }

    async fn accept(self) -> Result<Response, OpencodeError> {
        let request = self.request?;
        accept(match self.timeout {
            Some(timeout) => request.timeout(timeout),
            None => request,
        })
        .await
    }

    fn map(self, change: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Self {
        Self { request: self.request.map(change), ..self }
    }
}

/// Sends a request and returns its response if the status is a success.
async fn accept(request: RequestBuilder) -> Result<Response, OpencodeError> {
    let response = request.send().await?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    Err(OpencodeError::from_response(status.as_u16(), &response.bytes().await.unwrap_or_default()))
}

async fn decode<T: DeserializeOwned>(response: Response) -> Result<T, OpencodeError> {
    serde_json::from_slice(&response.bytes().await?).map_err(OpencodeError::Protocol)
}
