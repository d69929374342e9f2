//! A server on the loopback interface that answers as a test says.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// The method, path and query.
    pub(crate) line: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: String,
}

/// The bytes of an answer, chunk by chunk.
pub(crate) struct Answer {
    chunks: Vec<Vec<u8>>,
    /// Whether the connection stays open after them.
    is_open: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, body: &str) -> Self {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n");
        Self { chunks: vec![head.into(), body.into()], is_open: false }
    }

    /// Sends these bytes without a head.
    pub(crate) fn raw(bytes: &str) -> Self {
        Self { chunks: vec![bytes.into()], is_open: false }
    }

    /// Sends nothing, not even a head.
    pub(crate) fn silence() -> Self {
        Self { chunks: Vec::new(), is_open: true }
    }

    /// Begins a stream of events, ends it after these chunks or leaves it open.
    pub(crate) fn stream<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, is_open: bool) -> Self {
        let head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n";
        let chunks = chunks.into_iter().map(<[u8]>::to_vec);
        Self { chunks: std::iter::once(head.into()).chain(chunks).collect(), is_open }
    }
}

pub(crate) struct StandIn {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl StandIn {
    /// Answers each request by the function, which also gets the number of the request.
    pub(crate) async fn start(
        answer: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let request = read(&mut stream).await;
                    let number = {
                        let mut log = log.lock().unwrap();
                        log.push(request.clone());
                        log.len() - 1
                    };
                    write(stream, answer(number, &request)).await;
                });
            }
        });
        Self { address, requests, task }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Request {
    let mut request = Request::default();
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let line = line.trim_end();
        match line.split_once(": ") {
            None if line.is_empty() => break,
            None => request.line = line.trim_end_matches(" HTTP/1.1").to_owned(),
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(("authorization", value)) => request.authorization = Some(value.to_owned()),
            Some(_) => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    request.body = String::from_utf8(body).unwrap();
    request
}

async fn write(mut stream: BufReader<TcpStream>, answer: Answer) {
    stream.get_ref().set_nodelay(true).unwrap();
    for chunk in answer.chunks {
        stream.write_all(&chunk).await.unwrap();
        stream.flush().await.unwrap();
        // Gives the reader the time to see the chunk alone.
        tokio::task::yield_now().await;
    }
    if answer.is_open {
        // Until the client closes the connection.
        stream.read_u8().await.unwrap_err();
    }
}
