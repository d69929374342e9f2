//! The server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

use crate::reply::{CannedReply, Kind, ReplyStep, answer};
use crate::{MATTERMOST, OPENCODE, http};

/// The start of each path of Mattermost.
const MATTERMOST_PATH: &str = "/api/v4";

#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// The method, path and query, without `/api/v4`.
    pub line: String,
    pub authorization: Option<String>,
    pub body: String,
    /// The number of earlier requests with the same line.
    pub earlier: usize,
}

impl ReceivedRequest {
    /// Returns the method and the path without the query.
    pub fn path(&self) -> &str {
        self.line.split('?').next().unwrap_or_default()
    }
}

/// A server for both protocols. When it is dropped, a message that is not recorded, and a panic of the function that
/// answers, become a panic of the test.
pub struct StandIn {
    address: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    has_panicked: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl StandIn {
    /// Starts a server that answers each request by the function.
    pub async fn start(
        reply: impl Fn(&ReceivedRequest) -> CannedReply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (requests, has_panicked) = (Arc::default(), Arc::new(AtomicBool::default()));
        let (log, flag, reply) =
            (Arc::clone(&requests), Arc::clone(&has_panicked), Arc::new(reply));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, flag, reply) = (Arc::clone(&log), Arc::clone(&flag), Arc::clone(&reply));
                let connection = Connection { stream: BufReader::new(stream), has_panicked: flag };
                tokio::spawn(async move { connection.answer(&log, &*reply).await });
            }
        });
        Self { address, requests, has_panicked, task }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the methods and paths of the requests, with their queries.
    pub fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.line).collect()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
        let has_panicked = self.has_panicked.load(Ordering::SeqCst);
        assert!(!has_panicked || std::thread::panicking(), "the stand-in panicked");
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    has_panicked: Arc<AtomicBool>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.has_panicked.store(true, Ordering::SeqCst);
        }
    }
}

impl Connection {
    /// Returns early if the client goes away.
    async fn answer(
        mut self,
        log: &Mutex<Vec<ReceivedRequest>>,
        reply: &(impl Fn(&ReceivedRequest) -> CannedReply + ?Sized),
    ) -> Option<()> {
        let (head, body) = http::read(&mut self.stream).await?;
        let recording = match head.line.contains(&format!(" {MATTERMOST_PATH}/")) {
            true => &*MATTERMOST,
            false => &*OPENCODE,
        };
        let line = head.line.replacen(MATTERMOST_PATH, "", 1);
        let request = {
            let mut log = log.lock().unwrap();
            let earlier = log.iter().filter(|request| request.line == line).count();
            log.push(ReceivedRequest { line, authorization: head.authorization, body, earlier });
            log.last()?.clone()
        };
        match reply(&request).0 {
            Kind::Json { status, body } => {
                let body = recording.response(&request.line, status, &body);
                let body = body.unwrap_or_else(|problem| panic!("{problem}"));
                self.send(vec![answer(status, "", &body).into()], false).await
            }
            Kind::Chunks { chunks, is_open } => self.send(chunks, is_open).await,
            Kind::Socket(steps) => {
                let accept = derive_accept_key(head.key.as_bytes());
                let answer = format!(
                    "HTTP/1.1 101 X\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: {accept}\r\n\r\n"
                );
                self.stream.write_all(answer.as_bytes()).await.ok()?;
                self.stream.flush().await.ok()?;
                self.run_steps(steps).await
            }
        }
    }

    async fn send(&mut self, chunks: Vec<Vec<u8>>, is_open: bool) -> Option<()> {
        self.stream.get_ref().set_nodelay(true).ok()?;
        for chunk in chunks {
            self.stream.write_all(&chunk).await.ok()?;
            self.stream.flush().await.ok()?;
            // Gives the reader the time to see the chunk alone.
            tokio::task::yield_now().await;
        }
        if is_open {
            // Until the client closes the connection.
            self.stream.read_u8().await.ok()?;
        }
        Some(())
    }

    async fn run_steps(&mut self, steps: Vec<ReplyStep>) -> Option<()> {
        let check = |frame: &Value| {
            Message::text(MATTERMOST.event(frame).unwrap_or_else(|problem| panic!("{problem}")))
        };
        let stream = &mut self.stream;
        let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
        for step in steps {
            match step {
                ReplyStep::Send(frame) => socket.send(check(&frame)).await.ok()?,
                ReplyStep::SendUnrecorded(text) => socket.send(Message::text(text)).await.ok()?,
                ReplyStep::SendBinary => {
                    socket.send(Message::binary(vec![0, 159, 255])).await.ok()?;
                }
                ReplyStep::Pong => {
                    socket.next().await?.ok()?;
                    let data = json!({"text": "pong"});
                    let pong = json!({"status": "OK", "data": data, "seq_reply": 1});
                    socket.send(check(&pong)).await.ok()?;
                }
                ReplyStep::RefusePing(status) => {
                    socket.next().await?.ok()?;
                    let error = json!({"id": "x", "status_code": status});
                    let refusal = json!({"status": "FAIL", "error": error, "seq_reply": 1});
                    socket.send(check(&refusal)).await.ok()?;
                }
                ReplyStep::Silence => while socket.next().await?.is_ok() {},
                ReplyStep::Close => socket.close(None).await.ok()?,
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a server answers to a request.
    async fn fetch(
        path: &str,
        reply: impl Fn(&ReceivedRequest) -> CannedReply + Send + Sync + 'static,
    ) -> String {
        let server = StandIn::start(reply).await;
        let address = server.address().trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn an_answer_has_the_keys_of_the_real_server() {
        let answer = fetch("/api/v4/users/u1", |_| CannedReply::ok(r#"{"id": "u1"}"#)).await;
        assert!(
            answer.contains(r#"{"id":"u1","#) && answer.contains(r#""delete_at":0"#),
            "{answer}"
        );
        let answer = fetch("/session/s1?directory=a", |_| CannedReply::ok(r#"{"id": "s1"}"#)).await;
        assert!(answer.contains(r#"{"id":"s1","#) && answer.contains(r#""slug":"""#), "{answer}");
    }

    #[tokio::test]
    async fn an_answer_that_says_so_is_not_checked() {
        let answer = fetch("/api/v4/users/u1", |_| CannedReply::unrecorded(502, "", "{}")).await;
        assert!(answer.ends_with("\r\n\r\n{}"), "{answer}");
    }

    #[tokio::test]
    #[should_panic(expected = "the stand-in panicked")]
    async fn a_wrong_key_fails_the_test() {
        fetch("/api/v4/users/u1", |_| CannedReply::ok(r#"{"Id": "u1"}"#)).await;
    }

    #[tokio::test]
    #[should_panic(expected = "the stand-in panicked")]
    async fn a_status_that_the_real_server_does_not_answer_fails_the_test() {
        fetch("/api/v4/users/u1", |_| CannedReply::json(201, r#"{"id": "u1"}"#)).await;
    }

    #[tokio::test]
    #[should_panic(expected = "the stand-in panicked")]
    async fn a_panic_of_the_answer_fails_the_test() {
        fetch("/api/v4/users/u1", |request| panic!("{}", request.line)).await;
    }
}
