//! What the server reacts to.

use std::sync::Arc;

use lsp_server::Message;
use skein_live::LiveWorkspace;
use skein_workspace::Actor;

/// A message, or something that happened.
pub(crate) enum Input {
    Message(Message),
    /// A message that is not one of the protocol.
    Invalid(String),
    /// The threads of a folder were read.
    Loaded(u64, Arc<LiveWorkspace>, Actor),
    /// Threads of a folder, or their code, have changed.
    Changed(u64),
    /// The editor has closed its end.
    End,
}
