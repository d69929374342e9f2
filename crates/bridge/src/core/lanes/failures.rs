//! Requests for posts that failed: which are tried again, and what the others end.

use super::Planned;
use crate::core::action::BridgeAction;
use crate::core::ids::Key;
use crate::core::input::ChatError;
use crate::core::record::JournalRecord;
use crate::core::state::ThreadStatus;
use crate::core::{Core, Timer, retry_interval};

/// How often the file of a post may fail before the post is given up.
const MAX_FILE_FAILURES: u32 = 5;
/// How often the server may refuse a request that it should permit, before it is believed: over 75 seconds, while it answers what
/// is asked in between. While it does not, nothing is counted.
const MAX_REFUSALS: u32 = 5;

impl Core {
    pub(in crate::core) fn on_create_failed(&mut self, key: &Key, error: &ChatError) {
        let Some(planned) = self.state.posts.get(key).cloned() else { return };
        let lane = planned.lane();
        match error {
            ChatError::Missing | ChatError::Refused(_) if self.may_repeat_refused(&lane) => {
                self.block(&lane);
                return;
            }
            ChatError::Gone | ChatError::Missing if planned.place.root.is_some() => {
                self.lose_thread(&planned);
            }
            ChatError::Forbidden => self.leave_channel(&planned),
            ChatError::Refused(reason) => {
                self.act(BridgeAction::Warn(format!("a post is refused in a channel: {reason}")));
                self.leave_channel(&planned);
            }
            ChatError::Unreachable => {
                self.lanes.entry(lane.clone()).or_default().is_known = false;
                self.block(&lane);
                return;
            }
            ChatError::FileFailed(_) if self.may_repeat_file(&lane) => {
                self.block(&lane);
                return;
            }
            ChatError::Gone | ChatError::Missing => {
                self.give_up(&planned, "posted", "the channel does not exist");
            }
            ChatError::Rejected(reason) | ChatError::FileFailed(reason) => {
                self.give_up(&planned, "posted", reason);
            }
        }
        self.finish(&lane);
        self.refresh_lane(&lane);
    }

    /// Counts a failure of the file of a post. Returns whether it is tried again.
    fn may_repeat_file(&mut self, lane: &Key) -> bool {
        let lane = self.lanes.entry(lane.clone()).or_default();
        lane.file_failures += 1;
        lane.file_failures < MAX_FILE_FAILURES
    }

    /// Counts a request that was refused for a reason that the server did not confirm. Returns whether it is tried again.
    fn may_repeat_refused(&mut self, lane: &Key) -> bool {
        let lane = self.lanes.entry(lane.clone()).or_default();
        lane.refusals += 1;
        lane.refusals < MAX_REFUSALS
    }

    pub(in crate::core) fn on_edit_failed(&mut self, key: &Key, error: &ChatError) {
        let Some(planned) = self.state.posts.get(key).cloned() else { return };
        let lane = planned.lane();
        match error {
            ChatError::Unreachable => {
                self.block(&lane);
                return;
            }
            ChatError::Missing | ChatError::Refused(_) if self.may_repeat_refused(&lane) => {
                self.block(&lane);
                return;
            }
            ChatError::Rejected(reason)
            | ChatError::Refused(reason)
            | ChatError::FileFailed(reason) => {
                self.give_up(&planned, "updated", reason);
            }
            // Whether the whole thread was deleted is shown by its next new post.
            ChatError::Gone | ChatError::Missing => self.end_post(&planned.slot),
            ChatError::Forbidden => self.leave_channel(&planned),
        }
        self.finish(&lane);
        self.refresh_lane(&lane);
    }

    pub(in crate::core) fn on_find_failed(&mut self, lane: &Key, error: &ChatError) {
        let is_unclear = matches!(error, ChatError::Missing | ChatError::Refused(_));
        if is_unclear && self.may_repeat_refused(lane) {
            self.block(lane);
            return;
        }
        match (error, self.posts_in(lane).first()) {
            (ChatError::Gone | ChatError::Missing, Some(planned))
                if planned.place.root.is_some() =>
            {
                self.finish(lane);
                let planned = planned.clone();
                self.lose_thread(&planned);
            }
            (ChatError::Forbidden, Some(planned)) => {
                let planned = planned.clone();
                self.finish(lane);
                self.leave_channel(&planned);
            }
            _ => self.block(lane),
        }
    }

    /// Stops a lane for a while after the chat was not reachable.
    fn block(&mut self, key: &Key) {
        let lane = self.lanes.entry(key.clone()).or_default();
        lane.running = None;
        let wait = retry_interval(lane.failures);
        lane.failures += 1;
        lane.blocked_until = self.now.plus(wait);
        self.wake_after(wait, Timer::Lane(key.clone()));
    }

    /// The bot may not write where a post belongs.
    fn leave_channel(&mut self, planned: &Planned) {
        self.on_removed(&planned.place.channel);
        if !self.is_cut_off(planned) {
            self.drop_lane(&planned.lane());
        }
    }

    /// The thread of a post was deleted.
    fn lose_thread(&mut self, planned: &Planned) {
        let root = planned.place.root.as_ref();
        match root.and_then(|root| self.state.roots.get(root)).cloned() {
            Some(session) => self.end_thread(&session, ThreadStatus::Lost),
            None => self.drop_lane(&planned.lane()),
        }
    }

    /// Gives up all posts of a lane.
    pub(in crate::core) fn drop_lane(&mut self, lane: &Key) {
        for post in self.posts_in(lane) {
            self.record(JournalRecord::PostSettled { key: post.slot.key() });
        }
        self.lanes.remove(lane);
    }
}
