//! What the client can do.

use serde_json::Value;

use crate::position::Encoding;
use crate::protocol::{is_set, member, text};

/// What the client announced.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of the protocol")]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) applies_edits: bool,
    pub(crate) has_document_changes: bool,
    pub(crate) shows_documents: bool,
    pub(crate) shows_related: bool,
    pub(crate) refreshes_lenses: bool,
    /// Whether a comment file is sent only with the line `send`, because files can be saved while the user types.
    pub(crate) needs_send_line: bool,
    /// Whether the action to comment on lines is offered everywhere.
    pub(crate) offers_comments: bool,
    /// The process of the editor.
    pub(crate) process: Option<u32>,
}

/// The editors that save files while the user types, if they are set to; a prefix of their names.
const AUTO_SAVING_EDITORS: [&str; 6] =
    ["Visual Studio Code", "Code", "code-server", "VSCodium", "Cursor", "Zed"];

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn new(params: &Value) -> Self {
        let can = |name: &str| is_set(params, &format!("/capabilities/{name}"));
        let encodings: Vec<String> =
            member(params, "/capabilities/general/positionEncodings").unwrap_or_default();
        let has_utf8 = encodings.iter().any(|encoding| encoding == "utf-8");
        let name = text(params, "/clientInfo/name").unwrap_or_default();
        let option = |name: &str| member(params, &format!("/initializationOptions/{name}"));
        let can_auto_save = AUTO_SAVING_EDITORS.iter().any(|editor| name.starts_with(editor));
        Self {
            encoding: if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            applies_edits: can("workspace/applyEdit"),
            has_document_changes: can("workspace/workspaceEdit/documentChanges"),
            shows_documents: can("window/showDocument/support"),
            shows_related: can("textDocument/publishDiagnostics/relatedInformation"),
            refreshes_lenses: can("workspace/codeLens/refreshSupport"),
            needs_send_line: option("sendLine").unwrap_or(can_auto_save),
            offers_comments: option("commentAction").unwrap_or(true),
            process: member(params, "/processId"),
        }
    }
}
