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

/// The editors that save a file only when the user says so, unless they are set to do otherwise; in lower case.
///
/// All others need the line `send`: those of JetBrains and many more save on their own, and one that is not known may.
const EDITORS_WITHOUT_AUTO_SAVE: [&str; 6] =
    ["neovim", "helix", "kakoune-lsp", "kak-lsp", "emacs", "eglot"];

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn new(params: &Value) -> Self {
        let can = |name: &str| is_set(params, &format!("/capabilities/{name}"));
        let encodings: Vec<String> =
            member(params, "/capabilities/general/positionEncodings").unwrap_or_default();
        let has_utf8 = encodings.iter().any(|encoding| encoding == "utf-8");
        let name = text(params, "/clientInfo/name").unwrap_or_default();
        let option = |name: &str| member(params, &format!("/initializationOptions/{name}"));
        let saves_on_command =
            EDITORS_WITHOUT_AUTO_SAVE.contains(&name.to_ascii_lowercase().as_str());
        Self {
            encoding: if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            applies_edits: can("workspace/applyEdit"),
            has_document_changes: can("workspace/workspaceEdit/documentChanges"),
            shows_documents: can("window/showDocument/support"),
            shows_related: can("textDocument/publishDiagnostics/relatedInformation"),
            refreshes_lenses: can("workspace/codeLens/refreshSupport"),
            needs_send_line: option("sendLine").unwrap_or(!saves_on_command),
            offers_comments: option("commentAction").unwrap_or(true),
            process: member(params, "/processId"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_editor_that_may_save_on_its_own_needs_the_send_line() {
        let needs_send_line =
            |name: &str| Client::new(&json!({ "clientInfo": { "name": name } })).needs_send_line;
        for name in ["IntelliJ IDEA", "PyCharm", "Eclipse IDE", "Visual Studio Code", "Zed", ""] {
            assert!(needs_send_line(name), "{name}");
        }
        for name in ["Neovim", "helix", "kakoune-lsp", "emacs", "Eglot"] {
            assert!(!needs_send_line(name), "{name}");
        }
        assert!(Client::new(&json!({})).needs_send_line);
    }
}
