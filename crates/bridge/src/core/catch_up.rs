//! Finds what happened in the chat while the bridge did not listen.

use std::collections::BTreeSet;

use super::action::BridgeAction;
use super::ids::{ChannelId, Millis, PostId};
use super::input::{ChannelSeen, ChatError, Post};
use super::record::JournalRecord;
use super::slot::Slot;
use super::state::{HANDLED_OVERLAP, ThreadStatus};
use super::{Core, Timer, retry_interval};

/// How far a position can be behind the last handled post.
const POSITION_INTERVAL: u64 = 60_000;
/// Posts from so long before the position are fetched again.
const CATCH_UP_OVERLAP: u64 = 2 * 60_000;

/// The search for the missed posts of a channel.
#[derive(Debug, Default)]
pub(super) struct CatchUp {
    is_running: bool,
    /// Whether more posts can have been missed since it began.
    is_outdated: bool,
    failures: u32,
    /// The time of the newest post that it found.
    last: Millis,
}

impl Core {
    pub(super) fn on_connected(&mut self, complete: bool, channels: &[ChannelSeen]) {
        self.has_gap = false;
        if !complete {
            self.is_chat_ready = true;
            self.has_missed = false;
            self.removed.clear();
            self.check_channels(channels);
            for seen in channels {
                let position = self.position(&seen.channel);
                if seen.last_post_at.plus(CATCH_UP_OVERLAP) >= position {
                    self.start_catch_up(&seen.channel);
                }
            }
            self.fetch_reactions();
            self.fetch_users();
        }
        self.refresh_all_lanes();
    }

    /// Compares the channels of threads with those that the bot is in.
    fn check_channels(&mut self, channels: &[ChannelSeen]) {
        let threads = self.state.threads.values();
        let mut known: Vec<_> = threads
            .filter(|thread| matches!(thread.status, ThreadStatus::Open | ThreadStatus::Away))
            .map(|thread| thread.channel.clone())
            .collect();
        known.sort();
        known.dedup();
        for channel in known {
            match channels.iter().any(|seen| seen.channel == channel) {
                true => self.rejoin(&channel),
                false => self.on_removed(&channel),
            }
        }
    }

    /// Fetches the reactions on posts that wait for one.
    fn fetch_reactions(&mut self) {
        let asks = self.state.posts.values().filter(|post| matches!(post.slot, Slot::Ask(_)));
        let prompts = self.state.prompts.iter();
        let unsent =
            prompts.filter(|(_, prompt)| prompt.message().is_none() && prompt.user.is_some());
        let posts: Vec<PostId> = asks
            .filter_map(|post| post.post.clone())
            .chain(unsent.map(|(post, _)| post.clone()))
            .collect();
        for post in posts {
            self.act(BridgeAction::FetchReactions { post });
        }
    }

    /// Asks which of the users with rights were deactivated unnoticed.
    pub(super) fn fetch_users(&mut self) {
        let threads = self.state.threads.values();
        let invited = threads.flat_map(|thread| &thread.invited);
        let users = self.settings.owners.iter().chain(&self.settings.users).chain(invited);
        let users: BTreeSet<_> = users.cloned().collect();
        self.act(BridgeAction::FetchUsers { users: users.into_iter().collect() });
    }

    /// Returns the time up to which all posts of a channel are handled.
    fn position(&self, channel: &ChannelId) -> Millis {
        let started = self.state.started.unwrap_or_default();
        self.state.positions.get(channel).copied().unwrap_or(started)
    }

    /// Finds the missed posts of a channel, again if a search is running: more can have been missed.
    pub(super) fn start_catch_up(&mut self, channel: &ChannelId) {
        let search = self.catching_up.entry(channel.clone()).or_default();
        search.is_outdated = search.is_running;
        self.catch_up(channel);
    }

    pub(super) fn catch_up(&mut self, channel: &ChannelId) {
        let since = self.position(channel).minus(CATCH_UP_OVERLAP);
        let since = since.max(self.state.started.unwrap_or_default());
        let Some(search) = self.catching_up.get_mut(channel) else { return };
        if !std::mem::replace(&mut search.is_running, true) {
            self.timers.retain(|(_, timer)| *timer != Timer::CatchUp(channel.clone()));
            self.act(BridgeAction::CatchUp { channel: channel.clone(), since });
        }
    }

    pub(super) fn on_caught_up(&mut self, channel: &ChannelId, posts: &[Post], complete: bool) {
        self.take_posts(posts);
        let last = posts.iter().map(|post| post.created).max().unwrap_or_default();
        let Some(search) = self.catching_up.get_mut(channel) else { return };
        search.last = last.max(search.last);
        let known = if complete { Vec::new() } else { self.known_posts(channel) };
        match known.is_empty() {
            true => self.end_catch_up(channel),
            false => self.act(BridgeAction::FetchPosts { channel: channel.clone(), posts: known }),
        }
    }

    /// Returns the posts of a channel whose edits and deletions matter.
    fn known_posts(&self, channel: &ChannelId) -> Vec<PostId> {
        let handled = self.state.handled.iter();
        let prompts = handled.filter(|(_, one)| one.channel == *channel && one.hash.is_some());
        let threads = self.state.threads.values();
        let threads = threads.filter(|one| one.channel == *channel && !one.status.is_over());
        let roots = threads.filter_map(|thread| thread.root.clone());
        let posts: BTreeSet<_> = prompts.map(|(post, _)| post.clone()).chain(roots).collect();
        posts.into_iter().collect()
    }

    pub(super) fn on_posts_fetched(
        &mut self,
        channel: &ChannelId,
        posts: &[Post],
        gone: &[PostId],
    ) {
        self.take_posts(posts);
        for post in gone {
            self.on_delete(post);
        }
        self.end_catch_up(channel);
    }

    fn take_posts(&mut self, posts: &[Post]) {
        for post in posts {
            match post.is_deleted {
                true => self.on_delete(&post.id),
                false => self.on_post(post),
            }
        }
    }

    fn end_catch_up(&mut self, channel: &ChannelId) {
        let Some(search) = self.catching_up.get_mut(channel) else { return };
        (search.is_running, search.failures) = (false, 0);
        if std::mem::take(&mut search.is_outdated) {
            self.catch_up(channel);
        } else if let Some(search) = self.catching_up.remove(channel) {
            self.move_position(channel, search.last);
        }
    }

    pub(super) fn on_catch_up_failed(&mut self, channel: &ChannelId, error: &ChatError) {
        if matches!(error, ChatError::Gone | ChatError::Forbidden) {
            self.catching_up.remove(channel);
            self.on_removed(channel);
        } else if let Some(search) = self.catching_up.get_mut(channel) {
            search.is_running = false;
            let wait = retry_interval(search.failures);
            search.failures += 1;
            self.wake_after(wait, Timer::CatchUp(channel.clone()));
        }
    }

    /// Returns whether a post was handled, is being handled, or is too old.
    pub(super) fn is_handled(&self, post: &Post) -> bool {
        let is_known = self.state.handled.contains_key(&post.id);
        let is_old = post.created < self.position(&post.channel).minus(HANDLED_OVERLAP);
        is_known || is_old || self.queries.contains_key(&post.id)
    }

    /// Records that a post is handled. Its effect is recorded in the same call.
    pub(super) fn handled(&mut self, post: &Post, hash: Option<u64>) {
        let (id, channel, created) = (post.id.clone(), post.channel.clone(), post.created);
        self.record(JournalRecord::Handled { post: id, channel: channel.clone(), created, hash });
        if created > self.position(&channel).plus(POSITION_INTERVAL) {
            self.move_position(&channel, created);
        }
    }

    /// Moves the position of a channel, but not over posts that may be missed or are not handled.
    fn move_position(&mut self, channel: &ChannelId, to: Millis) {
        if self.has_gap || self.has_missed || self.catching_up.contains_key(channel) {
            return;
        }
        let waiting = self.queries.values().filter(|query| query.post.channel == *channel);
        let to = waiting.map(|query| query.post.created).min().map_or(to, |first| first.min(to));
        if to > self.position(channel) {
            self.record(JournalRecord::Position { channel: channel.clone(), at: to });
        }
    }
}
