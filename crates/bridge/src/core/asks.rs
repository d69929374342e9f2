//! Permissions and questions of the agent, answered by reactions and replies.

use super::action::BridgeAction;
use super::ask_text::{HIDDEN_USAGE, elsewhere};
use super::ids::{AskId, SessionId, UserId};
use super::input::{AgentError, AskReply, AskRequest, Post, Question, RequestKind};
use super::record::JournalRecord;
use super::slot::{PostLocation, Slot};
use super::{Core, RETRY_INTERVAL, Timer, texts};

const DIGITS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const NOT_AN_ANSWER: &str = "The permission is still open: this reply was taken as a prompt. `no: REASON` rejects with a \
    reason; `yes`, `always` and `no` answer alone.";
const ELSEWHERE: &str = "Answered elsewhere, or no longer asked.";
const UNCONFIRMED: &str =
    "OpenCode did not confirm this answer; another client may have answered first.";

impl Core {
    pub(super) fn on_asked(&mut self, request: &AskRequest) {
        let session = self.top_session(&request.session);
        self.fresh_asks.insert(request.id.clone());
        if self.state.threads.contains_key(&session) && !self.state.asks.contains_key(&request.id) {
            let request = AskRequest { session: session.clone(), ..request.clone() };
            self.record(JournalRecord::Asked(request));
            self.plan_asks(&session);
            self.refresh(&session);
        }
    }

    /// Returns the session with a thread that a subagent works for.
    fn top_session(&self, session: &SessionId) -> SessionId {
        let mut session = session;
        // The number of steps is bounded, so that wrong data cannot make a loop.
        for _ in 0..20 {
            match self.parents.get(session) {
                Some(parent) => session = parent,
                None => break,
            }
        }
        session.clone()
    }

    /// Plans the posts of open permissions and questions, once the thread exists.
    pub(super) fn plan_asks(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let (channel, Some(root)) = (thread.channel.clone(), thread.root.clone()) else { return };
        if thread.status.is_over() {
            return;
        }
        let asks = self.state.asks.values();
        let asks = asks.filter(|ask| ask.request.session == *session && ask.result.is_none());
        let ids: Vec<_> = asks.map(|ask| ask.request.id.clone()).collect();
        for id in ids {
            let place =
                PostLocation { channel: channel.clone(), root: Some(root.clone()), at: self.now };
            self.plan(Slot::Ask(id), place);
        }
    }

    pub(super) fn on_ask_reaction(&mut self, id: &AskId, user: &UserId, emoji: &str) {
        let Some(ask) = self.state.asks.get(id) else { return };
        let reply = match (&ask.request.kind, emoji) {
            (RequestKind::Permission { .. }, "+1" | "thumbsup") => AskReply::Once,
            (RequestKind::Permission { .. }, "white_check_mark" | "heavy_check_mark") => {
                AskReply::Always
            }
            (_, "-1" | "thumbsdown" | "x") => AskReply::Reject(None),
            (RequestKind::Questions(questions), emoji) => {
                let digit = DIGITS.iter().position(|digit| *digit == emoji);
                let [Question { options, .. }] = questions.as_slice() else { return };
                let Some((label, _)) = digit.and_then(|digit| options.get(digit)) else { return };
                AskReply::Answers(vec![vec![label.clone()]])
            }
            _ => return,
        };
        self.answer(id, reply, user);
    }

    /// Takes a reply in a thread as the answer to its oldest permission or question.
    ///
    /// A reply from before the request was posted means something else. Returns whether the post was an answer.
    pub(super) fn on_ask_text(&mut self, post: &Post, session: &SessionId, text: &str) -> bool {
        let open = self.state.asks.values().filter_map(|ask| {
            let is_open = ask.result.is_none() && ask.answer.is_none();
            let planned = self.state.posts.get(&Slot::Ask(ask.request.id.clone()).key())?;
            let is_seen = planned.created.is_some_and(|created| created < post.created);
            (is_open && is_seen && ask.request.session == *session).then_some((planned.number, ask))
        });
        let Some((_, ask)) = open.min_by_key(|(number, _)| *number) else { return false };
        if !self.may_approve(&post.user, session) {
            return false;
        }
        let id = ask.request.id.clone();
        let reply = match &ask.request.kind {
            RequestKind::Permission { .. } => permission_reply(text),
            RequestKind::Questions(questions) => question_reply(questions, text),
        };
        match (reply, &ask.request.kind) {
            (Some(reply), _) if !ask.permits(&reply) => {
                self.reply(post, HIDDEN_USAGE);
                true
            }
            (Some(reply), _) => {
                self.handled(post, None);
                self.answer(&id, reply, &post.user);
                true
            }
            (None, RequestKind::Permission { .. }) => {
                if is_like_permission_reply(text) {
                    self.note_open_permission(post);
                }
                false
            }
            (None, RequestKind::Questions(questions)) => {
                let text =
                    format!("Please answer all {} questions, one per line.", questions.len());
                self.reply(post, text);
                true
            }
        }
    }

    /// Says that a reply that begins like an answer is taken as a prompt.
    fn note_open_permission(&mut self, post: &Post) {
        let root = post.root.clone().unwrap_or_else(|| post.id.clone());
        self.note(&post.channel, &root, &format!("{}:not-an-answer", post.id), NOT_AN_ANSWER);
    }

    fn answer(&mut self, id: &AskId, reply: AskReply, user: &UserId) {
        let Some(ask) = self.state.asks.get(id) else { return };
        let is_open = ask.result.is_none() && ask.answer.is_none();
        let is_allowed = ask.permits(&reply) && self.may_work(&ask.request.session);
        if is_open && is_allowed && self.may_approve(user, &ask.request.session) {
            let session = ask.request.session.clone();
            let result = format!("sent: {}", self.describe(&reply, user));
            self.audit(Some(user), Some(&session), &format!("answer {id}"), &result);
            self.record(JournalRecord::Answering { id: id.clone(), reply, user: user.clone() });
            self.send_reply(id);
        }
    }

    /// Sends the recorded answer. A second one is refused by OpenCode, so it can be repeated.
    pub(super) fn send_reply(&mut self, id: &AskId) {
        let Some(ask) = self.state.asks.get(id) else { return };
        let (Some((reply, _)), None) = (ask.answer.clone(), &ask.result) else { return };
        let session = ask.request.session.clone();
        let Some(thread) = self.state.threads.get(&session) else { return };
        let directory = thread.directory.clone();
        if self.instance.is_some() && !self.replying.contains_key(id) {
            self.replying.insert(id.clone(), None);
            self.act(BridgeAction::Reply { id: id.clone(), session, directory, reply });
        }
    }

    pub(super) fn on_replied(&mut self, id: &AskId) {
        let closed = self.replying.remove(id).flatten();
        let answer = self.state.asks.get(id).and_then(|ask| ask.answer.clone());
        match (closed, answer) {
            (Some(reply), _) => self.end_by(id, &reply),
            (None, Some((reply, user))) => {
                self.end_ask(id, &self.describe(&reply, &user), Some(&user));
            }
            (None, None) => {}
        }
    }

    pub(super) fn on_reply_failed(&mut self, id: &AskId, error: &AgentError) {
        let closed = self.replying.remove(id).flatten();
        match (error, closed) {
            (AgentError::NotFound | AgentError::Rejected(_), Some(reply)) => {
                self.end_ask(id, &elsewhere(&reply), None);
            }
            (_, Some(reply)) => self.end_by(id, &reply),
            (AgentError::NotFound, None) if self.unsure_replies.remove(id) => {
                self.end_unconfirmed(id);
            }
            (AgentError::NotFound, None) => self.end_ask(id, ELSEWHERE, None),
            (AgentError::Rejected(_), None) => self.reopen_ask(id, &texts::agent_error(error)),
            (AgentError::Undelivered | AgentError::Unreachable, None) => {
                if *error == AgentError::Unreachable {
                    self.unsure_replies.insert(id.clone());
                }
                self.wake_after(RETRY_INTERVAL, Timer::Reply(id.clone()));
            }
        }
    }

    /// Opens a permission or question again whose answer was refused.
    fn reopen_ask(&mut self, id: &AskId, reason: &str) {
        let Some(ask) = self.state.asks.get(id) else { return };
        let session = ask.request.session.clone();
        let user = ask.answer.as_ref().map(|(_, user)| user.clone());
        self.record(JournalRecord::AnswerRefused { id: id.clone(), reason: reason.to_owned() });
        let result = format!("refused: {reason}");
        self.audit(user.as_ref(), Some(&session), &format!("answer {id}"), &result);
        self.refresh(&session);
    }

    /// Handles the event that something was answered, here or elsewhere.
    pub(super) fn on_ask_closed(&mut self, id: &AskId, reply: &AskReply) {
        match self.replying.get_mut(id) {
            // The result of our own request says whose answer it was.
            Some(closed) => *closed = Some(reply.clone()),
            None => self.end_by(id, reply),
        }
    }

    /// Ends a permission or question by the answer that OpenCode has.
    fn end_by(&mut self, id: &AskId, reply: &AskReply) {
        let Some(ask) = self.state.asks.get(id) else { return };
        match ask.answer.clone().filter(|(own, _)| own.is_same(reply)) {
            Some((own, user)) => self.end_ask(id, &self.describe(&own, &user), Some(&user)),
            None => self.end_ask(id, &elsewhere(reply), None),
        }
    }

    /// Ends one that is no longer asked, after an answer of which it is not known whether it arrived.
    fn end_unconfirmed(&mut self, id: &AskId) {
        let Some(ask) = self.state.asks.get(id) else { return };
        match ask.answer.clone() {
            Some((reply, user)) => {
                let result = format!("{}\n{UNCONFIRMED}", self.describe(&reply, &user));
                self.end_ask(id, &result, Some(&user));
            }
            None => self.end_ask(id, ELSEWHERE, None),
        }
    }

    fn end_ask(&mut self, id: &AskId, result: &str, user: Option<&UserId>) {
        let Some(ask) = self.state.asks.get(id).cloned() else { return };
        if ask.result.is_some() {
            return;
        }
        self.unsure_replies.remove(id);
        self.record(JournalRecord::AskEnded { id: id.clone(), result: result.to_owned() });
        let session = ask.request.session;
        self.audit(user, Some(&session), &format!("answer {id}"), result);
        let key = Slot::Ask(id.clone()).key();
        if self.state.posts.get(&key).is_none_or(|planned| planned.is_gone) {
            self.record(JournalRecord::PostSettled { key });
        }
        self.refresh(&session);
    }

    pub(super) fn end_asks(&mut self, session: &SessionId, result: &str) {
        let asks = self.state.asks.values().filter(|ask| ask.request.session == *session);
        let ids: Vec<_> = asks.map(|ask| ask.request.id.clone()).collect();
        for id in ids {
            self.end_ask(&id, result, None);
        }
    }

    /// Compares with what OpenCode asks for.
    pub(super) fn compare_asks(&mut self, asked: &[AskRequest]) {
        let ids: Vec<_> = self.state.asks.keys().cloned().collect();
        for id in ids {
            if asked.iter().any(|request| request.id == id) {
                self.send_reply(&id);
            } else if !self.fresh_asks.contains(&id) && !self.replying.contains_key(&id) {
                self.end_unconfirmed(&id);
            }
        }
        for request in asked {
            self.on_asked(request);
        }
    }
}

/// Returns the first word of a text in lower case, the sign after it, and the rest.
fn first_word(text: &str) -> (String, Option<char>, &str) {
    match text.trim().split_once([' ', ':', ',', '\n']) {
        Some((word, rest)) => {
            let sign = text.trim().chars().nth(word.chars().count());
            (word.to_lowercase(), sign, rest.trim())
        }
        None => (text.trim().to_lowercase(), None, ""),
    }
}

/// Returns the answer to a permission that a text gives. A reason comes after a sign: `no idea what this does` is none.
fn permission_reply(text: &str) -> Option<AskReply> {
    let (word, sign, reason) = first_word(text);
    match (word.as_str(), reason) {
        ("yes" | "y" | "ok" | "once", "") => Some(AskReply::Once),
        ("always", "") => Some(AskReply::Always),
        ("no" | "n" | "reject" | "deny", "") => Some(AskReply::Reject(None)),
        ("no" | "n" | "reject" | "deny", reason) if sign != Some(' ') => {
            Some(AskReply::Reject(Some(reason.to_owned())))
        }
        _ => None,
    }
}

/// Returns whether a text that is no answer begins like one.
fn is_like_permission_reply(text: &str) -> bool {
    let (word, ..) = first_word(text);
    matches!(word.as_str(), "yes" | "y" | "ok" | "once" | "always" | "no" | "n" | "reject" | "deny")
}

fn question_reply(questions: &[Question], text: &str) -> Option<AskReply> {
    if let [question] = questions {
        return Some(AskReply::Answers(vec![question_answer(question, text)]));
    }
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() != questions.len() {
        return None;
    }
    let answers = questions.iter().zip(lines).map(|(one, line)| question_answer(one, line));
    Some(AskReply::Answers(answers.collect()))
}

/// Returns the options that a list of numbers names, or the text itself.
fn question_answer(question: &Question, text: &str) -> Vec<String> {
    let named = |number: &str| {
        let index = number.trim().parse::<usize>().ok()?.checked_sub(1)?;
        question.options.get(index).map(|(label, _)| label.clone())
    };
    let labels: Option<Vec<_>> = text.split(',').map(named).collect();
    labels.unwrap_or_else(|| vec![text.trim().to_owned()])
}
