//! An OpenCode server in memory.

use std::collections::{BTreeMap, VecDeque};

use skein_bridge::core::BridgeAction;
use skein_bridge::core::action::{CommandQuery, PromptRequest};
use skein_bridge::core::ids::{AskId, MessageId, Millis, PartId, PostId, SessionId};
use skein_bridge::core::input::{
    AgentError, AgentEvent, AgentSnapshot, Answer, AskReply, AskRequest, Body, MessageInfo,
    MessagePart, Outcome, PartKind, SessionInfo, Tool,
};

#[derive(Default)]
pub(crate) struct AgentServer {
    pub(crate) sessions: BTreeMap<SessionId, AgentSession>,
    /// Events that the bridge did not take yet.
    pub(crate) events: VecDeque<AgentEvent>,
    pub(crate) is_down: bool,
    /// The next prompt or reply arrives, but the answer to the request does not.
    pub(crate) loses_answer: bool,
    /// Sessions, prompts and replies are refused.
    pub(crate) rejection: Option<String>,
    /// The next prompt does not arrive.
    pub(crate) loses_request: bool,
    pub(crate) instance: usize,
    pub(crate) prompts: Vec<(MessageId, String)>,
    pub(crate) requests: Vec<PromptRequest>,
    /// What sessions have changed.
    pub(crate) diff: String,
    pub(crate) asks: Vec<AskRequest>,
    pub(crate) replies: Vec<(AskId, AskReply)>,
    pub(crate) aborts: usize,
    /// How often messages were fetched.
    pub(crate) fetches: usize,
    /// The reviews and checkpoints of all directories.
    pub(crate) links: String,
    next: u64,
}

pub(crate) struct AgentSession {
    pub(crate) info: SessionInfo,
    pub(crate) is_busy: bool,
    pub(crate) messages: Vec<(MessageInfo, Vec<MessagePart>)>,
    /// Messages that were being written when the server died.
    lost: Vec<MessageId>,
}

impl AgentSession {
    /// Returns the answer that is being written.
    fn open(&mut self) -> Option<&mut (MessageInfo, Vec<MessagePart>)> {
        let mut messages = self.messages.iter_mut();
        let is_open = |info: &MessageInfo| info.parent.is_some() && !info.is_complete;
        messages.find(|(info, _)| is_open(info) && !self.lost.contains(&info.id))
    }
}

impl AgentServer {
    fn emit(&mut self, event: AgentEvent) {
        if !self.is_down {
            self.events.push_back(event);
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn create(&mut self, directory: &str, title: &str, now: u64) -> SessionId {
        self.create_for(None, directory, title, now)
    }

    pub(crate) fn create_for(
        &mut self,
        origin: Option<PostId>,
        directory: &str,
        title: &str,
        now: u64,
    ) -> SessionId {
        let id = SessionId::from(format!("ses_session{:06}", self.number()));
        let info = SessionInfo {
            id: id.clone(),
            parent: None,
            directory: directory.into(),
            title: title.into(),
            created: Millis(now),
            updated: Millis(now),
            is_archived: false,
            origin,
        };
        self.emit(AgentEvent::Session(info.clone()));
        self.sessions.insert(
            id.clone(),
            AgentSession { info, is_busy: false, messages: vec![], lost: vec![] },
        );
        id
    }

    /// Forks a session: its metadata and messages are copied, with the times that they had.
    pub(crate) fn fork(&mut self, id: &SessionId, now: u64) -> SessionId {
        let original = &self.sessions[id];
        let (info, messages) = (original.info.clone(), original.messages.clone());
        let title = format!("{} (fork #1)", info.title);
        let fork = self.create_for(info.origin, &info.directory, &title, now);
        let mut ids = BTreeMap::new();
        for (mut info, mut parts) in messages {
            let id = self.message_id(now);
            ids.insert(info.id.clone(), id.clone());
            info.parent = info.parent.and_then(|parent| ids.get(&parent).cloned());
            (info.id, info.session) = (id.clone(), fork.clone());
            for part in &mut parts {
                (part.message, part.session) = (id.clone(), fork.clone());
                part.id = PartId::from(format!("prt_{:06}", self.number()));
                let part = part.clone();
                self.emit(AgentEvent::Part(part));
            }
            self.emit(AgentEvent::Message(info.clone()));
            self.session(&fork).messages.push((info, parts));
        }
        fork
    }

    /// Reports a change of a session.
    pub(crate) fn change(&mut self, id: &SessionId, change: impl FnOnce(&mut SessionInfo)) {
        let info = &mut self.session(id).info;
        change(info);
        let info = info.clone();
        self.emit(AgentEvent::Session(info));
    }

    pub(crate) fn session(&mut self, id: &SessionId) -> &mut AgentSession {
        self.sessions.get_mut(id).unwrap()
    }

    /// Returns the first event of a connection.
    pub(crate) fn connected(&self) -> AgentEvent {
        AgentEvent::Connected { instance: format!("instance {}", self.instance) }
    }

    pub(crate) fn restart(&mut self) {
        self.instance += 1;
        self.events.clear();
        self.asks.clear();
        for session in self.sessions.values_mut() {
            session.is_busy = false;
            for (info, parts) in &mut session.messages {
                // Text that was being written is lost.
                if !info.is_complete {
                    session.lost.push(info.id.clone());
                    for part in parts {
                        if let PartKind::Text { text, is_finished: false } = &mut part.kind {
                            text.clear();
                        }
                    }
                }
            }
        }
    }

    /// Adds a user message, as any client can.
    pub(crate) fn prompt(&mut self, session: &SessionId, id: &MessageId, text: &str, now: u64) {
        let info = MessageInfo {
            id: id.clone(),
            session: session.clone(),
            parent: None,
            created: Millis(now),
            is_complete: false,
            continues: false,
            error: None,
        };
        let kind = PartKind::Text { text: text.into(), is_finished: true };
        let part = self.part(session, id, kind);
        let stored = self.session(session);
        stored.info.updated = Millis(now);
        stored.is_busy = true;
        stored.messages.push((info.clone(), vec![part.clone()]));
        self.emit(AgentEvent::Message(info));
        self.emit(AgentEvent::Part(part));
        self.emit(AgentEvent::Status { session: session.clone(), is_busy: true });
    }

    pub(crate) fn message_id(&mut self, now: u64) -> MessageId {
        let number = self.number();
        MessageId::from(format!("msg_{:012x}-agent", now * 0x1000 + number))
    }

    fn part(&mut self, session: &SessionId, message: &MessageId, kind: PartKind) -> MessagePart {
        let id = PartId::from(format!("prt_{:06}", self.number()));
        MessagePart { id, message: message.clone(), session: session.clone(), kind }
    }

    /// Returns the assistant message that is being written, after adding one if there is none.
    fn open_message(&mut self, session: &SessionId, now: u64) -> MessageId {
        if let Some((open, _)) = self.session(session).open() {
            return open.id.clone();
        }
        let messages = &self.session(session).messages;
        let (last, _) = messages.last().unwrap();
        let prompts = messages.iter().filter(|(info, _)| info.parent.is_none());
        let parent = prompts.map(|(info, _)| info.id.clone()).max();
        let last = last.id.clone();
        let id = self.message_id(now);
        // Like all later messages it has a greater id, also when the clock did not move.
        let id = if id > last { id } else { MessageId::from(format!("{last}~")) };
        let info = MessageInfo {
            id: id.clone(),
            session: session.clone(),
            parent,
            created: Millis(now),
            is_complete: false,
            continues: false,
            error: None,
        };
        self.session(session).messages.push((info.clone(), vec![]));
        self.emit(AgentEvent::Message(info));
        id
    }

    /// Writes text into the current text part.
    pub(crate) fn write(&mut self, session: &SessionId, piece: &str, now: u64) {
        let message = self.open_message(session, now);
        let parts = &mut self.session(session).open().unwrap().1;
        if !matches!(
            parts.last().map(|part| &part.kind),
            Some(PartKind::Text { is_finished: false, .. })
        ) {
            let kind = PartKind::Text { text: String::new(), is_finished: false };
            let part = self.part(session, &message, kind);
            self.session(session).open().unwrap().1.push(part.clone());
            self.emit(AgentEvent::Part(part));
        }
        let part = self.session(session).open().unwrap().1.last_mut().unwrap();
        if let PartKind::Text { text, .. } = &mut part.kind {
            text.push_str(piece);
        }
        let (part, text) = (part.id.clone(), piece.to_owned());
        self.emit(AgentEvent::Delta { session: session.clone(), message, part, text });
    }

    /// Adds a tool call, or changes the last one.
    pub(crate) fn tool(&mut self, session: &SessionId, tool: Tool, now: u64) {
        let message = self.open_message(session, now);
        self.finish_text(session);
        let parts = &mut self.session(session).open().unwrap().1;
        let is_same = |part: &&mut MessagePart| matches!(&part.kind, PartKind::Tool(one) if one.name == tool.name && one.title == tool.title);
        let part = match parts.last_mut().filter(is_same) {
            Some(part) => {
                part.kind = PartKind::Tool(tool);
                part.clone()
            }
            None => {
                let part = self.part(session, &message, PartKind::Tool(tool));
                self.session(session).open().unwrap().1.push(part.clone());
                part
            }
        };
        self.emit(AgentEvent::Part(part));
    }

    fn finish_text(&mut self, session: &SessionId) {
        let Some(part) = self.session(session).open().unwrap().1.last_mut() else {
            return;
        };
        if let PartKind::Text { is_finished, .. } = &mut part.kind
            && !std::mem::replace(is_finished, true)
        {
            let part = part.clone();
            self.emit(AgentEvent::Part(part));
        }
    }

    pub(crate) fn finish(&mut self, session: &SessionId, now: u64) {
        self.end(session, None, now);
    }

    pub(crate) fn end(&mut self, session: &SessionId, error: Option<&str>, now: u64) {
        self.open_message(session, now);
        self.finish_text(session);
        let stored = self.session(session);
        let prompts = stored.messages.iter().filter(|(info, _)| info.parent.is_none());
        let last = prompts.map(|(info, _)| info.id.clone()).max();
        let info = &mut stored.open().unwrap().0;
        info.is_complete = true;
        // The agent goes on with a prompt that came in between.
        let is_last = info.parent == last;
        info.continues = !is_last;
        info.error = error.map(str::to_owned);
        let info = info.clone();
        stored.is_busy = !is_last;
        self.emit(AgentEvent::Message(info));
        if !is_last {
            return;
        }
        self.emit(AgentEvent::Status { session: session.clone(), is_busy: false });
        // Seen after an abort.
        self.emit(AgentEvent::Status { session: session.clone(), is_busy: false });
    }

    /// The agent stops after a tool, as it does when its permission is rejected.
    pub(crate) fn stop_after_tool(&mut self, session: &SessionId) {
        let stored = self.session(session);
        stored.is_busy = false;
        let info = &mut stored.open().unwrap().0;
        (info.is_complete, info.continues) = (true, true);
        let info = info.clone();
        self.emit(AgentEvent::Message(info));
        self.emit(AgentEvent::Status { session: session.clone(), is_busy: false });
    }

    pub(crate) fn ask(&mut self, request: AskRequest) {
        self.asks.push(request.clone());
        self.emit(AgentEvent::Asked(request));
    }

    pub(crate) fn perform(&mut self, action: &BridgeAction, now: u64) -> Option<Outcome> {
        match action {
            BridgeAction::CreateSession { post, directory, title } => {
                let post = post.clone();
                if self.is_down {
                    return Some(Outcome::SessionFailed { post, error: AgentError::Unreachable });
                }
                if let Some(error) = self.rejection.clone() {
                    let error = AgentError::Rejected(error);
                    return Some(Outcome::SessionFailed { post, error });
                }
                let id = self.create_for(Some(post.clone()), directory, title, now);
                let session = self.session(&id).info.clone();
                Some(Outcome::SessionCreated { post, session })
            }
            BridgeAction::Prompt(request) => Some(self.take_prompt(request, now)),
            BridgeAction::FetchAgent { .. } if self.is_down => Some(Outcome::AgentFetchFailed),
            BridgeAction::FetchAgent { connection } => {
                let sessions = self.sessions.values();
                let snapshot = AgentSnapshot {
                    sessions: sessions.clone().map(|one| one.info.clone()).collect(),
                    busy: sessions
                        .filter(|one| one.is_busy)
                        .map(|one| one.info.id.clone())
                        .collect(),
                    asks: self.asks.clone(),
                };
                Some(Outcome::AgentFetched { connection: *connection, snapshot })
            }
            BridgeAction::FetchMessages { connection, session, since, .. } => {
                self.fetches += 1;
                Some(self.fetch(*connection, session, since.as_ref()))
            }
            BridgeAction::Abort { session, .. } => {
                self.aborts += 1;
                if self.session(session).is_busy {
                    self.end(session, Some("Aborted"), now);
                }
                None
            }
            BridgeAction::Compact { post, session, .. } => {
                let (post, session) = (post.clone(), session.clone());
                let error = AgentError::Rejected(self.rejection.clone()?);
                Some(Outcome::CompactFailed { post, session, error })
            }
            BridgeAction::Reply { id, reply, .. } => Some(self.take_reply(id, reply)),
            BridgeAction::Query { post, query } => {
                let answer = self.query(query);
                Some(Outcome::Queried { post: post.clone(), answer })
            }
            BridgeAction::FetchLinks { sessions, .. } => {
                let (sessions, text) = (sessions.clone(), self.links.clone());
                Some(Outcome::LinksFetched { sessions, text })
            }
            _ => None,
        }
    }

    fn query(&mut self, query: &CommandQuery) -> Result<Answer, AgentError> {
        Ok(match query {
            CommandQuery::Sessions => {
                Answer::Sessions(self.sessions.values().map(|one| one.info.clone()).collect())
            }
            CommandQuery::Models { .. } => {
                Answer::Names(vec!["fake/echo".into(), "fake/other".into()])
            }
            CommandQuery::Agents { .. } => Answer::Names(vec!["build".into(), "plan".into()]),
            CommandQuery::User { name } => {
                let is_guest = name.eq_ignore_ascii_case("guest");
                Answer::User(is_guest.then(|| "user-guest".into()))
            }
            CommandQuery::Diff { .. } => Answer::Text(self.diff.clone()),
            CommandQuery::Unarchive { session, .. } => {
                if let Some(error) = self.rejection.clone() {
                    return Err(AgentError::Rejected(error));
                }
                self.session(session).info.is_archived = false;
                let info = self.session(session).info.clone();
                self.emit(AgentEvent::Session(info));
                Answer::Done
            }
            other => Answer::Text(format!("{other:?}")),
        })
    }

    fn take_prompt(&mut self, request: &PromptRequest, now: u64) -> Outcome {
        let post = request.post.clone();
        if let Some(error) = self.rejection.clone() {
            return Outcome::PromptFailed { post, error: AgentError::Rejected(error) };
        }
        if self.is_down {
            return Outcome::PromptFailed { post, error: AgentError::Undelivered };
        }
        let lost = Outcome::PromptFailed { post: post.clone(), error: AgentError::Unreachable };
        if std::mem::take(&mut self.loses_request) {
            return lost;
        }
        let text = match &request.body {
            Body::Text(text) => text.clone(),
            Body::Command { name, arguments } => format!("/{name} {arguments}"),
        };
        self.requests.push(request.clone());
        self.prompts.push((request.message.clone(), text.clone()));
        self.prompt(&request.session, &request.message, &text, now);
        match std::mem::take(&mut self.loses_answer) {
            true => lost,
            false => Outcome::PromptAccepted { post },
        }
    }

    fn fetch(&self, connection: u64, session: &SessionId, since: Option<&MessageId>) -> Outcome {
        let session = session.clone();
        if self.is_down {
            return Outcome::MessagesFailed { session, error: AgentError::Unreachable };
        }
        let Some(stored) = self.sessions.get(&session) else {
            return Outcome::MessagesFailed { session, error: AgentError::NotFound };
        };
        let mut messages = stored.messages.clone();
        messages.retain(|(info, _)| since.is_none_or(|since| info.id >= *since));
        for (_, parts) in &mut messages {
            for part in parts {
                // A text is empty until it is finished.
                if let PartKind::Text { text, is_finished: false } = &mut part.kind {
                    text.clear();
                }
            }
        }
        Outcome::MessagesFetched { connection, session, is_busy: stored.is_busy, messages }
    }

    fn take_reply(&mut self, id: &AskId, reply: &AskReply) -> Outcome {
        let id = id.clone();
        if self.is_down {
            return Outcome::ReplyFailed { id, error: AgentError::Unreachable };
        }
        if !self.asks.iter().any(|ask| ask.id == id) {
            return Outcome::ReplyFailed { id, error: AgentError::NotFound };
        }
        if let Some(error) = self.rejection.clone() {
            return Outcome::ReplyFailed { id, error: AgentError::Rejected(error) };
        }
        self.asks.retain(|ask| ask.id != id);
        self.replies.push((id.clone(), reply.clone()));
        self.emit(AgentEvent::AskClosed { id: id.clone(), reply: reply.clone() });
        match std::mem::take(&mut self.loses_answer) {
            true => Outcome::ReplyFailed { id, error: AgentError::Unreachable },
            false => Outcome::Replied { id },
        }
    }
}
