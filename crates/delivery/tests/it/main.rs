//! DeliveryRecord on real repositories, with what hooks recorded.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod attribution;
mod deliverer;
mod plan;
mod setup;
