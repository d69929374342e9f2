//! A server on loopback that answers as a test wants, for faults that a real server cannot be made to have.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use skein_mattermost::{Client, Secret, Timing};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

pub(crate) const TOKEN: &str = "s3cret-token";

/// Short times, so that tests do not wait.
pub(crate) const FAST: Timing = Timing {
    request_timeout: Duration::from_secs(20),
    transfer_timeout: Duration::from_secs(20),
    retry_delay: Duration::from_millis(1),
    ping_interval: Duration::from_secs(20),
    min_backoff: Duration::from_millis(1),
    max_backoff: Duration::from_millis(20),
};

/// What the server does with a request.
pub(crate) enum Reply {
    /// Status, further header lines, body.
    Answer(u16, &'static str, String),
    /// Closes the connection in the middle of the answer.
    Cut,
    /// Closes the connection without an answer.
    Drop,
    /// Opens a WebSocket, carries out the steps, and drops the connection.
    Socket(Vec<Step>),
}

/// A step of the server on a WebSocket.
pub(crate) enum Step {
    Send(String),
    SendBinary,
    /// Waits for a ping and answers it.
    Pong,
    /// Waits for a ping and refuses it with a status.
    RefusePing(u16),
    /// Reads and says nothing until the client goes away.
    Silence,
    Close,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Method and path with query, without `/api/v4`.
    pub(crate) line: String,
    pub(crate) authorization: String,
    pub(crate) body: String,
    key: String,
}

#[derive(Clone)]
pub(crate) struct StandIn {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl StandIn {
    /// Starts a server. `reply` gets each request and the number of earlier requests with the same line.
    pub(crate) async fn start(
        reply: impl Fn(&str, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { address, requests: Arc::default() };
        let (requests, reply) = (Arc::clone(&server.requests), Arc::new(reply));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (requests, reply) = (Arc::clone(&requests), Arc::clone(&reply));
                tokio::spawn(async move {
                    let Some(request) = read_request(&mut stream).await else { return };
                    let line = request.line.clone();
                    let key = request.key.clone();
                    let answer = {
                        let mut requests = requests.lock().unwrap();
                        let earlier = requests.iter().filter(|r| r.line == line).count();
                        requests.push(request);
                        reply(&line, earlier)
                    };
                    carry_out(stream, answer, &key).await;
                });
            }
        });
        server
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn client(&self, timing: Timing) -> Client {
        Client::with_timing(&self.address, &Secret::new(TOKEN), timing).unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.line).collect()
    }
}

pub(crate) fn ok(body: impl Into<String>) -> Reply {
    Reply::Answer(200, "", body.into())
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.to_owned()).unwrap_or_default()
    };
    let length = header("content-length").parse().unwrap_or(0);
    while bytes.len() < head_end + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    let line = head.lines().next()?.trim_end_matches(" HTTP/1.1").replace("/api/v4", "");
    let body = String::from_utf8(bytes[head_end..].to_vec()).unwrap();
    let (authorization, key) = (header("authorization"), header("sec-websocket-key"));
    Some(Request { line, authorization, body, key })
}

async fn carry_out(mut stream: TcpStream, reply: Reply, key: &str) {
    match reply {
        Reply::Answer(status, headers, body) => {
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
            );
            // The client may have gone away.
            stream.write_all(answer.as_bytes()).await.ok();
        }
        Reply::Cut => {
            stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n{\"id\"").await.ok();
        }
        Reply::Drop => {}
        Reply::Socket(steps) => {
            let accept = derive_accept_key(key.as_bytes());
            let answer = format!(
                "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
            let socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
            // Errors mean that the client has gone away.
            run_steps(socket, steps).await;
        }
    }
}

async fn run_steps(mut socket: WebSocketStream<TcpStream>, steps: Vec<Step>) -> Option<()> {
    for step in steps {
        match step {
            Step::Send(text) => socket.send(Message::text(text)).await.ok()?,
            Step::SendBinary => socket.send(Message::binary(vec![0, 159, 255])).await.ok()?,
            Step::Pong => {
                socket.next().await?.ok()?;
                let text = r#"{"status": "OK", "data": {"text": "pong"}, "seq_reply": 1}"#;
                socket.send(Message::text(text)).await.ok()?;
            }
            Step::RefusePing(status) => {
                socket.next().await?.ok()?;
                let error = format!(r#"{{"id": "x", "status_code": {status}}}"#);
                let text = format!(r#"{{"status": "FAIL", "error": {error}, "seq_reply": 1}}"#);
                socket.send(Message::text(text)).await.ok()?;
            }
            Step::Silence => while socket.next().await?.is_ok() {},
            Step::Close => socket.close(None).await.ok()?,
        }
    }
    Some(())
}
