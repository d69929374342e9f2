//! The server as its clients see it: lines of JSON over two pipes.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets something unexpected has failed"
)]
#![expect(clippy::needless_pass_by_value, reason = "parameters are written where they are used")]

mod comment;
mod handshake;
mod identity;
mod next;
mod paging;
mod peer;
mod reply;
mod resources;
mod root;
mod threads;
mod tools_list;
mod untrusted;
mod work;
