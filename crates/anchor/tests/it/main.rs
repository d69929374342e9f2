//! Tests of the placement of code: text in, text out.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod elsewhere;
mod excerpt;
mod follow;
mod limits;
mod patch;
mod place;
mod property;
mod rewritten;
mod show;
