//! The server that is tested, and what tests do with it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use skein_opencode::{
    EventKind, EventSettings, Message, MessageId, NewSession, OpencodeClient, OpencodeEvent,
    OpencodeEvents, OpencodePrompt, OpencodeSession, Password, Role, ServerCommand, SessionId,
    message_id,
};

/// Maximum time until something happens that a test waits for.
const WAIT_TIMEOUT: Duration = Duration::from_secs(180);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Deserialize)]
struct Facts {
    address: String,
    program: PathBuf,
    directory: String,
    environment: BTreeMap<String, String>,
    model: ModelFacts,
}

#[derive(Deserialize)]
struct ModelFacts {
    log: PathBuf,
}

/// A request to the model.
#[derive(Deserialize)]
pub(crate) struct ModelRequest {
    #[serde(default)]
    pub(crate) prompt: String,
    #[serde(default)]
    step: usize,
    #[serde(default, rename = "isTurn")]
    is_turn: bool,
    #[serde(default)]
    pub(crate) types: Vec<String>,
}

pub(crate) struct Server {
    facts: Facts,
    pub(crate) client: OpencodeClient,
    pub(crate) directory: String,
}

impl Server {
    pub(crate) fn find() -> Self {
        let path = std::env::var_os("SKEIN_TEST_OPENCODE").expect("the path of the facts is set");
        let facts: Facts = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let client = OpencodeClient::new(&facts.address, None).unwrap();
        Self { client, directory: facts.directory.clone(), facts }
    }

    pub(crate) fn address(&self) -> &str {
        &self.facts.address
    }

    /// Returns how to start another server, which has sessions and state of its own in a directory.
    pub(crate) fn command(&self, home: &std::path::Path) -> ServerCommand {
        let facts = self.facts.environment.iter();
        let mut environment: Vec<(OsString, OsString)> =
            facts.map(|(name, value)| (name.into(), value.into())).collect();
        environment.push(("XDG_DATA_HOME".into(), home.join("data").into()));
        environment.push(("XDG_STATE_HOME".into(), home.join("state").into()));
        ServerCommand {
            program: self.facts.program.clone(),
            directory: self.directory.clone().into(),
            environment,
            password: Password::new("a password of the tests"),
        }
    }

    pub(crate) async fn create_session(&self) -> OpencodeSession {
        create_session(&self.client, &self.directory).await
    }

    pub(crate) async fn prompt(&self, session: &SessionId, text: &str) -> MessageId {
        let id = new_message_id(text);
        let prompt = OpencodePrompt::text(id.clone(), text);
        self.client.prompt(&self.directory, session, &prompt).await.unwrap();
        id
    }

    /// Sends a prompt and returns the messages of the session when it is answered.
    pub(crate) async fn ask(&self, session: &SessionId, text: &str) -> Vec<Message> {
        let prompt = self.prompt(session, text).await;
        self.answered(session, &prompt).await
    }

    pub(crate) async fn answered(&self, session: &SessionId, prompt: &MessageId) -> Vec<Message> {
        answered(&self.client, &self.directory, session, prompt).await
    }

    /// Follows events from where none is lost.
    pub(crate) async fn follow(&self) -> OpencodeEvents {
        let mut events = self.client.events(EventSettings::default());
        assert!(matches!(events.next().await, Some(OpencodeEvent::Connected)));
        // Causes an event, so that the next heartbeat need not be waited for.
        self.create_session().await;
        assert!(matches!(events.next().await, Some(OpencodeEvent::Connected)));
        events
    }

    /// Returns the requests by which a prompt reached the model.
    pub(crate) fn model_requests(&self, prompt: &str) -> Vec<ModelRequest> {
        let log = std::fs::read_to_string(&self.facts.model.log).unwrap();
        let requests = log.lines().map(|line| serde_json::from_str::<ModelRequest>(line).unwrap());
        let is_first = |request: &ModelRequest| request.is_turn && request.step == 0;
        requests.filter(|request| is_first(request) && request.prompt.contains(prompt)).collect()
    }
}

pub(crate) async fn create_session(client: &OpencodeClient, directory: &str) -> OpencodeSession {
    client.create_session(directory, &NewSession::default()).await.unwrap()
}

/// Returns a word that no earlier test has used, as the server remembers permissions and the model its requests.
pub(crate) fn unique_word() -> String {
    format!("word{}", UNIX_EPOCH.elapsed().unwrap().as_nanos())
}

pub(crate) fn new_message_id(seed: &str) -> MessageId {
    let now = UNIX_EPOCH.elapsed().unwrap();
    message_id(now.as_millis().try_into().unwrap(), None, &format!("{seed} {now:?}"))
}

/// Waits until the last answer to a prompt is complete, and returns all messages.
pub(crate) async fn answered(
    client: &OpencodeClient,
    directory: &str,
    session: &SessionId,
    prompt: &MessageId,
) -> Vec<Message> {
    let is_end = |message: &Message| {
        let info = &message.info;
        let is_last = info.finish.as_deref().is_some_and(|finish| finish != "tool-calls");
        info.parent_id.as_ref() == Some(prompt) && (is_last || info.error.is_some())
    };
    poll(|| async {
        let messages = client.messages(directory, session).await.unwrap();
        messages.iter().any(is_end).then_some(messages)
    })
    .await
}

/// Repeats until there is a value.
pub(crate) async fn poll<T, F: Future<Output = Option<T>>>(mut look: impl FnMut() -> F) -> T {
    let repeat = async {
        loop {
            if let Some(value) = look().await {
                return value;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, repeat).await.expect("it happens in time")
}

/// Waits for an event for which the function returns something.
pub(crate) async fn wait_for<T>(
    events: &mut OpencodeEvents,
    mut select: impl FnMut(EventKind) -> Option<T>,
) -> T {
    let search = async {
        loop {
            match events.next().await.unwrap() {
                OpencodeEvent::Received { kind, .. } => {
                    if let Some(value) = select(kind) {
                        return value;
                    }
                }
                OpencodeEvent::Connected => {}
                event @ OpencodeEvent::Disconnected(_) => panic!("{event:?}"),
            }
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, search).await.expect("the event is sent in time")
}

/// Returns the texts of all answers.
pub(crate) fn answer_text(messages: &[Message]) -> String {
    let answers = messages.iter().filter(|message| message.info.role == Role::Assistant);
    let parts = answers.flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match &part.kind {
            skein_opencode::OpencodePartKind::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
