//! Answers the messages of an editor.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};
use skein_catalog::ThreadRef;
use skein_model::view::ThreadView;
use skein_workspace::Env;
use skein_workspace::agent_names::{AGENT, is_agent_variable};

use crate::buffer::Change;
use crate::client::Client;
use crate::command_names::COMMANDS;
use crate::comment_file::{CommentFile, POLL_INTERVAL, TAKE_OVER_INTERVAL};
use crate::document::{Documents, file_of};
use crate::failure::Failure;
use crate::folder::{Folder, LoadedFolder};
use crate::input::Input;
use crate::pending_request::PendingRequest;
use crate::protocol::{member, text};
use crate::publisher::{FileMarks, Publisher};
use crate::uri;

/// Time between two checks that the editor still runs.
const EDITOR_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The state of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// The server: what is open in the editor, and what it was sent.
pub(crate) struct Server {
    pub(crate) env: Env,
    sender: Sender<Input>,
    pub(crate) out: Sender<Message>,
    phase: Phase,
    pub(crate) client: Client,
    pub(crate) folders: Vec<Folder>,
    folder_count: u64,
    pub(crate) documents: Documents,
    publisher: Publisher,
    pub(crate) comment_files: Vec<CommentFile>,
    next_file_check: Option<Instant>,
    /// When to look for the files of other servers; none before threads are read.
    next_take_over: Option<Instant>,
    /// Suggestions that the editor has made, in files that are not saved yet.
    pub(crate) applied: Vec<(ThreadRef, PathBuf)>,
    pub(crate) pending: BTreeMap<i32, PendingRequest>,
    pub(crate) request_count: i32,
    next_check: Option<Instant>,
}

impl Server {
    pub(crate) fn new(mut env: Env, sender: Sender<Input>, out: Sender<Message>) -> Self {
        // A person uses the editor, also if it was started in the terminal of an agent.
        env.variables.retain(|name, _| !is_agent_variable(name) && name != AGENT);
        Self {
            env,
            sender,
            out,
            phase: Phase::New,
            client: Client::default(),
            folders: Vec::new(),
            folder_count: 0,
            documents: Documents::default(),
            publisher: Publisher::default(),
            comment_files: Vec::new(),
            next_file_check: None,
            next_take_over: None,
            applied: Vec::new(),
            pending: BTreeMap::new(),
            request_count: 0,
            next_check: None,
        }
    }

    /// Returns when there is something to do without a message.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let file = self.next_file_check.filter(|_| !self.comment_files.is_empty());
        let times = [self.documents.next_due(), file, self.next_take_over, self.next_check];
        times.into_iter().flatten().min()
    }

    /// Does what is due.
    pub(crate) fn work(&mut self) {
        let due = self.documents.due(Some(Instant::now()));
        if !due.is_empty() {
            self.guarded(|server| server.place(&due));
        }
        let is_due = |next: Option<Instant>| next.is_none_or(|next| next <= Instant::now());
        if self.next_take_over.is_some() && is_due(self.next_take_over) {
            self.next_take_over = Some(Instant::now() + TAKE_OVER_INTERVAL);
            self.guarded(Self::take_over_comment_files);
        }
        if !self.comment_files.is_empty() && is_due(self.next_file_check) {
            self.next_file_check = Some(Instant::now() + POLL_INTERVAL);
            self.guarded(|server| server.send_comment_files(false));
        }
    }

    /// Returns whether the process of the editor has ended without closing its end.
    pub(crate) fn has_lost_editor(&mut self) -> bool {
        let Some(process) = self.client.process else { return false };
        if self.next_check.is_some_and(|next| next > Instant::now()) {
            return false;
        }
        self.next_check = Some(Instant::now() + EDITOR_POLL_INTERVAL);
        !skein_delivery::is_alive(process)
    }

    /// Sends what the user has saved, and removes the files that are no longer needed.
    pub(crate) fn end(&mut self) {
        self.guarded(|server| server.send_comment_files(true));
        self.guarded(|server| server.comment_files.drain(..).for_each(CommentFile::finish));
        self.next_take_over = None;
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.phase == Phase::ShutDown
    }

    pub(crate) fn handle(&mut self, input: Input) {
        self.guarded(|server| server.dispatch(input));
    }

    fn dispatch(&mut self, input: Input) {
        match input {
            Input::Message(Message::Request(request)) => self.answer(request),
            Input::Message(Message::Notification(notification)) => self.notice(&notification),
            Input::Message(Message::Response(response)) => {
                let id = response.id.to_string().parse().unwrap_or_default();
                if let Some(pending) = self.pending.remove(&id) {
                    self.receive(pending, response.response_result.ok());
                }
            }
            Input::Invalid(message) => self.log(&format!("This message was ignored: {message}")),
            Input::Loaded(number, live, actor) => {
                let loaded = LoadedFolder::new(live, actor);
                let root = &loaded.root;
                let others = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
                let is_known = others.into_iter().any(|other| other.root == *root);
                let folder = self.folders.iter_mut().find(|folder| folder.number == number);
                // Two folders of one repository have the same threads.
                if let Some(folder) = folder.filter(|_| !is_known) {
                    folder.loaded = Some(loaded);
                    // The files that were left for it.
                    self.next_take_over = (self.phase == Phase::Running).then(Instant::now);
                    self.expire();
                }
            }
            Input::Changed(number) => {
                let folder = self.folders.iter_mut().find(|folder| folder.number == number);
                if let Some(loaded) = folder.and_then(|folder| folder.loaded.as_mut()) {
                    loaded.refresh();
                    self.expire();
                }
            }
            Input::End => {}
        }
    }

    /// Does something; a bug in it is reported to the editor, and the server goes on.
    fn guarded(&mut self, action: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| action(self))).is_err() {
            self.log("A bug of Skein: a message was not handled; its log is on standard error");
        }
    }

    fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let done = catch_unwind(AssertUnwindSafe(|| self.result(&method, &params)));
        let failed = || error(ErrorCode::InternalError, "a bug of Skein".to_owned());
        let response_result = done.unwrap_or_else(|_| Err(failed()));
        self.send(Response { id, response_result }.into());
    }

    /// Answers a request that the editor has cancelled before it was handled.
    pub(crate) fn refuse_cancelled(&self, id: RequestId) {
        let response_result = Err(error(ErrorCode::RequestCanceled, "cancelled".to_owned()));
        self.send(Response { id, response_result }.into());
    }

    fn result(&mut self, method: &str, params: &Value) -> Result<Value, ResponseError> {
        match (self.phase, method) {
            (Phase::New, "initialize") => return Ok(self.initialize(params)),
            (Phase::New, _) => {
                let message = "the first request must be initialize".to_owned();
                return Err(error(ErrorCode::ServerNotInitialized, message));
            }
            (Phase::ShutDown, _) => {
                let message = "the server was shut down".to_owned();
                return Err(error(ErrorCode::InvalidRequest, message));
            }
            (Phase::Running, _) => {}
        }
        Ok(match method {
            "shutdown" => {
                self.end();
                self.phase = Phase::ShutDown;
                Value::Null
            }
            "textDocument/hover" => self.hover(params).unwrap_or_default(),
            "textDocument/codeAction" => self.code_actions(params).unwrap_or_else(|| json!([])),
            "textDocument/codeLens" => self.code_lenses(params).unwrap_or_else(|| json!([])),
            "workspace/executeCommand" => {
                let name = text(params, "/command").unwrap_or_default();
                let arguments: Vec<Value> = member(params, "/arguments").unwrap_or_default();
                self.place_pending();
                self.execute(name, &arguments)
                    .map_err(|Failure(message)| error(ErrorCode::RequestFailed, message))?;
                Value::Null
            }
            _ => {
                let message = format!("this server has no method {method}");
                return Err(error(ErrorCode::MethodNotFound, message));
            }
        })
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.client = Client::new(params);
        self.phase = Phase::Running;
        let folders: Vec<Value> = member(params, "/workspaceFolders").unwrap_or_default();
        let mut dirs: Vec<PathBuf> = folders.iter().filter_map(folder_path).collect();
        if dirs.is_empty() {
            let root = text(params, "/rootUri").and_then(uri::to_path);
            dirs.push(root.unwrap_or_else(|| self.env.dir.clone()));
        }
        for dir in dirs {
            self.open_folder(dir);
        }
        json!({
            "capabilities": {
                "positionEncoding": self.client.encoding,
                "textDocumentSync": { "openClose": true, "change": 2, "save": true },
                "hoverProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix", "source"] },
                "codeLensProvider": { "resolveProvider": false },
                "executeCommandProvider": { "commands": COMMANDS },
                "workspace": {
                    "workspaceFolders": { "supported": true, "changeNotifications": true },
                },
            },
            "serverInfo": { "name": "skein", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn open_folder(&mut self, dir: PathBuf) {
        if self.folders.iter().any(|folder| folder.is_at(&dir)) {
            return;
        }
        self.folder_count += 1;
        let sender = self.sender.clone();
        self.folders.push(Folder::open(self.folder_count, dir, &self.env, sender));
    }

    fn notice(&mut self, notification: &Notification) {
        let Notification { method, params } = notification;
        let address = text(params, "/textDocument/uri");
        match (method.as_str(), address) {
            ("textDocument/didOpen", Some(address)) => {
                let version = member(params, "/textDocument/version").unwrap_or_default();
                let text = member(params, "/textDocument/text").unwrap_or_default();
                self.documents.open(address, version, text);
            }
            ("textDocument/didChange", Some(address)) => {
                let encoding = self.client.encoding;
                let changes: Option<Vec<Change>> = member(params, "/contentChanges");
                let version = member(params, "/textDocument/version");
                let Some(changes) = changes else {
                    // Without this change, the text would be another one than in the editor.
                    self.documents.close(address);
                    self.log("A change of a text was not understood; open the file again");
                    return;
                };
                if let Some(document) = self.documents.get_mut(address) {
                    document.apply(&changes, encoding);
                    document.version = version.unwrap_or(document.version);
                }
            }
            ("textDocument/didSave", Some(address)) => {
                if let Some(file) = file_of(address) {
                    // The threads are placed in the saved file before they are placed in the text.
                    let folder =
                        self.folder_of(&file).and_then(|(folder, _)| folder.loaded.as_ref());
                    if let Some(loaded) = folder {
                        loaded.live.refresh_reviews();
                    }
                    self.report_applied(&file);
                }
            }
            ("textDocument/didClose", Some(address)) => {
                self.documents.close(address);
                self.expire();
            }
            ("workspace/didChangeWorkspaceFolders", _) => {
                let list = |name: &str| -> Vec<PathBuf> {
                    let all: Vec<Value> = member(params, name).unwrap_or_default();
                    all.iter().filter_map(folder_path).collect()
                };
                let removed = list("/event/removed");
                self.folders.retain(|folder| !removed.iter().any(|dir| folder.is_at(dir)));
                // Folders that shared the threads of a removed one read them.
                let unread = self.folders.extract_if(.., |folder| folder.loaded.is_none());
                let unread: Vec<PathBuf> = unread.map(|folder| folder.dir().to_owned()).collect();
                for dir in list("/event/added").into_iter().chain(unread) {
                    self.open_folder(dir);
                }
                self.expire();
            }
            _ => {}
        }
    }

    fn receive(&mut self, pending: PendingRequest, result: Option<Value>) {
        let result = result.unwrap_or_default();
        let is_applied = result.get("applied").and_then(Value::as_bool).unwrap_or(false);
        match pending {
            PendingRequest::Suggestion { thread, path } if is_applied => {
                self.applied.push((thread, path));
                self.show_message(
                    "Applied the suggestion. Save the file to report it in the thread.",
                );
            }
            PendingRequest::Suggestion { .. } => {
                let reason = result.get("failureReason").and_then(Value::as_str);
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                self.show_error(&format!("The editor did not apply the suggestion{reason}"));
            }
            PendingRequest::Removal if !is_applied => {
                self.show_error("The comment was posted, and the editor did not remove its line");
            }
            PendingRequest::Choice(targets) => {
                let title = text(&result, "/title");
                let chosen = targets.iter().find(|target| Some(target.title.as_str()) == title);
                if let Some(target) = chosen {
                    self.show_target(target);
                }
            }
            PendingRequest::Unsent(path) => {
                self.decide_unsent(&path, text(&result, "/title").unwrap_or_default());
            }
            PendingRequest::Removal | PendingRequest::Other => {}
        }
    }

    /// Places all threads again, and sends what has changed.
    fn expire(&mut self) {
        let all: Vec<String> = self.documents.iter().map(|document| document.uri.clone()).collect();
        self.place(&all);
    }

    /// Places the threads of open files that are to be placed, without waiting for a pause.
    fn place_pending(&mut self) {
        let pending = self.documents.due(None);
        if !pending.is_empty() {
            self.place(&pending);
        }
    }

    /// Places the threads of an open file in its text.
    pub(crate) fn place_in(&mut self, address: &str) {
        let placed = self.documents.get(address).and_then(|document| {
            let (folder, relative) = self.folder_of(&document.file)?;
            let live = &folder.loaded.as_ref()?.live;
            Some(live.threads_in(&relative, document.buffer.text()))
        });
        if let Some(document) = self.documents.get_mut(address) {
            document.set_views(placed.unwrap_or_default());
        }
    }

    /// Places the threads of open files in their texts, and sends what has changed.
    fn place(&mut self, due: &[String]) {
        for address in due {
            if let Some(document) = self.documents.get_mut(address) {
                // A bug in what follows is not met again before the next change.
                document.due = None;
            }
        }
        for address in due {
            self.place_in(address);
        }
        let mut by_folder: BTreeMap<u64, Vec<Arc<ThreadView>>> = BTreeMap::new();
        let mut open: BTreeMap<String, Vec<(String, i64)>> = BTreeMap::new();
        for document in self.documents.iter() {
            let Some((folder, _)) = self.folder_of(&document.file) else { continue };
            by_folder.entry(folder.number).or_default().extend(document.views.iter().cloned());
            let addresses = open.entry(folder.uri(&document.file)).or_default();
            addresses.push((document.uri.clone(), document.version));
        }
        for folder in &mut self.folders {
            let placed = by_folder.remove(&folder.number).unwrap_or_default();
            if let Some(loaded) = &mut folder.loaded {
                loaded.group(&placed);
            }
        }
        let changes = self.publisher.changes(&self.folders, self.client, &open);
        if changes.is_empty() {
            return;
        }
        for (uri, FileMarks { version, diagnostics }) in changes {
            let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
            if let (Some(version), Some(params)) = (version, params.as_object_mut()) {
                params.insert("version".to_owned(), json!(version));
            }
            self.notify("textDocument/publishDiagnostics", params);
        }
        if self.client.refreshes_lenses {
            self.request("workspace/codeLens/refresh", Value::Null, PendingRequest::Other);
        }
    }

    /// Returns the folder that a file is in, the innermost one, and the path from the root of its reviews.
    pub(crate) fn folder_of(&self, file: &Path) -> Option<(&Folder, String)> {
        let found = self.folders.iter().filter_map(|folder| Some((folder, folder.relative(file)?)));
        let found = found.min_by_key(|(_, relative)| relative.len());
        found.map(|(folder, relative)| (folder, relative.to_owned()))
    }

    /// Returns the address of a file as the client names it.
    pub(crate) fn client_uri(&self, folder: &Folder, path: &Path) -> String {
        self.documents.at(path).map_or_else(|| folder.uri(path), |document| document.uri.clone())
    }
}

fn folder_path(folder: &Value) -> Option<PathBuf> {
    uri::to_path(text(folder, "/uri")?)
}

fn error(code: ErrorCode, message: String) -> ResponseError {
    ResponseError { code: code as i32, message, data: None }
}

#[cfg(test)]
mod tests;
