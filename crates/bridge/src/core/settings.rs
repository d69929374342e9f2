//! What the core is allowed to do, with all names resolved to ids.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::{ChannelId, UserId};

/// The settings of a bridge. They do not change while it runs.
#[derive(Clone, Debug)]
pub struct BridgeSettings {
    /// The account of the bridge.
    pub bot: UserId,
    /// The name by which posts mention it, without `@`.
    pub bot_name: String,
    pub owners: BTreeSet<UserId>,
    /// Users who may also start and prompt sessions.
    pub users: BTreeSet<UserId>,
    /// The names of these and the owners, for display.
    pub names: BTreeMap<UserId, String>,
    /// Where threads of sessions that were started elsewhere are opened.
    pub home: ChannelId,
    /// The owner that such a session is listed under.
    pub home_owner: UserId,
    /// The channel, other than direct ones, in which posts start sessions.
    pub channel: Option<ChannelId>,
    pub approvals: Approvals,
    pub start_from_chat: bool,
    /// Absolute directories that sessions may use, with all below them. The first is the default.
    pub directories: Vec<String>,
    /// What commands start with.
    pub prefix: String,
    /// Whether reasoning is shown.
    pub reasoning: bool,
    /// Length of a post, in characters, above which it is split.
    pub max_post_chars: usize,
    /// Maximum length of a post, in characters. Lines that grow may use what is above `max_post_chars`.
    pub max_post_size: usize,
    /// Maximum size of a file, in both directions.
    pub max_file_bytes: u64,
    /// Maximum number of prompts of a user, and of a thread, in a minute.
    pub max_prompts_per_minute: usize,
    /// Builds the id of a message from the time in milliseconds, the greatest id of the session
    /// and a text that is the same for the same prompt.
    pub message_id: fn(u64, Option<&str>, &str) -> String,
}

/// Who may answer permissions and questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approvals {
    Owners,
    /// All who may prompt the session.
    All,
}

impl BridgeSettings {
    /// Returns whether sessions may use `directory`.
    pub fn allows_directory(&self, directory: &str) -> bool {
        let is_plain = !directory.split('/').any(|part| part == "..");
        is_plain && self.directories.iter().any(|allowed| is_below(directory, allowed))
    }

    /// Finds an allowed directory by its path, or by its last part if that is unique.
    pub fn find_directory(&self, name: &str) -> Option<String> {
        if name.starts_with('/') {
            let is_hidden = name.split('/').any(|part| part.starts_with('.'));
            let is_listed = self.directories.iter().any(|path| path == name);
            return (is_listed || !is_hidden && self.allows_directory(name))
                .then(|| name.to_owned());
        }
        let mut found = self.directories.iter().filter(|path| last_part(path) == name);
        match (found.next(), found.next()) {
            (Some(path), None) => Some(path.clone()),
            _ => None,
        }
    }
}

/// Returns the last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_directory_is_allowed_with_all_below_it_and_nothing_beside_it() {
        assert!(is_below("/src/a", "/src/a"));
        assert!(is_below("/src/a/b", "/src/a/"));
        assert!(!is_below("/src/ab", "/src/a"));
        assert!(!is_below("/src", "/src/a"));
    }
}
