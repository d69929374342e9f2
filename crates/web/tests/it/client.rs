use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An HTTP request that is sent without an HTTP library, so that it can be invalid.
#[derive(Clone)]
pub(crate) struct Request {
    port: u16,
    start: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn new(port: u16, method: &str, address: &str) -> Self {
        let headers = vec![("Host".to_owned(), format!("127.0.0.1:{port}"))];
        let start = format!("{method} {address} HTTP/1.1");
        Self { port, start, headers, body: Vec::new() }
    }

    /// Sets a header, and replaces those of the same name.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a header, and keeps those of the same name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn json(self, body: &str) -> Self {
        self.header("Content-Type", "application/json").body(body.as_bytes())
    }

    pub(crate) fn body(mut self, body: &[u8]) -> Self {
        body.clone_into(&mut self.body);
        self.header("Content-Length", &body.len().to_string())
    }

    /// Sends the request on a new connection, and does not read the response.
    pub(crate) fn open(&self) -> TcpStream {
        self.write(connect(self.port).unwrap())
    }

    fn write(&self, mut stream: TcpStream) -> TcpStream {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let text = format!("{}\r\n{}\r\n", self.start, headers.collect::<String>());
        // A server that refuses a body may close the connection before the end of the body.
        drop(stream.write_all(text.as_bytes()).and_then(|()| stream.write_all(&self.body)));
        stream
    }

    #[track_caller]
    pub(crate) fn send(self) -> Reply {
        Reply::read(self.header("Connection", "close").open()).expect("an answer")
    }

    /// Sends the request to a server that may have stopped; returns `None` if there is no response.
    pub(crate) fn try_send(self) -> Option<Reply> {
        let stream = connect(self.port).ok()?;
        Reply::read(self.header("Connection", "close").write(stream))
    }
}

pub(crate) fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.set_write_timeout(Some(Duration::from_secs(20)))?;
    Ok(stream)
}

impl Reply {
    /// Reads a response; returns `None` if the connection ends without one.
    pub(crate) fn read(stream: TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut body = Vec::new();
        // If the connection breaks, the body is what was received before.
        drop(reader.read_to_end(&mut body));
        let body = String::from_utf8_lossy(&body).into_owned();
        Some(Self { status, headers, body })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }

    /// Checks the status, and returns the JSON document.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.json()
    }
}
