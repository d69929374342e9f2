//! The state machine between the chat and the agent: events in, actions out.
//!
//! It has no clock, no randomness and does no input or output, so that tests can play every order
//! of events. Its durable [`BridgeState`] changes only by [`JournalRecord`]s, which are on disk before the
//! action that depends on them; all other state can be lost at any moment. After a restart, or a
//! gap in the events of a server, the core asks for the state of that server and compares.
//!
//! - A post is handled once: the record that it is handled is written together with its effect.
//! - A prompt is sent with a recorded message id, and is looked up before it is sent again.
//! - The posts of a thread are planned (a record), created, and edited until they show what they
//!   should (`lanes.rs`). A planned post has a key, by which it is found after a restart.

mod abort;
mod agent;
mod answer;
mod apply;
mod ask_text;
mod asks;
mod catch_up;
mod chat;
mod commands;
mod files;
mod lanes;
mod links;
mod live;
mod local;
pub(crate) mod markdown;
mod prompts;
mod rights;
mod texts;
mod threads;
mod turns;
mod unposted;

pub mod action;
pub mod ids;
pub mod input;
pub mod record;
pub mod settings;
pub mod slot;
pub mod state;

pub use action::BridgeAction;
pub use files::{Attachment, Delivery};
pub use input::Input;
pub use local::LocalRefusal;
pub use record::JournalRecord;
pub use settings::BridgeSettings;
pub use state::BridgeState;

use std::collections::{BTreeMap, BTreeSet};

use action::Audit;
use catch_up::CatchUp;
use ids::{ChannelId, Key, Millis, PostId, SessionId, UserId};
use input::{ChatEvent, Outcome};
use lanes::Lane;
use live::Live;
use rights::RateLimit;
use slot::{PostLocation, Slot};
use state::ThreadStatus;

/// The state machine. See the [module](self).
#[derive(Debug)]
pub struct Core {
    settings: BridgeSettings,
    state: BridgeState,
    /// The time, which never goes back while the bridge runs.
    now: Millis,
    /// By how many milliseconds the clock was set back since the start.
    clock_lag: u64,
    /// The time of the first input, if there was one since the start.
    run_start: Option<Millis>,
    actions: Vec<BridgeAction>,
    timers: BTreeSet<(Millis, Timer)>,

    /// Whether the chat was connected since the start.
    is_chat_ready: bool,
    /// Whether posts may be missed at the moment.
    has_gap: bool,
    /// Whether posts were missed in channels that are not being caught up yet.
    has_missed: bool,
    lanes: BTreeMap<Key, Lane>,
    /// Channels whose missed posts are not known yet.
    catching_up: BTreeMap<ChannelId, CatchUp>,
    /// Channels that the bot was removed from. When it is back, posts were missed.
    removed: BTreeSet<ChannelId>,
    /// Commands that wait for an answer of OpenCode. Their posts are not handled yet.
    queries: BTreeMap<PostId, commands::Pending>,
    rate: RateLimit,
    /// Users who were told that there were too many prompts in a thread, and until when. By the clock of the chat.
    told_to_wait: BTreeMap<(UserId, PostId), Millis>,
    /// By how many milliseconds the clock of the chat is ahead of ours, as far as it is known.
    chat_ahead: i64,
    /// Prompts that show that they wait.
    marked: BTreeSet<PostId>,

    /// The instance of OpenCode, while it is connected and its state is known.
    instance: Option<String>,
    /// The number of the connection. Answers to requests of earlier ones are ignored.
    connection: u64,
    /// The instance that was connected and whose state is being fetched.
    connecting: Option<String>,
    live: BTreeMap<SessionId, Live>,
    /// The sessions that subagents work for.
    parents: BTreeMap<SessionId, SessionId>,
    /// Sessions that are being created for a post, in this run.
    creating: BTreeSet<PostId>,
    /// Prompts whose request is running.
    sending: BTreeSet<PostId>,
    /// Answers to permissions and questions whose request is running, and what OpenCode said of it before the result.
    replying: BTreeMap<ids::AskId, Option<input::AskReply>>,
    /// Answers of which it is not known whether they arrived.
    unsure_replies: BTreeSet<ids::AskId>,
    /// Permissions and questions of which an event came since the state of OpenCode was asked for.
    fresh_asks: BTreeSet<ids::AskId>,
    /// Whether the reviews and checkpoints of all sessions were asked for.
    are_links_fetched: bool,
    /// When the activity of a session was last written to the map.
    touched: BTreeMap<SessionId, Millis>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Lane(Key),
    Recheck(SessionId),
    CatchUp(ChannelId),
    FetchUsers,
    FetchAgent,
    Reply(ids::AskId),
}

/// Time between attempts after a server was not reachable.
const RETRY_INTERVAL: u64 = 5_000;
/// Maximum time between attempts to reach the chat.
const MAX_RETRY_INTERVAL: u64 = 60_000;

/// Returns the time to wait after a number of earlier failures.
fn retry_interval(failures: u32) -> u64 {
    (RETRY_INTERVAL << failures.min(4)).min(MAX_RETRY_INTERVAL)
}

impl Core {
    /// Builds the core from the records of its journal.
    pub fn new(settings: BridgeSettings, state: BridgeState) -> Self {
        let mut core = Self {
            settings,
            state,
            now: Millis::default(),
            clock_lag: 0,
            run_start: None,
            actions: Vec::new(),
            timers: BTreeSet::new(),
            is_chat_ready: false,
            has_gap: true,
            has_missed: true,
            lanes: BTreeMap::new(),
            catching_up: BTreeMap::new(),
            removed: BTreeSet::new(),
            queries: BTreeMap::new(),
            rate: RateLimit::default(),
            told_to_wait: BTreeMap::new(),
            chat_ahead: 0,
            marked: BTreeSet::new(),
            instance: None,
            connection: 0,
            connecting: None,
            live: BTreeMap::new(),
            parents: BTreeMap::new(),
            creating: BTreeSet::new(),
            sending: BTreeSet::new(),
            replying: BTreeMap::new(),
            unsure_replies: BTreeSet::new(),
            fresh_asks: BTreeSet::new(),
            are_links_fetched: false,
            touched: BTreeMap::new(),
        };
        core.marked = core.waiting_prompts();
        core.restore_lanes();
        core
    }

    /// Takes an input and returns what is to be done. `now` is what the clock shows, which can be set back.
    pub fn handle(&mut self, now: Millis, input: Input) -> Vec<BridgeAction> {
        // Otherwise everything that waits would do so until the clock shows its time again.
        self.clock_lag = self.clock_lag.max(self.now.0.saturating_sub(now.0));
        self.now = now.plus(self.clock_lag);
        if self.state.started.is_none() {
            self.record(JournalRecord::Started { at: self.now });
        }
        if self.run_start.is_none() {
            self.run_start = Some(self.now);
            // The settings can have changed since the last run.
            self.drop_prompts_without_rights();
        }
        match input {
            Input::Chat(event) => self.on_chat(event),
            Input::Agent(event) => self.on_agent(event),
            Input::Outcome(outcome) => self.on_outcome(outcome),
            Input::Local(request) => self.on_local(request),
            Input::SessionEnded(session) => self.on_session_ended(&session),
            Input::Wake => {}
        }
        self.run_timers();
        std::mem::take(&mut self.actions)
    }

    /// Returns what the clock shows when the core wants to be called again, if nothing happens before.
    pub fn next_wakeup(&self) -> Option<Millis> {
        self.timers.first().map(|(at, _)| at.minus(self.clock_lag))
    }

    /// Returns what the clock shows. Times of others, such as those of OpenCode, are compared with it.
    fn clock_time(&self) -> Millis {
        self.now.minus(self.clock_lag)
    }

    /// Returns a recorded time, or that of the start if the clock was set back since it was recorded.
    fn past(&self, at: Millis) -> Millis {
        let start = self.run_start.unwrap_or(self.now);
        if at > self.now { start } else { at }
    }

    /// Returns the durable state.
    pub fn state(&self) -> &BridgeState {
        &self.state
    }

    /// Returns the record that replaces all records of the journal so far.
    pub fn snapshot(&self) -> JournalRecord {
        JournalRecord::Snapshot(Box::new(self.state.clone()))
    }

    fn on_chat(&mut self, event: ChatEvent) {
        match event {
            ChatEvent::Connected { complete, channels } => self.on_connected(complete, &channels),
            ChatEvent::Disconnected => self.has_gap = true,
            ChatEvent::Missed => self.has_missed = true,
            ChatEvent::Posted(post) => self.on_posted(&post),
            ChatEvent::Edited(post) => self.on_edit(&post),
            ChatEvent::Deleted(post) => self.on_delete(&post.id),
            ChatEvent::Reacted(reaction) => self.on_reaction(&reaction),
            ChatEvent::Removed(channel) => self.on_removed(&channel),
            ChatEvent::UserDeactivated(user) => self.on_deactivated(&user),
        }
    }

    fn on_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::PostCreated { key, post, created } => self.on_created(&key, &post, created),
            Outcome::PostFailed { key, error } => self.on_create_failed(&key, &error),
            Outcome::PostEdited { key } => self.on_edited(&key),
            Outcome::EditFailed { key, error } => self.on_edit_failed(&key, &error),
            Outcome::PostsFound { lane, posts } => self.on_posts_found(&lane, &posts),
            Outcome::FindFailed { lane, error } => self.on_find_failed(&lane, &error),
            Outcome::CaughtUp { channel, posts, complete } => {
                self.on_caught_up(&channel, &posts, complete);
            }
            Outcome::PostsFetched { channel, posts, gone } => {
                self.on_posts_fetched(&channel, &posts, &gone);
            }
            Outcome::CatchUpFailed { channel, error } => self.on_catch_up_failed(&channel, &error),
            Outcome::Reactions { reactions } => {
                for reaction in &reactions {
                    self.on_reaction(reaction);
                }
            }
            Outcome::UsersFetched { deactivated } => {
                for user in &deactivated {
                    self.on_deactivated(user);
                }
            }
            Outcome::UsersFailed => self.wake_after(MAX_RETRY_INTERVAL, Timer::FetchUsers),
            Outcome::SessionCreated { post, session } => self.on_session_created(&post, &session),
            Outcome::SessionFailed { post, error } => self.on_session_failed(&post, &error),
            Outcome::PromptAccepted { post } => self.on_prompt_accepted(&post),
            Outcome::PromptFailed { post, error } => self.on_prompt_failed(&post, &error),
            Outcome::FilesMissing { post, session, files } => {
                self.on_files_missing(&post, &session, &files);
            }
            Outcome::AgentFetched { connection, snapshot } => {
                if connection == self.connection {
                    self.on_snapshot(&snapshot);
                }
            }
            Outcome::AgentFetchFailed => self.wake_after(RETRY_INTERVAL, Timer::FetchAgent),
            Outcome::MessagesFetched { connection, session, is_busy, messages } => {
                if connection == self.connection {
                    self.on_messages(&session, is_busy, messages);
                }
            }
            Outcome::MessagesFailed { session, error } => {
                self.on_messages_failed(&session, &error);
            }
            Outcome::Replied { id } => self.on_replied(&id),
            Outcome::ReplyFailed { id, error } => self.on_reply_failed(&id, &error),
            Outcome::Queried { post, answer } => self.on_queried(&post, answer),
            Outcome::CompactFailed { post, session, error } => {
                self.on_compact_failed(&post, &session, &error);
            }
            Outcome::LinksFetched { sessions, text } => self.on_links(&sessions, &text),
        }
    }

    fn run_timers(&mut self) {
        while let Some((at, _)) = self.timers.first() {
            if *at > self.now {
                return;
            }
            let Some((_, timer)) = self.timers.pop_first() else { return };
            match timer {
                Timer::Lane(lane) => self.refresh_lane(&lane),
                Timer::Recheck(session) => self.recheck(&session),
                Timer::CatchUp(channel) => self.catch_up(&channel),
                Timer::FetchUsers => self.fetch_users(),
                Timer::FetchAgent => self.fetch_agent(),
                Timer::Reply(id) => self.send_reply(&id),
            }
        }
    }

    /// Changes the durable state.
    fn record(&mut self, record: JournalRecord) {
        self.state.apply(&record);
        self.actions.push(BridgeAction::Journal(record));
    }

    fn act(&mut self, action: BridgeAction) {
        self.actions.push(action);
    }

    fn audit(
        &mut self,
        user: Option<&UserId>,
        session: Option<&SessionId>,
        what: &str,
        result: &str,
    ) {
        self.actions.push(BridgeAction::Audit(Audit {
            at: self.clock_time(),
            user: user.cloned(),
            session: session.cloned(),
            what: what.to_owned(),
            result: result.to_owned(),
        }));
    }

    /// Returns what our clock showed at a time of the chat.
    fn local_time(&self, at: Millis) -> Millis {
        Millis(at.0.saturating_add_signed(self.chat_ahead.saturating_neg()))
    }

    fn wake_after(&mut self, milliseconds: u64, timer: Timer) {
        self.wake_at(self.now.plus(milliseconds), timer);
    }

    /// Sets a timer. A timer that is due earlier is kept instead.
    fn wake_at(&mut self, at: Millis, timer: Timer) {
        let earlier = self.timers.iter().find(|(_, one)| *one == timer).map(|(at, _)| *at);
        match earlier {
            Some(earlier) if earlier <= at => {}
            Some(earlier) => {
                self.timers.remove(&(earlier, timer.clone()));
                self.timers.insert((at, timer));
            }
            None => {
                self.timers.insert((at, timer));
            }
        }
    }

    /// Plans a note in a thread, once for each id.
    fn note(&mut self, channel: &ChannelId, root: &PostId, id: &str, text: impl Into<String>) {
        self.plan_in(channel, root, Slot::Note { id: id.to_owned(), text: text.into() });
    }

    /// Plans a post in a thread.
    fn plan_in(&mut self, channel: &ChannelId, root: &PostId, slot: Slot) {
        let place =
            PostLocation { channel: channel.clone(), root: Some(root.clone()), at: self.now };
        self.plan(slot, place);
        self.refresh_lane(&Key::from(root.as_str()));
    }

    fn note_to_session(&mut self, session: &SessionId, id: &str, text: impl Into<String>) {
        let Some(thread) = self.state.threads.get(session) else { return };
        if thread.status == ThreadStatus::Lost {
            return;
        }
        if let (channel, Some(root)) = (thread.channel.clone(), thread.root.clone()) {
            self.note(&channel, &root, id, text);
        }
    }
}
