//! Starts the server in its own process, and sends requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::Outcome;
use crate::measure::memory::peak;
use crate::program::Skein;

/// Longer than any answer takes, even on a busy machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A server that is stopped when it is dropped.
pub(crate) struct RunningServer {
    process: Child,
    pub(crate) address: ServerAddress,
}

/// The address that the server prints, and the cookie of a browser.
#[derive(Clone, Deserialize)]
pub(crate) struct ServerAddress {
    /// The printed link, which admits one browser; the benchmark is the browser.
    address: String,
    port: u16,
    /// The cookie of the browser, as `NAME=VALUE`.
    #[serde(skip)]
    pub(crate) cookie: String,
}

/// The kind of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// From a browser, which accepts a compressed answer.
    Browser,
    /// From an open page that fetches changes.
    Live,
    /// Without compression.
    Plain,
}

pub(crate) struct HttpAnswer {
    /// The time from connecting to the last byte.
    pub(crate) time: Duration,
    /// The number of transferred bytes, including the head.
    pub(crate) bytes: usize,
    pub(crate) body: String,
}

impl RunningServer {
    /// Starts the program and waits until it prints its address.
    pub(crate) fn start(skein: &Skein, root: &Path, home: &Path) -> Outcome<Self> {
        let mut command = skein.command(root, home);
        command.args(["serve", "--no-open", "--json", "--port", "0"]).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut printed = String::new();
        for line in BufReader::new(output).lines() {
            printed += &line?;
            if let Ok(address) = serde_json::from_str::<ServerAddress>(&printed) {
                let address = address.admitted()?;
                return Ok(Self { process, address });
            }
        }
        process.wait()?;
        Err(format!("the server did not start: {printed}").into())
    }

    /// Returns its peak memory in megabytes.
    pub(crate) fn peak(&self) -> Outcome<f64> {
        peak(self.process.id())
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // The process can be killed: its files belong to a corpus.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl ServerAddress {
    /// Exchanges the link for a cookie.
    fn admitted(mut self) -> Outcome<Self> {
        let path = self.address.splitn(4, '/').last().unwrap_or_default().to_owned();
        let mut answer = String::new();
        self.send(&format!("/{path}"), RequestKind::Plain)?.read_to_string(&mut answer)?;
        let lines = answer.lines().filter_map(|line| line.split_once(": "));
        let mut cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let (_, cookie) = cookies.next().ok_or("the server admits no browser")?;
        self.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(self)
    }

    /// Returns the address of the start page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Requests a page, and reads the whole answer.
    pub(crate) fn get(&self, path: &str, kind: RequestKind) -> Outcome<HttpAnswer> {
        let (start, mut answer) = (Instant::now(), Vec::new());
        self.send(path, kind)?.read_to_end(&mut answer)?;
        let time = start.elapsed();
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").ok_or("the answer has no head")?;
        match head.split(' ').nth(1) {
            Some("200") => Ok(HttpAnswer { time, bytes: answer.len(), body: body.to_owned() }),
            _ => Err(format!("{path}: {head}").into()),
        }
    }

    /// Sends a request, and does not read the answer.
    ///
    /// With HTTP/1.0, the end of the connection is the end of the answer.
    pub(crate) fn send(&self, path: &str, kind: RequestKind) -> Outcome<TcpStream> {
        let Self { port, cookie, .. } = self;
        let headers = match kind {
            RequestKind::Browser => "Accept-Encoding: gzip\r\n",
            RequestKind::Live => "Accept-Encoding: gzip\r\nX-Skein-Live: 1\r\n",
            RequestKind::Plain => "",
        };
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, *port))?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        let request = format!(
            "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n{headers}\r\n"
        );
        stream.write_all(request.as_bytes())?;
        Ok(stream)
    }
}

/// A change that the server reports.
#[derive(Deserialize)]
pub(super) struct ReportedChange {
    pub(super) threads: Vec<String>,
    pub(super) files: Vec<String>,
    everything: bool,
}

/// The events of the server, with the times at which they arrived.
pub(super) struct EventStream(Receiver<(Instant, ReportedChange)>);

impl EventStream {
    /// Connects, and receives events in a thread that ends with the server or with the stream.
    pub(super) fn open(address: &ServerAddress) -> Outcome<Self> {
        let stream = address.send("/events", RequestKind::Plain)?;
        let mut lines = BufReader::new(stream).lines();
        // After the first message, every change is reported.
        for line in lines.by_ref() {
            if line?.starts_with("data:") {
                break;
            }
        }
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let lines = lines.map_while(Result::ok);
            let events =
                lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
            events.map(|event| sender.send((Instant::now(), event))).all(|sent| sent.is_ok())
        });
        Ok(Self(receiver))
    }

    /// Waits for an event, and returns the time of its arrival.
    pub(super) fn wait(
        &self,
        is_wanted: impl Fn(&ReportedChange) -> bool,
        timeout: Duration,
    ) -> Outcome<Instant> {
        let deadline = Instant::now() + timeout;
        loop {
            let (at, event) =
                self.0.recv_timeout(deadline.saturating_duration_since(Instant::now()))?;
            if event.everything || is_wanted(&event) {
                return Ok(at);
            }
        }
    }

    /// Returns the number of events so far.
    pub(super) fn count(&self) -> usize {
        self.0.try_iter().count()
    }
}
