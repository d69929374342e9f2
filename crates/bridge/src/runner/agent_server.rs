//! Keeps a connection to OpenCode: a server that runs elsewhere, or one of the bridge's own.

use std::time::Duration;

use skein_opencode::{
    ChildServer, EventKind, EventSettings, OpencodeClient, OpencodeError, OpencodeEvent,
    OpencodeEvents, ServerCommand,
};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::from_agent::{agent_event, whole_permission};
use crate::core::input::AgentEvent;

/// How long to wait before a server that ended is started again.
const RESTART_INTERVAL: Duration = Duration::from_secs(3);

/// How long a connected server has to say its version. Without an answer it is used.
const VERSION_TIMEOUT: Duration = Duration::from_secs(2);
const ONLY_VERSION_1: &str = " Only OpenCode 1 is supported.";

/// Where OpenCode is.
#[derive(Debug)]
pub(crate) enum AgentSource {
    /// The bridge starts it and restarts it when it ends.
    Child(ServerCommand),
    Running(OpencodeClient),
}

/// What the runner gets.
#[derive(Debug)]
pub(super) enum AgentInput {
    Event {
        directory: Option<String>,
        event: Box<AgentEvent>,
    },
    /// A message for the user of the terminal.
    Note(String),
}

/// Follows the events of OpenCode until the receiver is gone. `client` has the client while there is a server.
///
/// `run` is the id of this run of the bridge.
pub(super) async fn follow_agent(
    source: AgentSource,
    run: String,
    client: watch::Sender<Option<OpencodeClient>>,
    inputs: mpsc::Sender<AgentInput>,
) {
    let host = match source {
        AgentSource::Running(_) => String::new(),
        AgentSource::Child(_) => format!("{run}."),
    };
    let mut follower =
        Follower { client, inputs, host, restarts: None, is_connected: false, is_down: false };
    match source {
        AgentSource::Running(client) => {
            let mut events = client.events(EventSettings::default());
            follower.client.send_replace(Some(client));
            while follower.pass_on(&mut events).await.is_some() {}
        }
        AgentSource::Child(command) => while follower.run_child(&command).await.is_some() {},
    }
}

struct Follower {
    client: watch::Sender<Option<OpencodeClient>>,
    inputs: mpsc::Sender<AgentInput>,
    /// The start of the names of all instances. It differs between runs of the bridge if each run has its own server.
    host: String,
    /// How often the server was seen to be started again, since the first connection.
    restarts: Option<u32>,
    is_connected: bool,
    /// Whether there was no server since the last connection.
    is_down: bool,
}

impl Follower {
    /// Starts a server and follows it to its end; `None` if the receiver is gone.
    async fn run_child(&mut self, command: &ServerCommand) -> Option<()> {
        let started = tokio::select! {
            () = self.inputs.closed() => return None,
            started = ChildServer::start(command) => started,
        };
        match started {
            Ok(mut child) => {
                let mut events = child.client().events(EventSettings::default());
                self.client.send_replace(Some(child.client().clone()));
                let ended = loop {
                    tokio::select! {
                        passed = self.pass_on(&mut events) => {
                            if passed.is_none() {
                                // The bridge ends. An error means that the child has ended already.
                                drop(child.stop().await);
                                return None;
                            }
                        }
                        status = child.wait() => break status,
                    }
                };
                self.client.send_replace(None);
                self.is_down = true;
                let status =
                    ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                self.note(format!("OpenCode ended ({status}) and is started again.")).await?;
                self.disconnect().await?;
            }
            Err(error) => self.note(format!("OpenCode cannot be started: {error}")).await?,
        }
        tokio::select! {
            () = self.inputs.closed() => None,
            () = sleep(RESTART_INTERVAL) => Some(()),
        }
    }

    /// Passes the next event on; `None` if the receiver is gone, also while no event comes.
    async fn pass_on(&mut self, events: &mut OpencodeEvents) -> Option<()> {
        let event = tokio::select! {
            () = self.inputs.closed() => return None,
            event = events.next() => event?,
        };
        match event {
            OpencodeEvent::Connected => {
                if let Some(refusal) = self.refused_version().await {
                    // Nothing is sent to it. It can be replaced while the bridge runs, and connects again then.
                    return self.note(format!("OpenCode: {refusal}")).await;
                }
                self.is_connected = true;
                let is_new = std::mem::take(&mut self.is_down);
                let restarts = self.restarts.map_or(0, |restarts| restarts + u32::from(is_new));
                self.restarts = Some(restarts);
                // A server has no id. One of others that was started again while no bridge ran counts as the same:
                // what it does not have then, it has never acted on.
                let instance = format!("{}{restarts}", self.host);
                self.send(None, AgentEvent::Connected { instance }).await
            }
            OpencodeEvent::Received { directory, kind: EventKind::PermissionAsked(permission) } => {
                let client = self.client.borrow().clone();
                let request =
                    whole_permission(client.as_ref(), directory.as_deref(), &permission).await;
                self.send(directory, AgentEvent::Asked(request)).await
            }
            OpencodeEvent::Received { directory, kind } => match agent_event(kind) {
                Some(event) => self.send(directory, event).await,
                None => Some(()),
            },
            OpencodeEvent::Disconnected(error) => {
                tracing::info!("the events of OpenCode ended: {error}");
                self.is_down |= error.is_undelivered();
                if self.restarts.is_none() {
                    let is_other =
                        !error.is_temporary() && !matches!(error, OpencodeError::Unauthorized);
                    let hint = if is_other { ONLY_VERSION_1 } else { "" };
                    self.note(format!("OpenCode: {error}; trying again.{hint}")).await?;
                }
                self.disconnect().await
            }
        }
    }

    /// Returns why the server cannot be used, if it says that its version is another one.
    async fn refused_version(&self) -> Option<OpencodeError> {
        let client = self.client.borrow().clone()?;
        let version = client.supported_version(VERSION_TIMEOUT).await;
        version.err().filter(|error| matches!(error, OpencodeError::Version { .. }))
    }

    async fn disconnect(&mut self) -> Option<()> {
        if !self.is_connected {
            return Some(());
        }
        self.is_connected = false;
        self.send(None, AgentEvent::Disconnected).await
    }

    async fn send(&self, directory: Option<String>, event: AgentEvent) -> Option<()> {
        self.inputs.send(AgentInput::Event { directory, event: Box::new(event) }).await.ok()
    }

    async fn note(&self, text: String) -> Option<()> {
        self.inputs.send(AgentInput::Note(text)).await.ok()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Duration;

    use super::{AgentInput, AgentSource, follow_agent};
    use crate::core::input::{AgentEvent, RequestKind};
    use serde_json::json;
    use skein_opencode::{OpencodeClient, Password, ServerCommand};
    use skein_standin::{CannedReply, StandIn};
    use tokio::sync::{mpsc, watch};

    /// Accepts a connection, announces the stream of events, and sends none.
    fn serve_silence(listener: &TcpListener) {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        assert!(stream.read(&mut request).unwrap() > 0);
        let event = "data: {\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}\n\n";
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        stream.write_all(format!("{head}{event}").as_bytes()).unwrap();
        // Until the client closes the connection.
        assert!(stream.read(&mut request).is_ok());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_follower_ends_with_its_receiver_while_no_event_comes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || serve_silence(&listener));
        let (clients, _client) = watch::channel(None);
        let (sender, mut inputs) = mpsc::channel(1);
        let source = AgentSource::Running(OpencodeClient::new(&address, None).unwrap());
        let follower = tokio::spawn(follow_agent(source, "run".to_owned(), clients, sender));
        assert!(matches!(inputs.recv().await, Some(AgentInput::Event { .. })));
        drop(inputs);
        let ended = tokio::time::timeout(Duration::from_secs(20), follower).await;
        assert!(ended.is_ok(), "the follower still runs");
        server.join().unwrap();
    }

    /// Returns the name of the first instance that a run of the bridge sees.
    async fn first_instance(source: AgentSource, run: &str) -> String {
        let (clients, _client) = watch::channel(None);
        let (sender, mut inputs) = mpsc::channel(1);
        let follower = tokio::spawn(follow_agent(source, run.to_owned(), clients, sender));
        let instance = loop {
            if let AgentInput::Event { event, .. } = inputs.recv().await.unwrap()
                && let AgentEvent::Connected { instance } = *event
            {
                break instance;
            }
        };
        drop(inputs);
        follower.await.unwrap();
        instance
    }

    #[tokio::test]
    async fn a_bridge_notices_that_its_own_server_is_another_after_its_restart() {
        let server = StandIn::start(|request| match request.line.as_str() {
            "GET /global/health" => CannedReply::ok(r#"{"healthy":true,"version":"1.18.33"}"#),
            _ => {
                let connected = json!({"payload": {"type": "server.connected", "properties": {}}});
                CannedReply::stream([skein_standin::event(&connected).as_bytes()], true)
            }
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let (source, program) = (dir.path().join("source"), dir.path().join("opencode"));
        let text = format!("#!/bin/sh\necho listening on {}\nexec sleep 1000\n", server.address());
        std::fs::write(&source, text).unwrap();
        std::fs::set_permissions(&source, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(&source, &program).unwrap();
        let own = || {
            AgentSource::Child(ServerCommand {
                program: program.clone(),
                directory: dir.path().to_owned(),
                environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
                password: Password::new("secret"),
            })
        };
        assert_ne!(first_instance(own(), "a").await, first_instance(own(), "b").await);
        let other = || AgentSource::Running(OpencodeClient::new(server.address(), None).unwrap());
        assert_eq!(first_instance(other(), "a").await, first_instance(other(), "b").await);
    }

    /// Returns the permission that the follower passes on for an event that has no command.
    async fn passed_permission(message: Option<&'static str>) -> RequestKind {
        let server = StandIn::start(move |request| match request.path() {
            "GET /session/ses_1/message/msg_2" => match message {
                Some(message) => CannedReply::unrecorded(200, "", message),
                None => CannedReply::unrecorded(500, "", "{}"),
            },
            _ => {
                let connected = json!({"payload": {"type": "server.connected", "properties": {}}});
                let asked = json!({"directory": "/src", "payload": {"type": "permission.asked", "properties": {
                    "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["cat a"],
                    "always": ["cat *"], "metadata": {},
                    "tool": {"messageID": "msg_2", "callID": "call_1"}}}});
                let events = [&connected, &asked].map(skein_standin::event);
                CannedReply::stream(events.iter().map(String::as_bytes), true)
            }
        })
        .await;
        let (clients, _client) = watch::channel(None);
        let (sender, mut inputs) = mpsc::channel(1);
        let source = AgentSource::Running(OpencodeClient::new(server.address(), None).unwrap());
        let follower = tokio::spawn(follow_agent(source, "run".to_owned(), clients, sender));
        let kind = loop {
            if let AgentInput::Event { event, .. } = inputs.recv().await.unwrap()
                && let AgentEvent::Asked(request) = *event
            {
                break request.kind;
            }
        };
        drop(inputs);
        follower.await.unwrap();
        kind
    }

    #[tokio::test]
    async fn a_permission_has_the_command_of_its_call_or_says_that_it_is_not_whole() {
        const MESSAGE: &str = r#"{"info": {"id": "msg_2", "sessionID": "ses_1", "role": "assistant",
            "parentID": "msg_1", "time": {"created": 1}}, "parts": [{"id": "prt_1", "sessionID": "ses_1",
            "messageID": "msg_2", "type": "tool", "callID": "call_1", "tool": "bash", "state": {"status": "running",
            "input": {"command": "cat a | sh > b"}, "time": {"start": 1}}}]}"#;
        let shown = |kind: RequestKind| match kind {
            RequestKind::Permission { command, is_partial, .. } => (command, is_partial),
            kind @ RequestKind::Questions(_) => panic!("{kind:?}"),
        };
        let whole = shown(passed_permission(Some(MESSAGE)).await);
        assert_eq!(whole, ("cat a | sh > b".to_owned(), false));
        assert_eq!(shown(passed_permission(None).await), ("cat a".to_owned(), true));
    }

    #[tokio::test]
    async fn a_running_server_of_another_version_is_named_and_not_used() {
        let server = StandIn::start(|request| match request.line.as_str() {
            "GET /global/health" => {
                CannedReply::unrecorded(200, "", r#"{"healthy":true,"version":"2.0.1"}"#)
            }
            _ => {
                let connected = json!({"payload": {"type": "server.connected", "properties": {}}});
                CannedReply::stream([skein_standin::event(&connected).as_bytes()], true)
            }
        })
        .await;
        let (clients, _client) = watch::channel(None);
        let (sender, mut inputs) = mpsc::channel(1);
        let source = AgentSource::Running(OpencodeClient::new(server.address(), None).unwrap());
        let follower = tokio::spawn(follow_agent(source, "run".to_owned(), clients, sender));
        let Some(AgentInput::Note(text)) = inputs.recv().await else { panic!("it is used") };
        assert!(text.starts_with("OpenCode: OpenCode 2.0.1 is not supported"), "{text}");
        drop(inputs);
        follower.await.unwrap();
    }
}
