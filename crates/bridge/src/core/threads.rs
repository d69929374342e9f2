//! Sessions and their threads.

use super::action::{Action, Mapping, MappingStatus};
use super::ids::{ChannelId, Key, PostId, SessionId, Time};
use super::input::{AgentError, SessionInfo};
use super::live::Live;
use super::record::Record;
use super::settings::last_part;
use super::slot::{PostLocation, Slot};
use super::state::{PromptState, Start, Thread, ThreadStatus};
use super::{Core, RETRY_INTERVAL, Timer, texts};

/// Maximum time between a prompt and the event that its session has changed.
const PROMPT_INTERVAL: u64 = 500;
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
            // A second session for one post: the first request was only slow.
            if self.state.roots.contains_key(post) {
                return;
            }
        }
        let is_active = self.state.started.is_some_and(|started| info.updated >= started);
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
    pub(super) fn open_thread(&mut self, info: &SessionInfo, baseline: Time) {
        let channel = self.settings.home.clone();
        let thread = Thread {
            channel: channel.clone(),
            owner: self.settings.home_owner.clone(),
            baseline,
            ..new_thread(info)
        };
        self.record(Record::ThreadOpened(Box::new(thread)));
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
            baseline: Time::default(),
            directory,
            title,
            model,
            agent,
            ..new_thread(info)
        };
        self.record(Record::ThreadOpened(Box::new(thread)));
        let place = PostLocation { channel, root: Some(post.clone()), at: self.now };
        self.plan(Slot::Session(info.id.clone()), place);
        self.audit(Some(&user), Some(&info.id), "start", "created");
        // Nothing was sent to the session yet.
        let live = Live { is_synced: self.instance.is_some(), ..Live::default() };
        self.live.insert(info.id.clone(), live);
        self.on_thread_created(&info.id);
    }

    /// Continues when the root post of a session exists.
    pub(super) fn on_thread_created(&mut self, session: &SessionId) {
        if let Some((mapping, MappingStatus::Active)) = self.mapping(session) {
            self.act(Action::SetMapping(mapping));
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
            self.record(Record::Titled { session: session.clone(), title });
            if let Some((mapping, MappingStatus::Active)) = self.mapping(session) {
                self.act(Action::SetMapping(mapping));
            }
        }
        match (status, info.is_archived) {
            (ThreadStatus::Open, true) => self.end_thread(session, ThreadStatus::Archived),
            (ThreadStatus::Archived, false) => self.reopen(session),
            _ => {}
        }
        self.refresh(session);
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
            self.wake_after(RETRY_INTERVAL, Timer::FetchAgent);
            return;
        }
        self.record(Record::StartEnded { post: post.clone() });
        self.drop_prompts(post);
        self.audit(Some(&start.user), None, "start", &texts::agent_error(error));
        let text = format!("The session was not created: {}", texts::agent_error(error));
        self.note(&start.channel, post, &format!("{post}:start"), text);
    }

    /// Creates the session that a post asked for.
    pub(super) fn create_session(&mut self, post: &PostId) {
        let Some(start) = self.state.starts.get(post).cloned() else { return };
        if self.instance.is_some() && self.creating.insert(post.clone()) {
            let Start { directory, title, .. } = start;
            self.act(Action::CreateSession { post: post.clone(), directory, title });
        }
    }

    pub(super) fn on_session_deleted(&mut self, session: &SessionId) {
        self.parents.remove(session);
        if self.state.threads.get(session).is_some_and(|one| one.status != ThreadStatus::Lost) {
            self.end_thread(session, ThreadStatus::Deleted);
        }
    }

    /// Ends a thread. Its prompts are dropped and its turns closed as they are.
    pub(super) fn end_thread(&mut self, session: &SessionId, status: ThreadStatus) {
        let Some(thread) = self.state.threads.get(session).cloned() else { return };
        if thread.status == status || thread.status == ThreadStatus::Deleted {
            return;
        }
        self.record(Record::ThreadStatus { session: session.clone(), status });
        if let Some((_, status)) = self.mapping(session) {
            self.act(Action::EndMapping { session: session.clone(), status, at: self.now });
        }
        if let Some(root) = &thread.root {
            self.drop_prompts(root);
        }
        if matches!(status, ThreadStatus::Deleted | ThreadStatus::Lost) {
            self.end_asks(session, "The session ended.");
            for id in thread.turns.into_keys() {
                self.record(Record::TurnClosed { session: session.clone(), id });
            }
            self.live.remove(session);
            self.watch(session);
        }
        match thread.root.filter(|_| status == ThreadStatus::Lost) {
            Some(root) => self.drop_lane(&Key::from(root.as_str())),
            None => self.refresh(session),
        }
    }

    fn reopen(&mut self, session: &SessionId) {
        let status = ThreadStatus::Open;
        self.record(Record::ThreadStatus { session: session.clone(), status });
        self.on_thread_created(session);
        self.sync_session(session);
    }

    /// The bot is no longer in a channel.
    pub(super) fn on_removed(&mut self, channel: &ChannelId) {
        for session in self.threads_in(channel, ThreadStatus::Open) {
            let status = ThreadStatus::Away;
            self.record(Record::ThreadStatus { session: session.clone(), status });
            let status = MappingStatus::Disconnected;
            self.act(Action::EndMapping { session, status, at: self.now });
        }
    }

    /// The bot is in a channel again.
    pub(super) fn rejoin(&mut self, channel: &ChannelId) {
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
            self.act(Action::TouchMapping { session: session.clone(), at: self.now });
        }
    }

    /// Returns the entries that the session map should have.
    pub fn mappings(&self) -> Vec<(Mapping, MappingStatus)> {
        self.state.threads.keys().filter_map(|session| self.mapping(session)).collect()
    }

    fn mapping(&self, session: &SessionId) -> Option<(Mapping, MappingStatus)> {
        let thread = self.state.threads.get(session)?;
        let status = match thread.status {
            ThreadStatus::Open => MappingStatus::Active,
            ThreadStatus::Archived | ThreadStatus::Away => MappingStatus::Disconnected,
            ThreadStatus::Deleted => MappingStatus::Ended,
            ThreadStatus::Lost => MappingStatus::Orphaned,
        };
        let mapping = Mapping {
            session: session.clone(),
            root: thread.root.clone()?,
            short_id: texts::short_id(session),
            user: thread.owner.clone(),
            channel: thread.channel.clone(),
            project: last_part(&thread.directory).to_owned(),
            directory: thread.directory.clone(),
            title: thread.title.clone(),
            created: thread.created,
            active: self.touched.get(session).copied().unwrap_or(thread.created),
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
        model: None,
        agent: None,
        is_muted: false,
        invited: std::collections::BTreeSet::new(),
        turns: std::collections::BTreeMap::new(),
        closed: None,
        seen: Time::default(),
        links: String::new(),
    }
}
