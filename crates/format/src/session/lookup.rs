//! Finds entries by session, thread, user, directory or short id, in constant time.

use std::collections::HashMap;

use super::mapping::Mapping;

/// The positions of entries by a value that several of them may share.
type Groups<'m> = HashMap<&'m str, Vec<usize>>;

/// An index of the entries of a map.
#[derive(Debug)]
pub struct Lookup<'m, 'a> {
    mappings: &'m [Mapping<'a>],
    sessions: HashMap<&'m str, usize>,
    threads: HashMap<&'m str, usize>,
    users: Groups<'m>,
    directories: Groups<'m>,
    short_ids: Groups<'m>,
}

impl<'m, 'a> Lookup<'m, 'a> {
    /// Indexes loaded entries, one for each session.
    pub fn new(mappings: &'m [Mapping<'a>]) -> Self {
        let sessions = mappings.iter().map(|one| one.session_id.as_ref()).zip(0..).collect();
        Self {
            mappings,
            sessions,
            threads: threads(mappings),
            users: grouped(mappings, |one| &one.mattermost_user_id),
            directories: grouped(mappings, |one| &one.directory),
            short_ids: grouped(mappings, |one| &one.short_id),
        }
    }

    /// Returns the entry of a session.
    pub fn by_session(&self, session_id: &str) -> Option<&'m Mapping<'a>> {
        self.mappings.get(*self.sessions.get(session_id)?)
    }

    /// Returns the entry of a thread; of several, the one with the latest activity.
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

    /// Returns the entries with a short id, in the order of the file.
    ///
    /// A short id is for people, and several sessions may have the same one.
    pub fn by_short_id(&self, short_id: &str) -> Vec<&'m Mapping<'a>> {
        self.all(&self.short_ids, short_id).collect()
    }

    fn all(&self, groups: &Groups<'m>, name: &str) -> impl Iterator<Item = &'m Mapping<'a>> {
        groups.get(name).into_iter().flatten().filter_map(|n| self.mappings.get(*n))
    }
}

fn grouped<'m, 'a>(
    mappings: &'m [Mapping<'a>],
    name: impl Fn(&'m Mapping<'a>) -> &'m str,
) -> Groups<'m> {
    let mut groups = Groups::new();
    for (n, mapping) in mappings.iter().enumerate() {
        groups.entry(name(mapping)).or_default().push(n);
    }
    groups
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
