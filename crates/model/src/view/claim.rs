//! The claim of a thread.

use serde::Serialize;
use skein_format::time::Time;

use crate::person_names::is_name_of;

/// The claim of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimedBy {
    /// The name of the claimant.
    pub by: String,
    /// When the claim expires.
    pub until: Time,
}

impl ClaimedBy {
    /// Returns whether the name refers to the claimant.
    pub fn is_by(&self, name: &str) -> bool {
        is_name_of(name, &self.by)
    }
}
