//! The server as a browser, a program and an attacker see it, over TCP.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests start git, and their files need no durability"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic fails the test"
)]

mod api;
mod attack;
mod branches;
mod client;
mod conflict;
mod endpoint;
mod lists;
mod live;
mod markdown;
mod overview;
mod place;
mod script;
mod search;
mod slow;
mod stop;
mod traversal;
mod work;
mod workspaces;
