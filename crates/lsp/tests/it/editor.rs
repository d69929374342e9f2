//! An editor that talks to the server.

use std::fs::File;
use std::io::BufReader;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};
use skein_fixtures::{Fixture, Review, git};
use skein_lsp::{LspOptions, serve};
use skein_workspace::Env;

/// Time that anything may take on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) const CODE: &str = "fn a() {\n    one();\n    two();\n}\n";

/// Creates a repository with the file `w/a.rs`.
pub(crate) fn fixture() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.variables.insert("SKEIN_AUTHOR".to_owned(), "Mira".to_owned());
    fixture.file("w/a.rs", CODE);
    fixture.repository("w");
    fixture
}

/// Adds a thread on the line `    one();`, with these comments.
pub(crate) fn thread(fixture: &Fixture, id: &str, says: &[(&str, &str)]) {
    let commit = git(&fixture.path("w"), &["rev-parse", "HEAD"]);
    let selection = Some("    one();");
    let review = Review { path: "a.rs", lines: Some((1, 1)), selection, says, ..Review::default() };
    let file = fixture.review("w", id, &review);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("\"before\": []", "\"before\": [\"fn a() {\"]");
    let text = text.replace(
        "\"after\": []}",
        "\"after\": [\"    two();\", \"}\"]}, \"git\": {\"baseRef\": \"COMMIT\"}",
    );
    std::fs::write(&file, text.replace("COMMIT", commit.trim())).unwrap();
}

/// What most editors announce.
pub(crate) fn capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-16"] },
        "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
        "window": { "showDocument": { "support": true } },
        "textDocument": { "publishDiagnostics": { "relatedInformation": true } },
    })
}

/// A connection to a server.
pub(crate) struct Editor {
    stream: Option<UnixStream>,
    received: Receiver<Message>,
    /// What was received and not yet looked at.
    pending: Vec<Message>,
    count: i32,
    /// The last marks of a file that were not the expected ones.
    shown: Vec<String>,
    server: Option<JoinHandle<bool>>,
}

impl Editor {
    /// Starts a server without a message.
    pub(crate) fn connect(env: Env) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let file = |stream: &UnixStream| File::from(OwnedFd::from(stream.try_clone().unwrap()));
        let options = LspOptions { env, input: file(&theirs), output: file(&theirs) };
        let server = std::thread::spawn(move || {
            let is_proper = serve(options).unwrap();
            // The reader of the server has a copy of the stream.
            theirs.shutdown(std::net::Shutdown::Both).ok();
            is_proper
        });
        let (sender, received) = channel();
        let mut reader = BufReader::new(ours.try_clone().unwrap());
        std::thread::spawn(move || {
            while let Ok(Some(message)) = Message::read(&mut reader) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            stream: Some(ours),
            received,
            pending: Vec::new(),
            count: 0,
            shown: Vec::new(),
            server: Some(server),
        }
    }

    /// Starts a server for the directory `w`, and waits until it has read the threads.
    pub(crate) fn new(fixture: &Fixture) -> Self {
        Self::with(fixture, capabilities(), "Neovim")
    }

    pub(crate) fn with(fixture: &Fixture, capabilities: Value, name: &str) -> Self {
        let mut editor = Self::connect(fixture.env(""));
        editor.request("initialize", params(fixture, "w", capabilities, name)).unwrap();
        editor.notify("initialized", json!({}));
        editor
    }

    pub(crate) fn send(&mut self, message: Message) {
        message.write(self.stream.as_mut().unwrap()).unwrap();
    }

    pub(crate) fn stream(&mut self) -> &mut UnixStream {
        self.stream.as_mut().unwrap()
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params }.into());
    }

    /// Sends a request, and returns its result or the text of its error.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.count += 1;
        let id = self.count.into();
        self.send(Request { id, method: method.to_owned(), params }.into());
        let id = self.count.into();
        let is_answer =
            |message: &Message| matches!(message, Message::Response(one) if one.id == id);
        let Message::Response(answer) = self.wait(is_answer) else { unreachable!() };
        answer.response_result.map_err(|error| error.message)
    }

    pub(crate) fn command(&mut self, name: &str, arguments: Value) -> Result<(), String> {
        let params = json!({ "command": name, "arguments": arguments });
        self.request("workspace/executeCommand", params).map(drop)
    }

    /// Waits for a message that was not looked at yet.
    #[track_caller]
    pub(crate) fn wait(&mut self, mut is_meant: impl FnMut(&Message) -> bool) -> Message {
        let end = Instant::now() + TIMEOUT;
        if let Some(at) = self.pending.iter().position(&mut is_meant) {
            return self.pending.remove(at);
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(message) = self.received.recv_timeout(left) else {
                panic!(
                    "not received; there are {:#?}, and the last marks were {:?}",
                    self.pending, self.shown
                );
            };
            if is_meant(&message) {
                return message;
            }
            self.pending.push(message);
        }
    }

    /// Waits for a notification with this method, and returns its parameters.
    #[track_caller]
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        let is_meant = |message: &Message| matches!(message, Message::Notification(one) if one.method == method);
        let Message::Notification(one) = self.wait(is_meant) else { unreachable!() };
        one.params
    }

    /// Returns whether a notification with this method was received and not looked at.
    pub(crate) fn has_received(&self, method: &str) -> bool {
        self.pending
            .iter()
            .any(|message| matches!(message, Message::Notification(one) if one.method == method))
    }

    /// Waits for a request with this method, answers it, and returns its parameters.
    #[track_caller]
    pub(crate) fn answer(&mut self, method: &str, result: Value) -> Value {
        let is_meant =
            |message: &Message| matches!(message, Message::Request(one) if one.method == method);
        let Message::Request(one) = self.wait(is_meant) else { unreachable!() };
        self.send(Response { id: one.id, response_result: Ok(result) }.into());
        one.params
    }

    /// Waits until the marks of a file, one line of text each, are these.
    #[track_caller]
    pub(crate) fn marks(&mut self, uri: &str, expected: &[&str]) {
        loop {
            let params = self.notification("textDocument/publishDiagnostics");
            if params["uri"] != uri {
                continue;
            }
            let marks: Vec<String> =
                params["diagnostics"].as_array().unwrap().iter().map(line).collect();
            if marks == expected {
                return;
            }
            self.shown = marks;
        }
    }

    /// Waits for a text in a message for the user.
    #[track_caller]
    pub(crate) fn message(&mut self) -> String {
        self.notification("window/showMessage")["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "x", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range given by lines and columns.
    pub(crate) fn change(
        &mut self,
        uri: &str,
        version: i32,
        (start, end): ((u32, u32), (u32, u32)),
        text: &str,
    ) {
        let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let range = json!({ "start": at(start), "end": at(end) });
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn save(&mut self, uri: &str) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    /// Returns the titles and the commands of the actions on a line.
    pub(crate) fn actions(&mut self, uri: &str, line: u32) -> Vec<(String, Value)> {
        let at = json!({ "line": line, "character": 0 });
        let params = json!({
            "textDocument": { "uri": uri },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [] },
        });
        let found = self.request("textDocument/codeAction", params).unwrap();
        let action =
            |one: &Value| (one["title"].as_str().unwrap().to_owned(), one["command"].clone());
        found.as_array().unwrap().iter().map(action).collect()
    }

    /// Executes the action whose title starts with a text.
    #[track_caller]
    pub(crate) fn act(&mut self, uri: &str, line: u32, title: &str) -> Result<(), String> {
        let actions = self.actions(uri, line);
        let found = actions.iter().find(|(name, _)| name.starts_with(title));
        let Some((_, command)) = found else { panic!("{title} is not among {actions:?}") };
        self.command(command["command"].as_str().unwrap(), command["arguments"].clone())
    }

    /// Closes the connection, and returns what the server ended with.
    pub(crate) fn end(mut self) -> bool {
        let stream = self.stream.take().unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        self.server.take().unwrap().join().unwrap()
    }

    /// Waits for the end of the server.
    pub(crate) fn ended(mut self) -> bool {
        self.server.take().unwrap().join().unwrap()
    }
}

pub(crate) fn params(fixture: &Fixture, dir: &str, capabilities: Value, name: &str) -> Value {
    let folder = json!({ "uri": uri(fixture, dir), "name": dir });
    json!({
        "processId": null,
        "clientInfo": { "name": name },
        "capabilities": capabilities,
        "workspaceFolders": [folder],
    })
}

pub(crate) fn uri(fixture: &Fixture, name: &str) -> String {
    format!("file://{}", fixture.path(name).display())
}

/// Returns a mark as `1:4-1:10 message`.
fn line(mark: &Value) -> String {
    let at = |end: &str| {
        let at = &mark["range"][end];
        format!("{}:{}", at["line"], at["character"])
    };
    format!("{}-{} {}", at("start"), at("end"), mark["message"].as_str().unwrap())
}
