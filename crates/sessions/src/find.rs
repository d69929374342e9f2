//! Finds a session.

use skein_format::session::Mapping;

use super::error::{SessionError, SessionResult};

/// Finds the entry of a session by its id, by a prefix of it, or by its short id or thread, in this order.
pub(super) fn one<'m, 'a>(mappings: &'m [Mapping<'a>], id: &str) -> SessionResult<&'m Mapping<'a>> {
    let among = |fits: &dyn Fn(&Mapping<'a>) -> bool| -> Vec<&'m Mapping<'a>> {
        mappings.iter().filter(|mapping| fits(mapping)).collect()
    };
    let mut found = among(&|mapping| mapping.session_id == id);
    if found.is_empty() && !id.is_empty() {
        found = among(&|mapping| mapping.session_id.starts_with(id));
    }
    if found.is_empty() {
        found = among(&|mapping| mapping.short_id == id || mapping.thread_root_post_id == id);
    }
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(SessionError::NoSession { id: id.to_owned() }),
        several => Err(SessionError::Ambiguous {
            id: id.to_owned(),
            candidates: several.iter().map(|one| one.session_id.to_string()).collect(),
        }),
    }
}
