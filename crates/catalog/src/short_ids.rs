//! The shortest unique id of each thread.

use std::collections::HashMap;

use skein_format::redact::redacted;
use skein_model::Kind;
use skein_model::view::ThreadRow;

use crate::thread_names::{ThreadName, slug_of};

/// Minimum length of a prefix, so that it is recognisable.
const MIN_LEN: usize = 4;

/// Computes the shortest unique ids among all threads.
#[derive(Debug)]
pub struct ShortIds {
    ids: Vec<String>,
    slugs: HashMap<String, usize>,
}

impl ShortIds {
    /// Creates the index from the names of all threads.
    pub fn new(all: &[ThreadName]) -> Self {
        let mut ids: Vec<String> = all.iter().map(|named| named.id.clone()).collect();
        let mut slugs = HashMap::new();
        for slug in all.iter().filter_map(|named| slug_of(named.kind, &named.id)) {
            *slugs.entry(slug).or_default() += 1;
        }
        // A slug that is also the id of another thread identifies that thread.
        for id in &ids {
            if let Some(count) = slugs.get_mut(id) {
                *count += 1;
            }
        }
        // The prefix of an id must not be the prefix of a slug either.
        ids.extend(all.iter().filter_map(|named| slug_of(named.kind, &named.id)));
        ids.sort_unstable();
        ids.dedup();
        Self { ids, slugs }
    }

    /// Creates the index from the ids of all sessions of a map.
    pub fn of_sessions(mut ids: Vec<String>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        Self { ids, slugs: HashMap::new() }
    }

    /// Returns the shortest text that identifies the thread of a row.
    ///
    /// For a checkpoint it is the slug if it is unique, else the whole id; for a session the short id if it is unique; for others a
    /// prefix of the id.
    pub fn short_id(&self, row: &ThreadRow) -> String {
        if let Some(detail) = row.session() {
            return self.of_session(&row.id, &detail.short_id);
        }
        self.of_file(row.kind, &row.id)
    }

    /// Returns the shortest text that identifies a thread with its own file.
    pub fn of_file(&self, kind: Kind, id: &str) -> String {
        redacted(match slug_of(kind, id) {
            Some(slug) if self.slugs.get(&slug).is_none_or(|count| *count < 2) => slug,
            None if kind != Kind::Checkpoint => self.prefix(id),
            _ => id.to_owned(),
        })
    }

    /// Returns the short id of a session, known from the chat, if it is a unique prefix of its id; else the shortest unique prefix.
    pub fn of_session(&self, id: &str, short_id: &str) -> String {
        let prefix = self.prefix(id);
        let known = id.starts_with(short_id) && short_id.len() >= prefix.len();
        redacted(if known { short_id.to_owned() } else { prefix })
    }

    fn prefix(&self, id: &str) -> String {
        if self.slugs.contains_key(id) {
            return id.to_owned();
        }
        let at = self.ids.partition_point(|other| other.as_str() < id);
        let before = at.checked_sub(1).and_then(|at| self.ids.get(at));
        let after = self.ids.iter().skip(at).find(|other| other.as_str() != id);
        let shared = [before, after].into_iter().flatten().map(|other| common(id, other)).max();
        let len = shared.map_or(0, |shared| shared + 1).max(MIN_LEN);
        id.chars().take(len).collect()
    }
}

fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_its_short_id_if_it_is_a_unique_prefix() {
        let ids = ["ses_4f1c9a", "ses_4f1caa", "ses_91d07f"];
        let short_ids = ShortIds::of_sessions(ids.map(str::to_owned).to_vec());
        let check = |id, short, name: &str| assert_eq!(short_ids.of_session(id, short), name);
        check("ses_91d07f", "ses_91d0", "ses_91d0");
        check("ses_4f1c9a", "ses_4f1c", "ses_4f1c9");
        check("ses_4f1caa", "merry-otter", "ses_4f1ca");
        check("ses_91d07f", "", "ses_9");
    }
}
