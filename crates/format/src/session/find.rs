//! Reads one entry of a map, without the others.

use super::SessionMapDoc;
use super::mapping::Mapping;
use super::session_index::SessionIndex;

impl SessionMapDoc {
    /// Returns the effective entry of a session, as `Mode::Lenient` accepts it.
    pub fn entry(&self, session_id: &str) -> Option<Mapping<'_>> {
        SessionIndex::only(self, |id| id == session_id).mapping(0)
    }
}
