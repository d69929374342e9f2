//! One entry of a map, without reading the others.

use super::SessionMapDoc;
use super::mapping::Mapping;
use super::session_index::SessionIndex;

impl SessionMapDoc {
    /// Returns what counts for a session, by a lenient reading.
    pub fn entry(&self, session_id: &str) -> Option<Mapping<'_>> {
        SessionIndex::only(self, |id| id == session_id).mapping(0)
    }
}
