//! Compares what a real server sends with the recording against which the stand-in is checked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skein_opencode::{MessageId, SessionId};
use skein_standin::{OPENCODE, Recorder};
use tokio::task::JoinHandle;

use super::server::{Server, new_message_id, poll, unique_word};

/// The events that the client reads.
const EVENTS: &[&str] = &[
    "message.part.delta",
    "message.part.removed",
    "message.part.updated",
    "message.removed",
    "message.updated",
    "permission.asked",
    "permission.replied",
    "question.asked",
    "question.rejected",
    "question.replied",
    "server.connected",
    "server.heartbeat",
    "session.compacted",
    "session.created",
    "session.deleted",
    "session.error",
    "session.idle",
    "session.status",
    "session.updated",
    "todo.updated",
];
const PICTURE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A session of its own, and what the server sends about it.
struct RecordedSession {
    server: Server,
    http: reqwest::Client,
    recorder: Recorder,
    session: SessionId,
    events: Arc<Mutex<Vec<Value>>>,
    reader: JoinHandle<()>,
}

impl RecordedSession {
    async fn start() -> Self {
        let server = Server::find();
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        let events = Arc::new(Mutex::new(Vec::new()));
        let response = http.get(format!("{}/global/event", server.address())).send().await;
        let mut response = response.unwrap();
        let log = Arc::clone(&events);
        let reader = tokio::spawn(async move {
            let mut bytes = Vec::new();
            while let Ok(Some(chunk)) = response.chunk().await {
                bytes.extend_from_slice(&chunk);
                while let Some(end) = bytes.windows(2).position(|pair| pair == b"\n\n") {
                    let rest = bytes.split_off(end + 2);
                    let event = std::mem::replace(&mut bytes, rest);
                    let event = event.strip_prefix(b"data: ").unwrap();
                    log.lock().unwrap().push(serde_json::from_slice(event).unwrap());
                }
            }
        });
        let recorder = Recorder::new(&OPENCODE);
        let session = SessionId::new("");
        let mut recorded = Self { server, http, recorder, session, events, reader };
        poll(|| async { recorded.has_event("server.connected").then_some(()) }).await;
        // With and without what is optional.
        for body in [json!({}), json!({"title": "Recorded", "metadata": {"key": "value"}})] {
            let session = recorded.call("POST /session", &[], &body).await;
            recorded.session = SessionId::new(session["id"].as_str().unwrap());
            recorded.record_session().await;
        }
        recorded
    }

    fn has_event(&self, text: &str) -> bool {
        self.own_events().iter().any(|event| event.to_string().contains(text))
    }

    /// Returns the events about the session and about the server. The server also sends what other tests do.
    fn own_events(&self) -> Vec<Value> {
        let is_own = |event: &&Value| {
            let name = event["payload"]["type"].as_str().unwrap_or_default();
            let is_of_session =
                event["payload"]["properties"].to_string().contains(self.session.as_str());
            EVENTS.contains(&name) && (name.starts_with("server.") || is_of_session)
        };
        self.events.lock().unwrap().iter().filter(is_own).cloned().collect()
    }

    /// Sends a request whose path has `{}` for each of the ids, and records the response. Of a list only what is of the
    /// session remains.
    async fn call(&mut self, line: &str, ids: &[&str], body: &Value) -> Value {
        let (method, path) = line.split_once(' ').unwrap();
        let path = ids.iter().fold(path.to_owned(), |path, id| path.replacen("{}", id, 1));
        let url = format!("{}{path}", self.server.address());
        let request = self.http.request(method.parse().unwrap(), url);
        let request = request.query(&[("directory", &self.server.directory)]);
        let request = if body.is_null() { request } else { request.json(body) };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let mut body: Value = response.json().await.unwrap();
        if matches!(line, "GET /session" | "GET /permission" | "GET /question") {
            let items = body.as_array_mut().unwrap();
            items.retain(|item| item.to_string().contains(self.session.as_str()));
            assert!(!items.is_empty(), "{line}");
        } else if line == "GET /session/status" {
            body.as_object_mut().unwrap().retain(|id, _| id == self.session.as_str());
        }
        self.recorder.response(line.split('?').next().unwrap(), status, &body);
        body
    }

    /// Sends a request about the session without a body.
    async fn get(&mut self, line: &str) -> Value {
        let session = self.session.to_string();
        self.call(line, &[&session], &Value::Null).await
    }

    async fn record_session(&mut self) {
        self.get("GET /session/{}").await;
        self.call("GET /session", &[], &Value::Null).await;
        let session = self.session.to_string();
        self.call("PATCH /session/{}", &[&session], &json!({"title": "Recorded"})).await;
    }

    async fn prompt(&self, text: &str) -> MessageId {
        self.server.prompt(&self.session, text).await
    }

    async fn ask(&self, text: &str) -> MessageId {
        let id = self.prompt(text).await;
        self.server.answered(&self.session, &id).await;
        id
    }

    /// Waits for something that the session is waiting for, and returns its id.
    async fn open(&mut self, line: &str) -> String {
        let name = line.trim_start_matches("GET /");
        poll(|| async {
            let url = format!("{}/{name}", self.server.address());
            let request = self.http.get(url).query(&[("directory", &self.server.directory)]);
            let open: Value = request.send().await.unwrap().json().await.unwrap();
            open.to_string().contains(self.session.as_str()).then_some(())
        })
        .await;
        self.call(line, &[], &Value::Null).await[0]["id"].as_str().unwrap().to_owned()
    }

    /// Waits until the session does nothing.
    async fn idle(&self) {
        poll(|| async {
            let statuses = self.server.client.statuses(&self.server.directory).await.unwrap();
            (!statuses.contains_key(&self.session)).then_some(())
        })
        .await;
    }
}

async fn record_tools(recorded: &mut RecordedSession) {
    let null = Value::Null;
    recorded.ask("REASON about lamps").await;
    recorded.ask("TOOL read README.md").await;
    recorded.ask("TOOL todowrite first thing, second thing").await;
    recorded.get("GET /session/{}/todo").await;

    let file = unique_word();
    let prompt = recorded.prompt(&format!("TOOL write {file} one two")).await;
    let permission = recorded.open("GET /permission").await;
    let once = json!({"reply": "once"});
    recorded.call("POST /permission/{}/reply", &[&permission], &once).await;
    recorded.call("POST /permission/{}/reply", &[&permission], &once).await;
    recorded.server.answered(&recorded.session, &prompt).await;
    poll(|| async {
        let (client, directory) = (&recorded.server.client, &recorded.server.directory);
        client.diff(directory, &recorded.session, &prompt).await.unwrap().pop()
    })
    .await;
    let ids = [recorded.session.to_string(), prompt.to_string()];
    let ids = [ids[0].as_str(), ids[1].as_str()];
    recorded.call("GET /session/{}/diff?messageID={}", &ids, &null).await;
    recorded.call("GET /session/{}/message/{}", &ids, &null).await;
}

async fn record_questions(recorded: &mut RecordedSession) {
    let prompt = recorded.prompt("TOOL question Which colour? red, green").await;
    let question = recorded.open("GET /question").await;
    let answers = json!({"answers": [["green"]]});
    recorded.call("POST /question/{}/reply", &[&question], &answers).await;
    recorded.call("POST /question/{}/reply", &[&question], &answers).await;
    recorded.server.answered(&recorded.session, &prompt).await;
    recorded.prompt("TOOL question Which shape? round, square").await;
    let question = recorded.open("GET /question").await;
    recorded.call("POST /question/{}/reject", &[&question], &Value::Null).await;
    recorded.idle().await;
}

async fn record_faults(recorded: &mut RecordedSession) {
    let null = Value::Null;
    let session = recorded.session.to_string();
    recorded.ask("ERROR 400").await;
    recorded.idle().await;
    recorded.prompt("ERROR 503").await;
    poll(|| async { recorded.has_event("\"retry\"").then_some(()) }).await;
    recorded.get("GET /session/status").await;
    recorded.get("POST /session/{}/abort").await;
    recorded.idle().await;
    let prompt = recorded.prompt("SLOW 400 50").await;
    poll(|| async { recorded.has_event("word2").then_some(()) }).await;
    recorded.get("GET /session/status").await;
    recorded.get("POST /session/{}/abort").await;
    recorded.server.answered(&recorded.session, &prompt).await;
    recorded.idle().await;
    let missing = new_message_id("missing").to_string();
    recorded.call("GET /session/{}/message/{}", &[&session, &missing], &null).await;
    let body = json!({"command": "unknown", "arguments": ""});
    recorded.call("POST /session/{}/command", &[&session], &body).await;
}

async fn record_messages(recorded: &mut RecordedSession) {
    let session = recorded.session.to_string();
    let body = json!({"command": "repeat", "arguments": "these words"});
    recorded.call("POST /session/{}/command", &[&session], &body).await;
    let id = new_message_id("picture");
    let file = json!({"type": "file", "mime": "image/png", "filename": "dot.png", "url": PICTURE});
    let body = json!({"messageID": id, "parts": [{"type": "text", "text": "see"}, file]});
    let answer = recorded.call("POST /session/{}/message", &[&session], &body).await;
    let messages = recorded.get("GET /session/{}/message").await;
    assert!(messages.as_array().unwrap().len() > 10);
    let answer =
        (answer["info"]["id"].as_str().unwrap(), answer["parts"][0]["id"].as_str().unwrap());
    let ids = [session.as_str(), answer.0, answer.1];
    recorded.call("DELETE /session/{}/message/{}/part/{}", &ids, &Value::Null).await;
    recorded.call("DELETE /session/{}/message/{}", &ids, &Value::Null).await;
    recorded.call("POST /session/{}/fork", &[&session], &json!({})).await;
    let body = json!({"providerID": "scripted", "modelID": "one"});
    recorded.call("POST /session/{}/summarize", &[&session], &body).await;
    recorded.idle().await;
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn the_server_sends_what_is_recorded() {
    let mut recorded = RecordedSession::start().await;
    for line in ["GET /config/providers", "GET /agent", "GET /command", "GET /global/health"] {
        recorded.call(line, &[], &Value::Null).await;
    }
    record_tools(&mut recorded).await;
    record_questions(&mut recorded).await;
    record_faults(&mut recorded).await;
    record_messages(&mut recorded).await;
    let session = recorded.session.to_string();
    recorded.call("PATCH /session/{}", &[&session], &json!({"time": {"archived": 5}})).await;
    recorded.record_session().await;
    recorded.get("DELETE /session/{}").await;
    recorded.get("GET /session/{}").await;
    for name in EVENTS {
        poll(|| async { recorded.has_event(&format!("\"type\":\"{name}\"")).then_some(()) }).await;
    }
    recorded.reader.abort();
    let events = recorded.own_events();
    let mut recorder = recorded.recorder;
    events.iter().for_each(|event| recorder.event(event));
    recorder.finish();
}
