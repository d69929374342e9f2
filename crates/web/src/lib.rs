//! The pages and the JSON API of `skein serve`.
//!
//! [`bind`] finds the workspace, its port and its token, and listens on the loopback interface; [`Bound::run`]
//! answers requests until it is stopped. Everything that reads or writes files is a use case of a lower crate; this
//! crate knows HTTP, HTML and authorization.

mod api;
mod app_state;
mod assets;
mod auth;
mod budget;
mod code;
mod credentials;
mod encode;
mod error;
mod escape;
mod event_broadcaster;
mod event_stream;
mod headers;
mod highlighted;
mod html_cache;
mod json;
pub mod markdown;
mod page;
mod request;
mod router;
mod server;
mod stop;
mod thread_index;
mod viewer;

pub use server::{BindError, Bound, ServeOptions, bind};
pub use stop::ShutdownHandle;
