//! Power cuts in every use case that writes.

#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod power;
