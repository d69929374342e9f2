//! Makes the threads show what they should.
//!
//! Each thread has a lane with at most one request at a time. Planned posts are created in order
//! and at once; edits wait until [`EDIT_INTERVAL`] has passed since the last request. After a
//! restart, or a request whose result is not known, the lane first asks which of its posts exist.

mod failures;

use std::collections::{BTreeMap, BTreeSet};

use super::action::{BridgeAction, Content, OutFile};
use super::answer::shorten_markdown;
use super::ids::{Key, Millis, PostId, SessionId};
use super::input::OwnPost;
use super::markdown::inline_code;
use super::record::JournalRecord;
use super::slot::{PostLocation, Slot};
use super::state::{Planned, ThreadStatus};
use super::{Core, Timer};

/// Minimum time between the last request of a thread and an edit.
pub(super) const EDIT_INTERVAL: u64 = 1_000;
/// Maximum difference between our clock and that of the chat.
const MAX_CLOCK_DIFFERENCE: u64 = 10 * 60_000;

#[derive(Debug)]
pub(super) struct Lane {
    running: Option<Running>,
    /// What the posts show, as far as it is known.
    shown: BTreeMap<Key, String>,
    /// Whether it is known which planned posts exist.
    is_known: bool,
    next_edit: Millis,
    /// After a failure, no request before this time.
    blocked_until: Millis,
    failures: u32,
    /// How often the file of the next post failed.
    file_failures: u32,
    /// How often the next request was refused for a reason that the server did not confirm.
    refusals: u32,
}

#[derive(Debug)]
enum Running {
    Find,
    /// A post is created or edited and then shows this text.
    Write(String),
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            running: None,
            shown: BTreeMap::new(),
            is_known: true,
            next_edit: Millis::default(),
            blocked_until: Millis::default(),
            failures: 0,
            file_failures: 0,
            refusals: 0,
        }
    }
}

impl Core {
    /// Prepares the lanes of posts that were planned before a restart.
    pub(super) fn restore_lanes(&mut self) {
        let planned: Vec<_> = self.state.posts.values().cloned().collect();
        for post in planned {
            let is_session = matches!(post.slot, Slot::Session(_)) && post.post.is_some();
            let text = self.content(&post).map(|content| content.text);
            let lane = self.lanes.entry(post.lane()).or_default();
            match text {
                // Descriptions change rarely, so they are assumed to be up to date.
                Some(text) if is_session => {
                    lane.shown.insert(post.slot.key(), text);
                }
                _ => lane.is_known = false,
            }
        }
    }

    /// Plans a post, once for each key.
    pub(super) fn plan(&mut self, slot: Slot, place: PostLocation) {
        if !self.state.posts.contains_key(&slot.key()) {
            self.record(JournalRecord::PostPlanned { slot, place });
        }
    }

    /// Starts all lanes with something to do, without waiting for retries.
    pub(super) fn refresh_all_lanes(&mut self) {
        let is_known =
            |post: &Planned| self.lanes.get(&post.lane()).is_some_and(|one| one.is_known);
        let posts = self.state.posts.values();
        let posts = posts.filter(|post| !is_known(post) || !self.is_shown(post));
        let lanes: BTreeSet<_> = posts.map(Planned::lane).collect();
        self.timers.retain(|(_, timer)| !matches!(timer, Timer::Lane(_)));
        for lane in self.lanes.values_mut() {
            lane.blocked_until = Millis::default();
        }
        for lane in lanes {
            self.refresh_lane(&lane);
        }
    }

    /// Returns whether the thread can get an edit now. If not, sets a timer.
    pub(super) fn is_lane_free(&mut self, key: &Key) -> bool {
        let lane = self.lanes.entry(key.clone()).or_default();
        if lane.running.is_some() {
            return false;
        }
        let at = lane.next_edit.max(lane.blocked_until);
        if at > self.now {
            self.wake_at(at, Timer::Lane(key.clone()));
            return false;
        }
        true
    }

    /// Plans the pieces of the answers of a thread and starts its next request.
    pub(super) fn refresh_lane(&mut self, key: &Key) {
        if let Some(session) = self.state.roots.get(&PostId::from(key.as_str())).cloned() {
            self.plan_answers(&session);
            self.run_lane(key);
            self.close_turns(&session);
            self.forget_settled(key);
        } else {
            self.run_lane(key);
        }
    }

    /// Returns the posts of a lane in their order.
    fn posts_in(&self, lane: &Key) -> Vec<Planned> {
        let mut posts: Vec<_> = self.state.posts.values().filter(|one| one.is_in(lane)).collect();
        posts.sort_by_key(|post| post.number);
        posts.into_iter().cloned().collect()
    }

    /// Starts the next request of a thread.
    fn run_lane(&mut self, key: &Key) {
        let mut posts = self.posts_in(key);
        posts.retain(|post| !post.is_gone);
        let Some(first) = posts.first() else { return };
        let lane = self.lanes.entry(key.clone()).or_default();
        if !self.is_chat_ready || lane.running.is_some() || self.is_cut_off(first) {
            return;
        }
        let lane = self.lanes.entry(key.clone()).or_default();
        if lane.blocked_until > self.now {
            let at = lane.blocked_until;
            self.wake_at(at, Timer::Lane(key.clone()));
            return;
        }
        if !lane.is_known {
            lane.running = Some(Running::Find);
            let PostLocation { channel, root, at } = first.place.clone();
            let since = at.minus(self.clock_lag).minus(MAX_CLOCK_DIFFERENCE);
            self.act(BridgeAction::FindPosts { lane: key.clone(), channel, root, since });
            return;
        }
        if !self.create_next(key, &posts) {
            self.edit_next(key, &posts);
        }
    }

    /// Returns whether posts in this place would fail.
    fn is_cut_off(&self, post: &Planned) -> bool {
        let of_root = post.place.root.as_ref().and_then(|root| self.state.roots.get(root));
        let session = match &post.slot {
            Slot::Session(session) => Some(session),
            _ => of_root,
        };
        let thread = session.and_then(|session| self.state.threads.get(session));
        let status = thread.map(|thread| thread.status);
        matches!(status, Some(ThreadStatus::Lost | ThreadStatus::Away))
    }

    fn create_next(&mut self, key: &Key, posts: &[Planned]) -> bool {
        for post in posts.iter().filter(|post| post.post.is_none()) {
            let Some(Content { text, file }) = self.content(post) else { continue };
            if self.is_too_large(file.as_ref()) {
                self.give_up(post, "posted", "the file is too large");
                self.run_lane(key);
                return true;
            }
            let PostLocation { channel, root, .. } = post.place.clone();
            let post = post.slot.key();
            self.start(key, Running::Write(text.clone()));
            self.act(BridgeAction::CreatePost { key: post, channel, root, text, file });
            return true;
        }
        false
    }

    fn edit_next(&mut self, key: &Key, posts: &[Planned]) {
        for planned in posts {
            let Some(post) = planned.post.clone() else { continue };
            if self.is_shown(planned) {
                continue;
            }
            let Some(Content { text, .. }) = self.content(planned) else { continue };
            if self.is_lane_free(key) {
                let (slot_key, channel) = (planned.slot.key(), planned.place.channel.clone());
                self.start(key, Running::Write(text.clone()));
                self.act(BridgeAction::EditPost { key: slot_key, channel, post, text });
            }
            return;
        }
    }

    fn start(&mut self, key: &Key, running: Running) {
        let next_edit = self.now.plus(EDIT_INTERVAL);
        let lane = self.lanes.entry(key.clone()).or_default();
        lane.running = Some(running);
        lane.next_edit = next_edit;
    }

    /// Returns whether a post shows what it should, as far as that is known.
    pub(super) fn is_shown(&self, planned: &Planned) -> bool {
        let key = planned.slot.key();
        let shown = self.lanes.get(&planned.lane()).and_then(|lane| lane.shown.get(&key));
        match self.content(planned) {
            Some(content) => planned.post.is_some() && shown == Some(&content.text),
            None => planned.post.is_some(),
        }
    }

    /// Returns whether a post shows all that will ever be known of it.
    pub(super) fn is_settled(&self, planned: &Planned) -> bool {
        self.content(planned).is_none() || self.is_shown(planned)
    }

    pub(super) fn on_created(&mut self, key: &Key, post: &PostId, created: Millis) {
        let Some(planned) = self.state.posts.get(key).cloned() else { return };
        self.chat_ahead = created.0.cast_signed().saturating_sub(self.now.0.cast_signed());
        let text = self.finish(&planned.lane());
        self.confirm(&planned, (post, created), text);
        // The lane of a root post gets another name when the post exists.
        let lane = self.state.posts.get(key).map_or_else(|| planned.lane(), Planned::lane);
        self.refresh_lane(&lane);
    }

    /// Notes that a post exists and what it shows.
    fn confirm(
        &mut self,
        planned: &Planned,
        (post, created): (&PostId, Millis),
        text: Option<String>,
    ) {
        let key = planned.slot.key();
        if planned.post.is_none() {
            self.record(JournalRecord::PostCreated {
                key: key.clone(),
                post: post.clone(),
                created,
            });
        }
        if let (Some(text), Some(stored)) = (text, self.state.posts.get(&key)) {
            let next_edit = self.now.plus(EDIT_INTERVAL);
            let lane = self.lanes.entry(stored.lane()).or_default();
            lane.next_edit = next_edit;
            lane.shown.insert(key.clone(), text);
        }
        if let (Slot::Session(session), None) = (&planned.slot, &planned.post) {
            self.on_thread_created(session);
        }
        if let (Slot::Ask(_), None) = (&planned.slot, &planned.post) {
            // A user can react before the server confirms the post.
            self.act(BridgeAction::FetchReactions { post: post.clone() });
        }
        self.settle(&key);
    }

    pub(super) fn on_edited(&mut self, key: &Key) {
        let Some(planned) = self.state.posts.get(key).cloned() else { return };
        let text = self.finish(&planned.lane());
        if let (Some(text), Some(lane)) = (text, self.lanes.get_mut(&planned.lane())) {
            lane.shown.insert(key.clone(), text);
        }
        self.settle(key);
        self.refresh_lane(&planned.lane());
    }

    /// Forgets a post that will not change again.
    fn settle(&mut self, key: &Key) {
        let Some(planned) = self.state.posts.get(key) else { return };
        if self.is_over(&planned.slot) && self.is_shown(planned) {
            let lane = planned.lane();
            self.record(JournalRecord::PostSettled { key: key.clone() });
            self.forget_settled(&lane);
        }
    }

    /// Forgets what posts show that will not change again.
    pub(super) fn forget_settled(&mut self, lane: &Key) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.shown.retain(|key, _| self.state.posts.contains_key(key));
        }
    }

    /// Ends the request of a lane, which did not fail, and returns the text that it sent.
    fn finish(&mut self, key: &Key) -> Option<String> {
        let lane = self.lanes.get_mut(key)?;
        (lane.failures, lane.file_failures, lane.refusals) = (0, 0, 0);
        match lane.running.take()? {
            Running::Write(text) => Some(text),
            Running::Find => None,
        }
    }

    pub(super) fn on_posts_found(&mut self, lane: &Key, posts: &[OwnPost]) {
        // The lane starts no request before all posts that were found are noted.
        for one in self.posts_in(lane) {
            let key = one.slot.key();
            match posts.iter().find(|post| post.key == key) {
                Some(found) => {
                    self.confirm(&one, (&found.post, found.created), Some(found.text.clone()));
                }
                None if one.post.is_some() && !one.is_gone => {
                    self.record(JournalRecord::PostGone { key });
                }
                None => {}
            }
        }
        let known = self.lanes.entry(lane.clone()).or_default();
        // Failures are counted until a post is written: the server can answer this search, and refuse each post.
        (known.running, known.is_known) = (None, true);
        self.refresh_lane(lane);
    }

    /// Asks again which posts of a thread exist, before the next request.
    pub(super) fn forget_shown(&mut self, session: &SessionId) {
        let root = self.state.threads.get(session).and_then(|thread| thread.root.clone());
        let Some(root) = root else { return };
        let lane = self.lanes.entry(Key::from(root.as_str())).or_default();
        lane.is_known = false;
    }

    /// Returns what a post should show, or `None` while that is not known.
    fn content(&self, planned: &Planned) -> Option<Content> {
        let plain = |text| Content { text, file: None };
        let content = match &planned.slot {
            Slot::Session(session) => plain(self.session_text(session)?),
            Slot::Answer { session, turn, index, start } => {
                plain(self.answer_text(session, turn, *index, start)?)
            }
            Slot::Output { session, part, .. } => self.output_content(session, part)?,
            Slot::Image { session, path, .. } | Slot::File { session, path, .. } => {
                self.file_content(session, path)?
            }
            Slot::Text { name, text, .. } => {
                let file = OutFile::Text { name: name.clone(), content: text.clone() };
                Content { text: inline_code(name), file: Some(file) }
            }
            Slot::Ask(id) => self.ask_content(id)?,
            Slot::Note { text, .. } => plain(text.clone()),
        };
        let text = super::texts::silence_mentions(&content.text);
        // A longer text would be rejected.
        Some(Content { text: shorten_markdown(&text, self.settings.max_post_size), ..content })
    }

    /// Brings the thread of a session up to date.
    pub(super) fn refresh(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let lane = match &thread.root {
            Some(root) => Key::from(root.as_str()),
            None => Slot::Session(session.clone()).key(),
        };
        self.refresh_lane(&lane);
    }
}
