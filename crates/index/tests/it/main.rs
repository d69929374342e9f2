//! What is found with an index, without one, and with what is left of one.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets something unexpected has failed"
)]

mod damage;
mod equality;
mod life;
mod shelf;
