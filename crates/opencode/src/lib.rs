//! A client of [OpenCode](https://opencode.ai) servers.
//!
//! [`Client`] makes the REST calls, [`Client::events`] follows the event stream of all directories and
//! reconnects, [`ChildServer`] runs a server of its own.
//!
//! ```no_run
//! # async fn example() -> Result<(), skein_opencode::Error> {
//! use skein_opencode::{Client, NewSession, Prompt, message_id};
//!
//! let client = Client::new("http://127.0.0.1:4096", None)?;
//! let directory = "/home/ada/project";
//! let session = client.create_session(directory, &NewSession::default()).await?;
//! let id = message_id(1_794_919_695_749, None, "a seed that is used once");
//! client.prompt(directory, &session.id, &Prompt::text(id.clone(), "Hello")).await?;
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
    Permission, PermissionReply, Question, QuestionChoice, QuestionRequest, ToolCall,
};
pub use catalog::{Agent, Command, Model, Models};
pub use child::{ChildServer, ServerCommand, StartError};
pub use client::Client;
pub use error::Error;
pub use event::{EventKind, HistoryEvent, PartDelta};
pub use event_stream::{Event, EventSettings, Events};
pub use id::{MessageId, PartId, PermissionId, QuestionId, SessionId, message_id, part_id};
pub use message::{
    Failure, Message, MessageInfo, MessageTime, Part, PartKind, Role, TimeSpan, Tokens, ToolState,
    ToolStatus,
};
pub use password::Password;
pub use prompt::{ModelRef, Prompt, PromptPart};
pub use session::{FileDiff, NewSession, Session, SessionTime, SessionUpdate, Status, Todo};
