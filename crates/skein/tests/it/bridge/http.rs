//! Requests over plain HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// What a server answered.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// Returns the document of a successful answer.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert!((200..300).contains(&self.status), "{}: {text}", self.status);
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// A server, and the token that a user has there.
#[derive(Clone)]
pub(super) struct Access {
    /// Host and port.
    host: String,
    token: Option<String>,
}

impl Access {
    pub(super) fn new(address: &str, token: Option<&str>) -> Self {
        let host = address.strip_prefix("http://").expect("the address has no encryption");
        Self { host: host.to_owned(), token: token.map(str::to_owned) }
    }

    pub(super) fn get(&self, path: &str) -> Value {
        self.send("GET", path, &[]).json()
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, body.to_string().as_bytes()).json()
    }

    /// Sends a request, on a connection that the server closes after the answer.
    pub(super) fn send(&self, method: &str, path: &str, body: &[u8]) -> Response {
        self.try_send(method, path, body).unwrap()
    }

    /// Sends a request to a server that may not run.
    pub(super) fn try_send(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> std::io::Result<Response> {
        let mut stream = self.open(method, path, body)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
        let Some(end) = end else { return Err(std::io::ErrorKind::UnexpectedEof.into()) };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect(&head);
        let body = bytes.split_off(end + 4);
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Ok(Response { status, body: if is_chunked { join_chunks(&body) } else { body } })
    }

    /// Sends a request and returns the connection, before the answer is read.
    pub(super) fn open(&self, method: &str, path: &str, body: &[u8]) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        let (host, length) = (&self.host, body.len());
        let token = self.token.as_ref();
        let token =
            token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{token}Connection: close\r\nContent-Type: application/json\r\n\
            Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        Ok(stream)
    }
}

/// Returns the content of a body that is sent in chunks, each after its size.
fn join_chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = rest.windows(2).position(|part| part == b"\r\n") {
        let size = String::from_utf8_lossy(&rest[..end]);
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        joined.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    joined
}
