//! Finds entries by what they name, in constant time.

use std::collections::HashMap;

use super::mapping::Mapping;

/// The entries of a map under each of their names.
#[derive(Debug)]
pub struct Lookup<'m, 'a> {
    mappings: &'m [Mapping<'a>],
    sessions: HashMap<&'m str, usize>,
    threads: HashMap<&'m str, usize>,
    users: Chains<'m>,
    directories: Chains<'m>,
    short_ids: Chains<'m>,
}

impl<'m, 'a> Lookup<'m, 'a> {
    /// Takes in entries that were loaded, one for each session.
    pub fn new(mappings: &'m [Mapping<'a>]) -> Self {
        let sessions = mappings.iter().map(|one| one.session_id.as_ref()).zip(0..).collect();
        Self {
            mappings,
            sessions,
            threads: threads(mappings),
            users: Chains::new(mappings.iter().map(|one| one.mattermost_user_id.as_ref())),
            directories: Chains::new(mappings.iter().map(|one| one.directory.as_ref())),
            short_ids: Chains::new(mappings.iter().map(|one| one.short_id.as_ref())),
        }
    }

    /// Returns the entry of a session.
    pub fn by_session(&self, session_id: &str) -> Option<&'m Mapping<'a>> {
        self.mappings.get(*self.sessions.get(session_id)?)
    }

    /// Returns the entry of a thread; where several share it, the one with the latest activity.
    pub fn by_thread(&self, root_post_id: &str) -> Option<&'m Mapping<'a>> {
        self.mappings.get(*self.threads.get(root_post_id)?)
    }

    /// Returns the entries of a user, in the order of the file.
    pub fn by_user(&self, user_id: &str) -> impl Iterator<Item = &'m Mapping<'a>> {
        self.all(&self.users, user_id)
    }

    /// Returns the entries of a directory, in the order of the file.
    pub fn by_directory(&self, directory: &str) -> impl Iterator<Item = &'m Mapping<'a>> {
        self.all(&self.directories, directory)
    }

    /// Returns the entries that carry a short name, in the order of the file.
    ///
    /// The name is for people: sessions share one, so that whoever asks must be ready for several.
    pub fn by_short_id(&self, short_id: &str) -> Vec<&'m Mapping<'a>> {
        self.all(&self.short_ids, short_id).collect()
    }

    fn all(&self, chains: &Chains<'m>, name: &str) -> impl Iterator<Item = &'m Mapping<'a>> {
        chains.named(name).filter_map(|n| self.mappings.get(n))
    }
}

fn threads<'m>(mappings: &'m [Mapping<'_>]) -> HashMap<&'m str, usize> {
    let mut threads: HashMap<&str, usize> = HashMap::with_capacity(mappings.len());
    for (n, mapping) in mappings.iter().enumerate() {
        let of = threads.entry(mapping.thread_root_post_id.as_ref()).or_insert(n);
        let known = mappings.get(*of).and_then(Mapping::last_activity);
        if *of != n && mapping.last_activity() >= known {
            *of = n;
        }
    }
    threads
}

/// The places of entries under names that several of them share.
///
/// A list for each name would cost an allocation for each; a chain costs one number for each entry.
#[derive(Debug)]
struct Chains<'m> {
    /// The first and the last place of a name.
    ends: HashMap<&'m str, (usize, usize)>,
    /// The place that follows a place under the same name.
    next: Vec<Option<usize>>,
}

impl<'m> Chains<'m> {
    fn new(names: impl ExactSizeIterator<Item = &'m str>) -> Self {
        let mut next = vec![None; names.len()];
        let mut ends: HashMap<&str, (usize, usize)> = HashMap::new();
        for (n, name) in names.enumerate() {
            let (_, last) = ends.entry(name).or_insert((n, n));
            if let Some(follower) = next.get_mut(*last).filter(|_| *last != n) {
                *follower = Some(n);
            }
            *last = n;
        }
        Self { ends, next }
    }

    fn named(&self, name: &str) -> impl Iterator<Item = usize> {
        let first = self.ends.get(name).map(|(first, _)| *first);
        std::iter::successors(first, |n| self.next.get(*n).copied().flatten())
    }
}
