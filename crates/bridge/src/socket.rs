//! Requests of other programs of this user to a running bridge: one line of JSON each way.
//!
//! The socket is in the state directory of the bot, which only the user can open. A request is
//! answered when its effect is in the journal.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

use crate::core::ids::{Millis, PostId, SessionId};
use crate::core::input::LocalRequest;
use crate::core::{Core, LocalRefusal};

/// The name of the socket in the state directory.
pub(crate) const SOCKET: &str = "socket";
/// Maximum length of a request.
pub(crate) const MAX_REQUEST_BYTES: u64 = 4 * 1024 * 1024;
/// Maximum number of requests that wait for the bridge.
const MAX_WAITING: usize = 16;
/// Time until the next connection is accepted after the system refused one.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub(crate) enum SocketRequest {
    /// Prompts a session.
    Send { session: SessionId, text: String },
    /// Posts a text into the thread of a session.
    Say { session: SessionId, text: String },
    /// Asks for the last posts of the thread of a session.
    LastPosts { session: SessionId, count: usize },
}

/// A post of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SocketPost {
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    /// The name of the author.
    pub(crate) user: String,
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum SocketAnswer {
    /// The request will be carried out, also if the bridge is stopped now.
    Accepted,
    Posts {
        posts: Vec<SocketPost>,
    },
    Refused {
        reason: LocalRefusal,
    },
    /// A server did not do what the request needs.
    Failed {
        message: String,
    },
    /// The request cannot be understood.
    Invalid {
        message: String,
    },
}

/// A request, and where its answer goes.
pub(crate) struct SocketCall {
    pub(crate) request: SocketRequest,
    pub(crate) answer: oneshot::Sender<SocketAnswer>,
}

/// What is to be done for a request.
#[derive(Debug)]
pub(crate) enum Step {
    /// The core takes it, and its effect is recorded.
    Core(LocalRequest),
    /// The last posts of the thread with this first post are fetched.
    FetchPosts { root: PostId, count: usize },
    /// It is answered already.
    Answer(SocketAnswer),
}

/// Returns what is to be done for a request. The id is unique.
pub(crate) fn next_step(core: &Core, request: SocketRequest, id: &str, now: Millis) -> Step {
    let (session, text) = match &request {
        SocketRequest::Send { session, text } | SocketRequest::Say { session, text } => {
            (session, Some(text))
        }
        SocketRequest::LastPosts { session, .. } => (session, None),
    };
    if text.is_some_and(|text| text.trim().is_empty()) {
        return Step::Answer(SocketAnswer::Invalid { message: "the text is empty".to_owned() });
    }
    let refuse = |reason| Step::Answer(SocketAnswer::Refused { reason });
    if let (Some(_), Some(reason)) = (text, core.local_refusal(session, now)) {
        return refuse(reason);
    }
    let id = format!("local-{id}");
    match request {
        SocketRequest::Send { session, text } => {
            Step::Core(LocalRequest::Send { id: id.into(), session, text })
        }
        SocketRequest::Say { session, text } => Step::Core(LocalRequest::Say { id, session, text }),
        SocketRequest::LastPosts { session, count } => match core.state().threads.get(&session) {
            None => refuse(LocalRefusal::NoSession),
            Some(thread) => match thread.root.clone() {
                Some(root) => Step::FetchPosts { root, count },
                None => refuse(LocalRefusal::NoThread),
            },
        },
    }
}

/// Takes requests until the receiver is dropped.
///
/// The caller has locked the directory, so that a socket that is already there belongs to no process.
pub(crate) fn listen(path: &Path) -> io::Result<mpsc::Receiver<SocketCall>> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    let (calls, receiver) = mpsc::channel(MAX_WAITING);
    tokio::spawn(accept(listener, calls));
    Ok(receiver)
}

async fn accept(listener: UnixListener, calls: mpsc::Sender<SocketCall>) {
    loop {
        let accepted = tokio::select! {
            () = calls.closed() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let calls = calls.clone();
                tokio::spawn(async move {
                    // A client that is gone needs no answer.
                    drop(serve(stream, &calls).await);
                });
            }
            Err(error) => {
                tracing::warn!("a connection to the socket failed: {error}");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Answers the requests of one client.
async fn serve(stream: UnixStream, calls: &mpsc::Sender<SocketCall>) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let mut line = Vec::new();
        (&mut reader).take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Ok(());
        }
        let is_whole = line.ends_with(b"\n");
        let request = match is_whole {
            true => serde_json::from_slice(&line).map_err(|error| error.to_string()),
            false => Err("the request is too long".to_owned()),
        };
        let answer = match request {
            Ok(request) => match ask(calls, request).await {
                Some(answer) => answer,
                // The bridge ends. Whether it took the request is not known, so there is no answer.
                None => return Ok(()),
            },
            Err(message) => SocketAnswer::Invalid { message },
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        writer.write_all(&line).await?;
        if !is_whole {
            return Ok(());
        }
    }
}

async fn ask(calls: &mpsc::Sender<SocketCall>, request: SocketRequest) -> Option<SocketAnswer> {
    let (answer, answered) = oneshot::channel();
    calls.send(SocketCall { request, answer }).await.ok()?;
    answered.await.ok()
}
