//! A server on loopback that answers for Mattermost and for OpenCode as a test says, for faults that real servers
//! cannot be made to have.
//!
//! Each message that it sends is checked against a recording of the real server, `recorded/*.json`, and gets the keys
//! that the real one always sends and the test leaves out. A recording has the [`JsonShape`] of each message: its keys and
//! types, no values. The tests of the clients with real servers compare the recordings with what the servers send, and
//! rewrite them if `SKEIN_BLESS=1` is set.
//!
//! Only tests use this crate.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets something unexpected has failed"
)]

mod http;
mod recorder;
mod recording;
mod reply;
mod server;
mod shape;

pub use recorder::Recorder;
pub use recording::{MATTERMOST, OPENCODE, Recording};
pub use reply::{CannedReply, ReplyStep, event};
pub use server::{ReceivedRequest, StandIn};
pub use shape::{JsonShape, Rules};
