//! A client of the server.

use std::fs::File;
use std::io::{BufRead as _, BufReader, PipeWriter, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skein_fixtures::Fixture;
use skein_mcp::{McpOptions, StartDir, serve};
use skein_workspace::{Env, IdGenerator};

/// Time in which everything has to be answered.
const BOUND: Duration = Duration::from_secs(20);

pub(crate) struct Peer {
    input: Option<PipeWriter>,
    lines: Receiver<Value>,
    server: Option<JoinHandle<()>>,
    last_id: u64,
    /// Messages that were not asked for.
    pub(crate) others: Vec<Value>,
}

impl Peer {
    /// Starts a server in a directory of a fixture, and a client with a name.
    pub(crate) fn new(fixture: &Fixture, dir: &str, client: &str) -> Self {
        let mut peer = Self::without_handshake(fixture.env(dir), false);
        peer.initialize(client, "2025-11-25");
        peer
    }

    pub(crate) fn without_handshake(env: Env, read_only: bool) -> Self {
        let start = StartDir::Given(env.dir.clone());
        Self::start(env, start, read_only)
    }

    pub(crate) fn start(mut env: Env, start: StartDir, read_only: bool) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        // Each process makes ids of its own.
        let seed = COUNT.fetch_add(1, Ordering::Relaxed);
        env.ids = IdGenerator::seeded(&seed.to_string());
        let (input, to_server) = pipe().unwrap();
        let (from_server, output) = pipe().unwrap();
        let file = |end: OwnedFd| File::from(end);
        let (input, output) = (file(input.into()), file(output.into()));
        let options = McpOptions { env, start, read_only, input, output };
        let server = std::thread::spawn(move || serve(options).unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from_server).lines() {
                let Ok(line) = line else { return };
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { input: Some(to_server), lines, server: Some(server), last_id: 0, others: vec![] }
    }

    pub(crate) fn initialize(&mut self, client: &str, version: &str) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version, "capabilities": {},
                "clientInfo": { "name": client, "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a request, and returns its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(format!("{message}\n").as_bytes());
        id
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let is_answer = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(position) = self.others.iter().position(is_answer) {
            return self.others.remove(position);
        }
        loop {
            let message = self.next();
            if is_answer(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        self.lines.recv_timeout(BOUND).expect("an answer in time")
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub(crate) fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool, and returns its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.send_call(tool, arguments);
        text(&self.answer(id))
    }

    /// Ends the input, and returns how long the server needed to end, and what it still sent.
    pub(crate) fn close(mut self) -> (Duration, Vec<Value>) {
        self.input = None;
        let begun = Instant::now();
        self.server.take().unwrap().join().unwrap();
        let took = begun.elapsed();
        (took, self.lines.iter().collect())
    }
}

/// Returns the text of the result of a tool.
#[track_caller]
pub(crate) fn text(answer: &Value) -> String {
    let result = &answer["result"];
    assert!(result.is_object(), "{answer}");
    assert!(result.get("structuredContent").is_none(), "{answer}");
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{answer}");
    let text = content[0]["text"].as_str().unwrap().to_owned();
    let starts_as_error = text.starts_with("Error: ");
    assert_eq!(result["isError"].as_bool().unwrap(), starts_as_error, "{text}");
    text
}
