//! Finds what happened in the chat while the bridge did not listen.

use super::action::Action;
use super::ids::{ChannelId, PostId, Time};
use super::input::{ChannelSeen, Post};
use super::record::Record;
use super::slot::Slot;
use super::state::{HANDLED_OVERLAP, PromptState, ThreadStatus};
use super::{Core, Timer};

/// How far a position can be behind the last handled post.
const POSITION_INTERVAL: u64 = 60_000;
/// Posts from so long before the position are fetched again.
const CATCH_UP_OVERLAP: u64 = 2 * 60_000;

impl Core {
    pub(super) fn on_connected(&mut self, complete: bool, channels: &[ChannelSeen]) {
        let is_first = !self.is_chat_ready;
        self.is_chat_ready = true;
        self.has_gap = false;
        if !complete || is_first {
            self.check_channels(channels);
            for seen in channels {
                let position = self.position(&seen.channel);
                if seen.last_post_at.plus(CATCH_UP_OVERLAP) >= position {
                    self.catching_up.insert(seen.channel.clone());
                    self.catch_up(&seen.channel);
                }
            }
            self.fetch_reactions();
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
        let doubtful = self.state.prompts.iter();
        let doubtful = doubtful.filter(|(_, prompt)| prompt.state == PromptState::Doubtful);
        let posts: Vec<PostId> = asks
            .filter_map(|post| post.post.clone())
            .chain(doubtful.map(|(post, _)| post.clone()))
            .collect();
        for post in posts {
            self.act(Action::FetchReactions { post });
        }
    }

    /// Returns the time up to which all posts of a channel are handled.
    fn position(&self, channel: &ChannelId) -> Time {
        let started = self.state.started.unwrap_or_default();
        self.state.positions.get(channel).copied().unwrap_or(started)
    }

    pub(super) fn catch_up(&mut self, channel: &ChannelId) {
        let since = self.position(channel).minus(CATCH_UP_OVERLAP);
        let since = since.max(self.state.started.unwrap_or_default());
        self.act(Action::CatchUp { channel: channel.clone(), since });
    }

    pub(super) fn on_caught_up(&mut self, channel: &ChannelId, posts: &[Post]) {
        for post in posts {
            match post.is_deleted {
                true => self.on_delete(post),
                false => self.on_post(post),
            }
        }
        self.catching_up.remove(channel);
        self.timers.retain(|(_, timer)| *timer != Timer::CatchUp(channel.clone()));
        if let Some(last) = posts.iter().map(|post| post.created).max() {
            self.move_position(channel, last);
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
        self.record(Record::Handled { post: id, channel: channel.clone(), created, hash });
        if created > self.position(&channel).plus(POSITION_INTERVAL) {
            self.move_position(&channel, created);
        }
    }

    /// Moves the position of a channel, but not over posts that may be missed or are not handled.
    fn move_position(&mut self, channel: &ChannelId, to: Time) {
        if self.has_gap || self.catching_up.contains(channel) {
            return;
        }
        let waiting = self.queries.values().filter(|query| query.post.channel == *channel);
        let to = waiting.map(|query| query.post.created).min().map_or(to, |first| first.min(to));
        if to > self.position(channel) {
            self.record(Record::Position { channel: channel.clone(), at: to });
        }
    }
}
