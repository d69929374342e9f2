//! Who may do what. Only user ids count.

use std::collections::{BTreeMap, VecDeque};

use super::Core;
use super::ids::{Millis, PostId, SessionId, UserId};
use super::input::Post;
use super::settings::Approvals;
use super::state::Prompt;

const MINUTE: u64 = 60_000;

impl Core {
    pub(super) fn is_owner(&self, user: &UserId) -> bool {
        self.settings.owners.contains(user)
    }

    /// Returns whether a user may start sessions and prompt all of them.
    pub(super) fn is_permitted(&self, user: &UserId) -> bool {
        self.is_owner(user) || self.settings.users.contains(user)
    }

    /// Returns whether a user may prompt a session.
    pub(super) fn may_prompt(&self, user: &UserId, session: Option<&SessionId>) -> bool {
        let thread = session.and_then(|session| self.state.threads.get(session));
        self.is_permitted(user) || thread.is_some_and(|thread| thread.invited.contains(user))
    }

    /// Returns whether the author of a prompt may prompt its session. Prompts from this machine have no author.
    pub(super) fn is_author_permitted(&self, prompt: &Prompt) -> bool {
        let session = self.state.roots.get(&prompt.root);
        prompt.user.as_ref().is_none_or(|user| self.may_prompt(user, session))
    }

    /// Returns whether a user may answer permissions and questions of a session.
    pub(super) fn may_approve(&self, user: &UserId, session: &SessionId) -> bool {
        match self.settings.approvals {
            Approvals::Owners => self.is_owner(user),
            Approvals::All => self.may_prompt(user, Some(session)),
        }
    }

    /// Returns whether the settings allow the directory of a session.
    pub(super) fn may_work(&self, session: &SessionId) -> bool {
        let thread = self.state.threads.get(session);
        thread.is_some_and(|thread| self.settings.allows_directory(&thread.directory))
    }

    /// Returns whether a post outside the threads of sessions is meant for the bridge.
    pub(super) fn is_addressed(&self, post: &Post) -> bool {
        let is_main = Some(&post.channel) == self.settings.channel.as_ref();
        post.is_direct || (is_main && self.mention(&post.text).is_some())
    }

    /// Returns the text without the mention of the bot, if it has one.
    pub(super) fn mention(&self, text: &str) -> Option<String> {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        for (at, _) in text.match_indices('@') {
            let (before, rest) = text.split_at_checked(at)?;
            let name = rest.get(1..)?;
            let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
            // A name can have these signs, but at its end they belong to the sentence.
            let name = name.get(..end)?.trim_end_matches(['.', '-', '_']);
            let is_start = !before.chars().next_back().is_some_and(|c| is_name(c) || c == '@');
            if is_start && name.eq_ignore_ascii_case(&self.settings.bot_name) {
                let after = rest.get(1 + name.len()..)?.trim_start_matches([':', ',']);
                return Some(format!("{before}{}", after.trim_start()).trim().to_owned());
            }
        }
        None
    }

    /// Counts a prompt, unless there were too many: then returns the time after which the next one is taken.
    pub(super) fn count_prompt(&mut self, post: &Post, root: &PostId) -> Option<Millis> {
        let max = self.settings.max_prompts_per_minute;
        let by_user = self.rate.free_at(post.user.as_str(), post.created, max);
        let free_at = by_user.max(self.rate.free_at(root.as_str(), post.created, max));
        if free_at.is_none() {
            self.rate.count(post.user.as_str(), post.created);
            self.rate.count(root.as_str(), post.created);
        }
        free_at
    }

    /// Counts a prompt from this machine.
    pub(super) fn count_in_thread(&mut self, root: &PostId) {
        self.rate.count(root.as_str(), self.now);
    }

    /// Returns whether the next prompt of a thread would be one too many.
    pub(super) fn is_rate_used_up(&self, root: &PostId, now: Millis) -> bool {
        let max = self.settings.max_prompts_per_minute;
        self.rate.free_at(root.as_str(), now, max).is_some()
    }
}

/// The prompts of the last minute, by user and by thread.
#[derive(Debug, Default)]
pub(super) struct RateLimit(BTreeMap<String, VecDeque<Millis>>);

impl RateLimit {
    fn count(&mut self, who: &str, at: Millis) {
        let oldest = at.minus(MINUTE);
        self.0.retain(|_, times| times.back().is_some_and(|last| *last >= oldest));
        let times = self.0.entry(who.to_owned()).or_default();
        times.retain(|time| *time >= oldest);
        times.push_back(at);
    }

    /// Returns when there are fewer than `max` prompts in the last minute, if there are not now.
    fn free_at(&self, who: &str, now: Millis, max: usize) -> Option<Millis> {
        let oldest = now.minus(MINUTE);
        let times = self.0.get(who)?;
        let mut recent: Vec<_> = times.iter().filter(|time| **time >= oldest).collect();
        recent.sort();
        let last_too_many = recent.len().checked_sub(max)?;
        recent.get(last_too_many).map(|time| time.plus(MINUTE + 1))
    }
}
