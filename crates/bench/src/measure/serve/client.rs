//! As much of HTTP as it takes to ask the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use super::server::ServerAddress;
use crate::Outcome;

/// No answer takes this long, however busy the machine is.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection that one request after the other goes through.
pub(crate) struct Client {
    pub(crate) door: ServerAddress,
    stream: BufReader<TcpStream>,
}

/// What came back.
pub(crate) struct Answer {
    /// From the first byte sent to the last one received.
    pub(crate) time: Duration,
    /// What went over the wire, the head included.
    pub(crate) bytes: usize,
    pub(crate) body: Vec<u8>,
}

/// How a page is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// As a browser asks, compressed.
    Browser,
    /// As a page that is open asks what changed.
    Live,
    /// Such that this program can read it.
    Plain,
}

impl Client {
    pub(crate) fn connect(door: &ServerAddress) -> Outcome<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, door.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        Ok(Self { door: door.clone(), stream: BufReader::with_capacity(256 * 1024, stream) })
    }

    /// Asks for an address and reads the answer to its end.
    pub(crate) fn get(&mut self, address: &str, how: As) -> Outcome<Answer> {
        let start = Instant::now();
        self.send(address, how)?;
        let head = self.head()?;
        if !head.text.starts_with("HTTP/1.1 200") {
            let status = head.text.lines().next().unwrap_or_default();
            return Err(format!("{address}: {status}").into());
        }
        let (body, framing) = match head.length {
            Some(length) => (self.exactly(length)?, 0),
            None => self.chunks()?,
        };
        let bytes = head.text.len() + body.len() + framing;
        Ok(Answer { time: start.elapsed(), bytes, body })
    }

    /// Sends a request and leaves the answer to be read line by line.
    pub(crate) fn listen(mut self, address: &str) -> Outcome<BufReader<TcpStream>> {
        self.send(address, As::Plain)?;
        let head = self.head()?;
        match head.text.starts_with("HTTP/1.1 200") {
            true => Ok(self.stream),
            false => Err(format!("{address}: {}", head.text).into()),
        }
    }

    /// Sends a request and leaves the answer unread.
    pub(crate) fn send(&mut self, address: &str, how: As) -> Outcome<()> {
        let ServerAddress { port, token, .. } = &self.door;
        let more = match how {
            As::Browser => "Accept-Encoding: gzip\r\n",
            As::Live => "Accept-Encoding: gzip\r\nX-Skein-Live: 1\r\n",
            As::Plain => "",
        };
        let request = format!(
            "GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n{more}\r\n"
        );
        Ok(self.stream.get_mut().write_all(request.as_bytes())?)
    }

    fn head(&mut self) -> Outcome<Head> {
        let mut head = Head { text: String::new(), length: None };
        loop {
            let from = head.text.len();
            if self.stream.read_line(&mut head.text)? == 0 {
                return Err("the server hung up".into());
            }
            let line = head.text.get(from..).unwrap_or_default().trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", length)) => head.length = Some(length.parse()?),
                None if line.is_empty() => return Ok(head),
                _ => {}
            }
        }
    }

    fn exactly(&mut self, length: usize) -> Outcome<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a body that comes in chunks; what is around them is counted apart.
    fn chunks(&mut self) -> Outcome<(Vec<u8>, usize)> {
        let (mut body, mut framing) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16)?;
            let mut chunk = self.exactly(length + 2)?;
            chunk.truncate(length);
            framing += line.len() + 2;
            body.append(&mut chunk);
            if length == 0 {
                return Ok((body, framing));
            }
        }
    }
}

struct Head {
    text: String,
    /// The length of the body; none where it comes in chunks.
    length: Option<usize>,
}
