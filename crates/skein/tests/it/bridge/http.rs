//! Requests over plain HTTP.

use std::io::{BufRead, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

const READ_TIMEOUT: Duration = Duration::from_secs(60);
const UP_TIMEOUT: Duration = Duration::from_secs(1);

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

    /// Sends a request on a connection of its own.
    pub(super) fn send(&self, method: &str, path: &str, body: &[u8]) -> Response {
        self.open(method, path, body).and_then(read_response).unwrap()
    }

    /// Returns whether the server answers. One that is just starting may accept a request and never answer it.
    pub(super) fn is_up(&self, path: &str) -> bool {
        let response = self.open("GET", path, &[]).and_then(|stream| {
            stream.set_read_timeout(Some(UP_TIMEOUT))?;
            read_response(stream)
        });
        response.is_ok_and(|response| response.status == 200)
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
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Connection: close\r\nContent-Type: application/json\r\n\
            Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        Ok(stream)
    }
}

fn read_response(stream: TcpStream) -> std::io::Result<Response> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        head.push_str(&line.to_lowercase());
    }
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect(&head);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = Vec::new();
    match length.and_then(|length| length.parse().ok()) {
        Some(length) => {
            reader.take(length).read_to_end(&mut body)?;
        }
        None if head.contains("transfer-encoding: chunked") => body = read_chunks(reader)?,
        None => {}
    }
    Ok(Response { status, body })
}

/// Returns the content of a body that is sent in chunks, each after its size.
fn read_chunks(mut reader: impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).expect(&line);
        reader.by_ref().take(size).read_to_end(&mut body)?;
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok(body);
        }
    }
}
