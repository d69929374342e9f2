//! DeliveryRecord on real repositories, with what hooks recorded.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod attribution;
mod deliverer;
mod plan;
mod setup;
