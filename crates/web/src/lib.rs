//! The page that Skein serves: diffs with their threads, live.
//!
//! [`bind`] finds the workspace, its port and its token, and listens on the loopback interface; [`Bound::run`]
//! answers until it is told to stop. Everything that touches files is a use case of a lower crate; this crate knows
//! HTTP, HTML and who may ask.

mod api;
mod assets;
mod auth;
mod budget;
mod code;
mod encode;
mod error;
mod escape;
mod headers;
mod highlighted;
mod json;
mod live;
pub mod markdown;
mod page;
mod request;
mod router;
mod server;
mod site;
mod stop;

pub use server::{BindError, Bound, Options, bind};
pub use stop::ShutdownHandle;
