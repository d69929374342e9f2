//! The claim of a thread.

use serde::Serialize;
use skein_format::time::Time;

use crate::person_names::is_name_of;

/// The claim of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimedBy {
    /// The name of the claimant.
    pub by: String,
    /// The end of the id of the claimant's session, if it is known: sessions of one agent have the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the claim expires.
    pub until: Time,
}

impl ClaimedBy {
    /// Returns the name of the claimant with its session: `Codex …1b2c3d4e`.
    pub fn claimant(&self) -> String {
        match &self.session {
            Some(session) => format!("{} {session}", self.by),
            None => self.by.clone(),
        }
    }

    /// Returns whether the name refers to the claimant.
    pub fn is_by(&self, name: &str) -> bool {
        is_name_of(name, &self.by)
    }
}
