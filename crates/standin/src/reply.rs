//! What a stand-in answers.

use serde_json::Value;

use crate::OPENCODE;

/// What the server does with a request.
pub struct CannedReply(pub(crate) Kind);

pub(crate) enum Kind {
    Json { status: u16, body: String },
    Chunks { chunks: Vec<Vec<u8>>, is_open: bool },
    Socket(Vec<ReplyStep>),
}

/// A step of the server on a WebSocket of Mattermost.
pub enum ReplyStep {
    /// Sends a message that is recorded. Keys that the real server always sends are added.
    Send(Value),
    /// Sends a text that no Mattermost server sends.
    SendUnrecorded(&'static str),
    SendBinary,
    /// Waits for a ping and answers it.
    Pong,
    /// Waits for a ping and refuses it with a status.
    RefusePing(u16),
    /// Reads and sends nothing until the client goes away.
    Silence,
    Close,
}

impl CannedReply {
    /// Answers with JSON that is recorded for the request. Keys that the real server always sends are added.
    #[expect(clippy::needless_pass_by_value, reason = "a test writes the body in the call")]
    pub fn json(status: u16, body: impl ToString) -> Self {
        Self(Kind::Json { status, body: body.to_string() })
    }

    /// Answers with JSON and the status 200.
    pub fn ok(body: impl ToString) -> Self {
        Self::json(200, body)
    }

    /// Answers with what is not recorded: the content of a file, the page of a proxy, or a fault that the real server
    /// cannot be made to have. Each line of `headers` ends with `\r\n`.
    pub fn unrecorded(status: u16, headers: &str, body: &str) -> Self {
        Self::raw(&answer(status, headers, body))
    }

    /// Sends bytes without a head, and closes the connection.
    pub fn raw(bytes: &str) -> Self {
        Self(Kind::Chunks { chunks: vec![bytes.into()], is_open: false })
    }

    /// Closes the connection without an answer.
    pub fn drop() -> Self {
        Self(Kind::Chunks { chunks: Vec::new(), is_open: false })
    }

    /// Sends nothing, not even a head, and leaves the connection open.
    pub fn silence() -> Self {
        Self(Kind::Chunks { chunks: Vec::new(), is_open: true })
    }

    /// Begins a stream of events of OpenCode, and ends it after these chunks or leaves it open. Each event must be
    /// recorded; one that is cut off is not checked. [`event`] returns the text of an event.
    #[track_caller]
    pub fn stream<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, is_open: bool) -> Self {
        let chunks: Vec<_> = chunks.into_iter().collect();
        let text = String::from_utf8(chunks.concat()).unwrap();
        let (whole, _) = text.rsplit_once("\n\n").unwrap_or_default();
        for data in whole.split("\n\n").filter(|data| !data.is_empty()) {
            let data = data.strip_prefix("data: ").unwrap();
            OPENCODE.event(&serde_json::from_str(data).unwrap()).unwrap();
        }
        Self::unrecorded_stream(chunks, is_open)
    }

    /// Begins a stream with events that OpenCode does not send.
    pub fn unrecorded_stream<'a>(
        chunks: impl IntoIterator<Item = &'a [u8]>,
        is_open: bool,
    ) -> Self {
        let head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n";
        let chunks = chunks.into_iter().map(<[u8]>::to_vec);
        let chunks = std::iter::once(head.into()).chain(chunks).collect();
        Self(Kind::Chunks { chunks, is_open })
    }

    /// Opens a WebSocket, carries out the steps, and drops the connection.
    pub fn socket(steps: Vec<ReplyStep>) -> Self {
        Self(Kind::Socket(steps))
    }
}

/// Returns an answer with its head. Each line of `headers` ends with `\r\n`.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Returns the text of an event of OpenCode that is recorded. Keys that the real server always sends are added.
#[track_caller]
pub fn event(event: &Value) -> String {
    let text = OPENCODE.event(event).unwrap_or_else(|problem| panic!("{problem}"));
    format!("data: {text}\n\n")
}
