//! Sessions and their threads.

use std::collections::BTreeSet;

use super::action::{BridgeAction, MappingStatus, ThreadMapping};
use super::ids::{ChannelId, Key, Millis, PostId, SessionId};
use super::input::{AgentError, SessionInfo};
use super::live::Live;
use super::record::JournalRecord;
use super::settings::last_part;
use super::slot::{PostLocation, Slot};
use super::state::{PromptState, Start, Thread, ThreadStatus};
use super::{Core, RETRY_INTERVAL, Timer, texts};

/// Maximum time between a prompt and the event that its session has changed.
const PROMPT_INTERVAL: u64 = 500;
/// A session that was not used for so long gets no thread by itself, and a thread that ended before
/// is forgotten.
const MAX_UNUSED: u64 = 30 * 24 * 60 * 60_000;
/// Minimum time between two writes of a session's activity to the map.
const TOUCH_INTERVAL: u64 = 60_000;

impl Core {
    /// Takes what OpenCode says about a session.
    pub(super) fn on_session(&mut self, info: &SessionInfo) {
        if let Some(parent) = &info.parent {
            self.parents.insert(info.id.clone(), parent.clone());
            return;
        }
        if self.state.threads.contains_key(&info.id) {
            self.update_thread(info);
            return;
        }
        if let Some(post) = &info.origin {
            if self.state.starts.contains_key(post) {
                self.bind(post, info);
                return;
            }
            // A second session for one post, or one for a post that was deleted in between. It is never
            // used. A fork is: it has the metadata of the session that it continues.
            if info.updated <= info.created {
                return;
            }
        }
        let since = self.state.started.max(Some(self.now.minus(MAX_UNUSED)));
        let is_active = since.is_some_and(|since| info.updated >= since);
        if !is_active || info.is_archived || !self.settings.allows_directory(&info.directory) {
            return;
        }
        let is_ours = |post: &PostId| {
            self.state.starts.get(post).is_some_and(|start| start.directory == info.directory)
        };
        if info.origin.is_none() && self.creating.iter().any(is_ours) {
            // It can be the session that is being created: look again when that is known.
            self.wake_after(RETRY_INTERVAL, Timer::FetchAgent);
            return;
        }
        let is_new = self.state.started.is_some_and(|started| info.created >= started);
        // An older session is opened by the prompt that changed it.
        let recent = info.updated.minus(PROMPT_INTERVAL);
        self.open_thread(info, if is_new { info.created } else { recent });
    }

    /// Opens a thread in the home channel. Messages from before `baseline` are not posted.
    pub(super) fn open_thread(&mut self, info: &SessionInfo, baseline: Millis) {
        let channel = self.settings.home.clone();
        let thread = Thread {
            channel: channel.clone(),
            owner: self.settings.home_owner.clone(),
            baseline,
            ..new_thread(info)
        };
        self.record(JournalRecord::ThreadOpened(Box::new(thread)));
        self.plan(
            Slot::Session(info.id.clone()),
            PostLocation { channel, root: None, at: self.now },
        );
        self.refresh(&info.id);
        self.sync_session(&info.id);
    }

    /// Binds a session that was created for a post to that post.
    fn bind(&mut self, post: &PostId, info: &SessionInfo) {
        let Some(start) = self.state.starts.get(post).cloned() else { return };
        self.creating.remove(post);
        let Start { channel, user, directory, title, model, agent, .. } = start;
        let thread = Thread {
            channel: channel.clone(),
            root: Some(post.clone()),
            owner: user.clone(),
            baseline: Millis::default(),
            directory,
            title,
            model,
            agent,
            ..new_thread(info)
        };
        self.record(JournalRecord::ThreadOpened(Box::new(thread)));
        let place = PostLocation { channel, root: Some(post.clone()), at: self.now };
        self.plan(Slot::Session(info.id.clone()), place);
        self.audit(Some(&user), Some(&info.id), &format!("start in {}", info.directory), "created");
        // Nothing was sent to the session yet.
        let live = Live { is_synced: self.instance.is_some(), ..Live::default() };
        self.live.insert(info.id.clone(), live);
        self.on_thread_created(&info.id);
    }

    /// Continues when the root post of a session exists.
    pub(super) fn on_thread_created(&mut self, session: &SessionId) {
        if let Some((mapping, MappingStatus::Active)) = self.mapping(session) {
            self.act(BridgeAction::SetMapping(mapping));
        }
        self.plan_asks(session);
        self.fetch_links(session);
        self.refresh(session);
        self.advance(session);
    }

    fn update_thread(&mut self, info: &SessionInfo) {
        let Some(thread) = self.state.threads.get(&info.id) else { return };
        let session = &info.id;
        let (title, status) = (thread.title.clone(), thread.status);
        if title != info.title && !info.title.is_empty() {
            let title = info.title.clone();
            self.record(JournalRecord::Titled { session: session.clone(), title });
            if let Some((mapping, MappingStatus::Active)) = self.mapping(session) {
                self.act(BridgeAction::SetMapping(mapping));
            }
            self.refresh(session);
        }
        self.move_thread(info);
        match (status, info.is_archived) {
            (ThreadStatus::Open, true) => self.end_thread(session, ThreadStatus::Archived),
            (ThreadStatus::Archived, false) => self.reopen(session),
            _ => {}
        }
    }

    /// Follows a session to another directory, whether it is allowed or not.
    fn move_thread(&mut self, info: &SessionInfo) {
        let thread = self.state.threads.get(&info.id);
        let is_moved = thread.is_some_and(|thread| thread.directory != info.directory);
        if !is_moved || info.directory.is_empty() {
            return;
        }
        let (session, directory) = (info.id.clone(), info.directory.clone());
        self.record(JournalRecord::Moved { session, directory });
        if let Some((mapping, MappingStatus::Active)) = self.mapping(&info.id) {
            self.act(BridgeAction::SetMapping(mapping));
        }
        self.fetch_links(&info.id);
        self.refresh(&info.id);
    }

    pub(super) fn on_session_created(&mut self, post: &PostId, info: &SessionInfo) {
        self.creating.remove(post);
        // An event can have said so before.
        if self.state.starts.contains_key(post) {
            self.bind(post, info);
        }
    }

    pub(super) fn on_session_failed(&mut self, post: &PostId, error: &AgentError) {
        self.creating.remove(post);
        let Some(start) = self.state.starts.get(post).cloned() else { return };
        if matches!(error, AgentError::Undelivered | AgentError::Unreachable) {
            // The session can exist: the next snapshot shows it.
            self.mark_start(post);
            self.wake_after(RETRY_INTERVAL, Timer::FetchAgent);
            return;
        }
        self.record(JournalRecord::StartEnded { post: post.clone() });
        self.drop_prompts(post);
        let reason = texts::agent_error(error);
        let what = format!("start in {}", start.directory);
        self.audit(Some(&start.user), None, &what, &format!("refused: {reason}"));
        let text = format!("The session was not created: {reason}");
        self.note(&start.channel, post, &format!("{post}:start"), text);
    }

    /// Creates the session that a post asked for.
    pub(super) fn create_session(&mut self, post: &PostId) {
        let Some(start) = self.state.starts.get(post).cloned() else { return };
        if self.instance.is_some() && self.creating.insert(post.clone()) {
            let Start { directory, title, user, .. } = start;
            self.audit(Some(&user), None, &format!("start in {directory}"), "sent");
            self.act(BridgeAction::CreateSession { post: post.clone(), directory, title });
        }
    }

    pub(super) fn on_session_deleted(&mut self, session: &SessionId) {
        self.parents.remove(session);
        if self.state.threads.get(session).is_some_and(|one| one.status != ThreadStatus::Lost) {
            self.end_thread(session, ThreadStatus::Deleted);
        }
    }

    /// Ends the thread of a session that a user has ended in the session map, and stops what the agent is doing.
    pub(super) fn on_session_ended(&mut self, session: &SessionId) {
        let thread = self.state.threads.get(session);
        if thread.is_none_or(|thread| thread.status.is_over()) {
            return;
        }
        if self.live.get(session).is_some_and(|live| live.is_busy) {
            self.abort(session);
            self.audit(None, Some(session), "abort", "sent: the session was ended");
        }
        self.end_thread(session, ThreadStatus::Ended);
    }

    /// Ends a thread. Unless it is only archived, its prompts are dropped and its turns closed as they are.
    pub(super) fn end_thread(&mut self, session: &SessionId, status: ThreadStatus) {
        let Some(thread) = self.state.threads.get(session).cloned() else { return };
        if thread.status == status || thread.status == ThreadStatus::Deleted {
            return;
        }
        let (of, at) = (session.clone(), self.now);
        self.record(JournalRecord::ThreadStatus { session: of, status, at });
        if let Some((_, status)) = self.mapping(session) {
            self.act(BridgeAction::EndMapping { session: session.clone(), status });
        }
        if status.is_over() {
            self.end_asks(session, "The session ended.");
            let prompts = self.prompts_of(session);
            let waiting = prompts.iter().filter(|(_, prompt)| prompt.message().is_none()).count();
            for (post, _) in prompts {
                self.drop_prompt(&post);
            }
            for id in thread.turns.into_keys() {
                self.record(JournalRecord::TurnClosed { session: session.clone(), id });
            }
            self.live.remove(session);
            self.watch(session);
            if waiting > 0 {
                let what = if waiting == 1 { "prompt was" } else { "prompts were" };
                let text = format!("{waiting} waiting {what} dropped.");
                self.note_to_session(session, &format!("{session}:dropped"), text);
            }
        }
        match thread.root.filter(|_| status == ThreadStatus::Lost) {
            Some(root) => self.drop_lane(&Key::from(root.as_str())),
            None => self.refresh(session),
        }
    }

    /// Continues a thread that counts as deleted, after a reply in it: a server in trouble can have said so.
    pub(super) fn find_thread_again(&mut self, session: &SessionId) {
        let thread = self.state.threads.get(session);
        if thread.is_some_and(|thread| thread.status == ThreadStatus::Lost) {
            self.reopen(session);
        }
    }

    fn reopen(&mut self, session: &SessionId) {
        let status = ThreadStatus::Open;
        let (of, at) = (session.clone(), self.now);
        self.record(JournalRecord::ThreadStatus { session: of, status, at });
        self.on_thread_created(session);
        self.sync_session(session);
    }

    /// The bot is no longer in a channel.
    pub(super) fn on_removed(&mut self, channel: &ChannelId) {
        self.removed.insert(channel.clone());
        for session in self.threads_in(channel, ThreadStatus::Open) {
            let status = ThreadStatus::Away;
            let (of, at) = (session.clone(), self.now);
            self.record(JournalRecord::ThreadStatus { session: of, status, at });
            let status = MappingStatus::Disconnected;
            self.act(BridgeAction::EndMapping { session, status });
        }
    }

    /// The bot is in a channel again.
    pub(super) fn rejoin(&mut self, channel: &ChannelId) {
        if self.removed.remove(channel) {
            self.start_catch_up(channel);
        }
        for session in self.threads_in(channel, ThreadStatus::Away) {
            self.forget_shown(&session);
            self.reopen(&session);
        }
    }

    fn threads_in(&self, channel: &ChannelId, status: ThreadStatus) -> Vec<SessionId> {
        let threads = self.state.threads.values();
        let threads = threads.filter(|one| one.channel == *channel && one.status == status);
        threads.map(|thread| thread.session.clone()).collect()
    }

    /// Drops the prompts of a thread that were not sent.
    pub(super) fn drop_prompts(&mut self, root: &PostId) {
        let waiting = self.state.prompts.iter().filter(|(_, prompt)| {
            let is_sent = matches!(prompt.state, PromptState::Accepted { .. });
            prompt.root == *root && !is_sent
        });
        let waiting: Vec<_> = waiting.map(|(post, _)| post.clone()).collect();
        for post in waiting {
            self.drop_prompt(&post);
        }
    }

    /// Writes the activity of a session to the map, not too often.
    pub(super) fn touch(&mut self, session: &SessionId) {
        let last = self.touched.get(session).copied().unwrap_or_default();
        if self.state.threads.contains_key(session) && self.now >= last.plus(TOUCH_INTERVAL) {
            self.touched.insert(session.clone(), self.now);
            let at = self.clock_time();
            self.act(BridgeAction::TouchMapping { session: session.clone(), at });
        }
    }

    /// Forgets the threads that ended long ago, unless their sessions are still used elsewhere: those
    /// would get a thread again.
    pub(super) fn forget_threads(&mut self, sessions: &[SessionInfo]) {
        let oldest = self.now.minus(MAX_UNUSED);
        let used = sessions.iter().filter(|info| info.updated >= oldest).map(|info| &info.id);
        let used: BTreeSet<_> = used.collect();
        let threads = self.state.threads.values().filter(|thread| {
            thread.status.is_over() && thread.status_at < oldest && !used.contains(&thread.session)
        });
        let threads: Vec<_> =
            threads.map(|thread| (thread.session.clone(), thread.root.clone())).collect();
        for (session, root) in threads {
            if let Some(root) = root {
                self.lanes.remove(&Key::from(root.as_str()));
            }
            self.touched.remove(&session);
            self.record(JournalRecord::ThreadForgotten { session });
        }
    }

    /// Returns whether a session has a thread, which follows it to every directory, or can get one.
    pub fn follows(&self, info: &SessionInfo) -> bool {
        self.state.threads.contains_key(&info.id) || self.settings.allows_directory(&info.directory)
    }

    /// Returns the entries that the session map should have.
    pub fn mappings(&self) -> Vec<(ThreadMapping, MappingStatus)> {
        self.state.threads.keys().filter_map(|session| self.mapping(session)).collect()
    }

    fn mapping(&self, session: &SessionId) -> Option<(ThreadMapping, MappingStatus)> {
        let thread = self.state.threads.get(session)?;
        let status = match thread.status {
            ThreadStatus::Open => MappingStatus::Active,
            ThreadStatus::Archived | ThreadStatus::Away => MappingStatus::Disconnected,
            ThreadStatus::Deleted | ThreadStatus::Ended => MappingStatus::Ended,
            ThreadStatus::Lost => MappingStatus::Orphaned,
        };
        let mapping = ThreadMapping {
            session: session.clone(),
            root: thread.root.clone()?,
            short_id: texts::short_id(session),
            user: thread.owner.clone(),
            channel: thread.channel.clone(),
            project: last_part(&thread.directory).to_owned(),
            directory: thread.directory.clone(),
            title: thread.title.clone(),
            created: thread.created,
            active: self.touched.get(session).map_or(thread.created, |at| at.minus(self.clock_lag)),
        };
        Some((mapping, status))
    }

    /// Returns the description of a session.
    pub(super) fn session_text(&self, session: &SessionId) -> Option<String> {
        let thread = self.state.threads.get(session)?;
        Some(texts::session(thread))
    }
}

fn new_thread(info: &SessionInfo) -> Thread {
    Thread {
        session: info.id.clone(),
        directory: info.directory.clone(),
        title: info.title.clone(),
        channel: ChannelId::from(""),
        root: None,
        owner: "".into(),
        created: info.created,
        baseline: info.created,
        status: ThreadStatus::Open,
        status_at: Millis::default(),
        model: None,
        agent: None,
        is_muted: false,
        invited: BTreeSet::new(),
        turns: std::collections::BTreeMap::new(),
        closed: None,
        seen: Millis::default(),
        links: String::new(),
    }
}
