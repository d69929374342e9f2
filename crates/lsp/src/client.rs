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
    /// Whether files are usually saved while the user types.
    pub(crate) saves_on_its_own: bool,
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
        let options = params.pointer("/initializationOptions");
        let comments = options.and_then(|options| options.get("commentAction")?.as_bool());
        Self {
            encoding: if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            applies_edits: can("workspace/applyEdit"),
            has_document_changes: can("workspace/workspaceEdit/documentChanges"),
            shows_documents: can("window/showDocument/support"),
            shows_related: can("textDocument/publishDiagnostics/relatedInformation"),
            refreshes_lenses: can("workspace/codeLens/refreshSupport"),
            saves_on_its_own: AUTO_SAVING_EDITORS.iter().any(|saving| name.starts_with(saving)),
            offers_comments: comments.unwrap_or(true),
            process: member(params, "/processId"),
        }
    }
}
