//! A client of [OpenCode](https://opencode.ai) servers.
//!
//! [`OpencodeClient`] makes the REST calls, [`OpencodeClient::events`] follows the event stream of all directories and
//! reconnects, [`ChildServer`] runs a server of its own.
//!
//! ```no_run
//! # async fn example() -> Result<(), skein_opencode::OpencodeError> {
//! use skein_opencode::{OpencodeClient, NewSession, OpencodePrompt, message_id};
//!
//! let client = OpencodeClient::new("http://127.0.0.1:4096", None)?;
//! let directory = "/home/ada/project";
//! let session = client.create_session(directory, &NewSession::default()).await?;
//! let id = message_id(1_794_919_695_749, None, "a seed that is used once");
//! client.prompt(directory, &session.id, &OpencodePrompt::text(id.clone(), "Hello")).await?;
//! let stored = client.message(directory, &session.id, &id).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Each call names the directory of its session: OpenCode keeps running sessions and open requests per
//! directory, and answers for the wrong one as if there were none.
//!
//! The crate does not interpret what it transports, repeats no request, and stores nothing. Unknown fields,
//! parts and events are accepted; the types hold what Skein uses.

mod approval;
mod catalog;
mod child;
mod client;
mod error;
mod event;
mod event_stream;
mod id;
mod message;
mod password;
mod prompt;
mod session;
mod sse;

pub use approval::{
    OpencodeQuestion, Permission, PermissionReply, QuestionChoice, QuestionRequest, ToolCall,
};
pub use catalog::{Command, Model, Models, OpencodeAgent};
pub use child::{ChildServer, ServerCommand, StartError};
pub use client::OpencodeClient;
pub use error::OpencodeError;
pub use event::{EventKind, PartDelta};
pub use event_stream::{EventSettings, OpencodeEvent, OpencodeEvents};
pub use id::{MessageId, PartId, PermissionId, QuestionId, SessionId, message_id, part_id};
pub use message::{
    Failure, Message, MessageTime, OpencodeMessageInfo, OpencodePart, OpencodePartKind,
    OpencodeToolState, Role, TimeSpan, Tokens, ToolStatus,
};
pub use password::Password;
pub use prompt::{ModelRef, OpencodePrompt, PromptPart};
pub use session::{
    NewSession, OpencodeDiff, OpencodeSession, OpencodeStatus, OpencodeTodo, SessionTime,
    SessionUpdate,
};
