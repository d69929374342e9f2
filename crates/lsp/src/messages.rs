//! What the server sends to the editor.

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

use crate::pending_request::{PendingRequest, Target};
use crate::protocol::{Position, Range};
use crate::server::Server;
use crate::uri;

/// The types of messages for the user.
const ERROR: u8 = 1;
const INFO: u8 = 3;

impl Server {
    pub(crate) fn show_target(&mut self, target: &Target) {
        if self.client.shows_documents {
            self.show_document(&target.uri, target.line);
        } else {
            self.show_message(&target.title);
        }
    }

    /// Opens a file in the editor, or names it.
    pub(crate) fn show_document(&mut self, uri: &str, line: u32) {
        if !self.client.shows_documents {
            let path = uri::to_path(uri).unwrap_or_default();
            self.show_message(&format!("Open {}", path.display()));
            return;
        }
        let at = Position { line, character: 0 };
        let selection = Range { start: at, end: at };
        let params = json!({ "uri": uri, "takeFocus": true, "selection": selection });
        self.request("window/showDocument", params, PendingRequest::Other);
    }

    pub(crate) fn show_message(&self, message: &str) {
        self.notify("window/showMessage", json!({ "type": INFO, "message": message }));
    }

    pub(crate) fn show_error(&self, message: &str) {
        self.notify("window/showMessage", json!({ "type": ERROR, "message": message }));
    }

    pub(crate) fn log(&self, message: &str) {
        self.notify("window/logMessage", json!({ "type": ERROR, "message": message }));
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params }.into());
    }

    pub(crate) fn request(&mut self, method: &str, params: Value, pending: PendingRequest) {
        self.request_count += 1;
        let id = self.request_count;
        self.pending.insert(id, pending);
        self.send(Request { id: id.into(), method: method.to_owned(), params }.into());
    }

    pub(crate) fn send(&self, message: Message) {
        // Without a reader there is nothing to do; the end of the input follows.
        drop(self.out.send(message));
    }
}
