use std::sync::{Arc, Mutex};

use skein_mattermost::Secret;
use skein_standin::{CannedReply, StandIn};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;

/// A server that passes preferences on to all connections.
struct Server {
    stand_in: StandIn,
    connections: Arc<Mutex<Vec<UnboundedSender<MattermostEvent>>>>,
}

impl Server {
    async fn start() -> Self {
        let connections: Arc<Mutex<Vec<UnboundedSender<MattermostEvent>>>> = Arc::default();
        let receivers = Arc::clone(&connections);
        let stand_in = StandIn::start(move |request| {
            assert_eq!(request.line, "PUT /users/me/preferences");
            let changed: Vec<Preference> = serde_json::from_str(&request.body).unwrap();
            for receiver in receivers.lock().unwrap().iter() {
                // A bridge may have ended.
                drop(receiver.send(MattermostEvent::PreferencesChanged(changed.clone())));
            }
            CannedReply::ok(r#"{"status": "OK"}"#)
        })
        .await;
        Self { stand_in, connections }
    }

    fn connect(&self) -> UnboundedReceiver<MattermostEvent> {
        let (sender, events) = unbounded_channel();
        sender.send(MattermostEvent::Connected { complete: false }).unwrap();
        self.connections.lock().unwrap().push(sender);
        events
    }

    fn presence(&self, id: &str, started: i64) -> Presence {
        let chat = MattermostClient::new(self.stand_in.address(), &Secret::new("token")).unwrap();
        let host = format!("host-{id}");
        let presence = Presence::new(chat, "bot", id.to_owned(), host, started);
        Presence { answer_timeout: Duration::from_millis(500), ..presence }
    }
}

async fn claim(
    presence: &Presence,
    events: &mut UnboundedReceiver<MattermostEvent>,
) -> Result<Vec<MattermostEvent>, BridgeRunError> {
    presence.claim(async || events.recv().await, &|_| {}).await
}

/// Answers claims as a running bridge does, until it has to end.
async fn keep(
    presence: &Presence,
    events: &mut UnboundedReceiver<MattermostEvent>,
) -> BridgeRunError {
    loop {
        if let MattermostEvent::PreferencesChanged(preferences) = events.recv().await.unwrap() {
            match presence.answer(&preferences) {
                Ok(true) => presence.announce().await.unwrap(),
                Ok(false) => {}
                Err(error) => return error,
            }
        }
    }
}

#[tokio::test]
async fn a_bridge_that_is_alone_starts_and_keeps_the_events_that_came() {
    let server = Server::start().await;
    let presence = server.presence("a", 1);
    let mut events = server.connect();
    let posted = MattermostEvent::Edited(skein_mattermost::MattermostPost::default());
    server.connections.lock().unwrap()[0].send(posted.clone()).unwrap();
    let early = claim(&presence, &mut events).await.unwrap();
    assert_eq!(early, [MattermostEvent::Connected { complete: false }, posted]);
    assert_eq!(server.stand_in.requests().len(), 1);
}

#[tokio::test]
async fn a_bridge_that_starts_gives_up_for_one_that_runs() {
    let server = Server::start().await;
    // The clock of the running one is wrong.
    let running = server.presence("a", 9).into_running();
    let mut events = server.connect();
    let keeper = tokio::spawn(async move { keep(&running, &mut events).await });
    let error = claim(&server.presence("b", 2), &mut server.connect()).await.unwrap_err();
    let expected = "another bridge is running with this bot, on the machine host-a";
    assert_eq!(error.to_string(), expected);
    assert!(!keeper.is_finished());
    keeper.abort();
}

#[tokio::test]
async fn of_two_bridges_that_start_at_once_one_remains() {
    let server = Server::start().await;
    let (first, second) = (server.presence("a", 5), server.presence("b", 5));
    let (mut one, mut other) = (server.connect(), server.connect());
    let (first, second) = tokio::join!(claim(&first, &mut one), claim(&second, &mut other));
    first.unwrap();
    assert!(matches!(second, Err(BridgeRunError::OtherBridge { host }) if host == "host-a"));
}

#[tokio::test]
async fn of_two_bridges_that_run_the_later_one_ends() {
    let server = Server::start().await;
    let first = server.presence("a", 1).into_running();
    let second = server.presence("b", 2).into_running();
    let (mut one, mut other) = (server.connect(), server.connect());
    let keeper = tokio::spawn({
        let first = first.clone();
        async move { keep(&first, &mut one).await }
    });
    // It was not connected while the other one started.
    second.announce().await.unwrap();
    let error = keep(&second, &mut other).await;
    assert!(matches!(error, BridgeRunError::OtherBridge { host } if host == "host-a"));
    assert!(!keeper.is_finished());
    keeper.abort();
}

#[tokio::test]
async fn a_server_that_refuses_preferences_is_a_warning() {
    let stand_in = StandIn::start(|_| CannedReply::json(403, "{}")).await;
    let connections = Arc::default();
    let server = Server { stand_in, connections };
    let warnings = Mutex::new(Vec::new());
    let mut events = server.connect();
    let note = |text: &str| warnings.lock().unwrap().push(text.to_owned());
    server.presence("a", 1).claim(async || events.recv().await, &note).await.unwrap();
    assert!(warnings.lock().unwrap()[0].starts_with("Warning: another bridge"));
}
