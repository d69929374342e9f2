//! The server as editors see it: messages over two streams.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]
#![expect(clippy::needless_pass_by_value, reason = "parameters are written where they are used")]

mod actions;
mod comment_file;
mod editor;
mod lifecycle;
mod marks;
mod typing;
