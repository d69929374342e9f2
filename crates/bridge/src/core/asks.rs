//! Permissions and questions of the agent, answered by reactions and replies.

use super::action::Action;
use super::ids::{AskId, SessionId, UserId};
use super::input::{AgentError, Post, Question, Reply, Request, RequestKind};
use super::markdown::{code_block, inline_code, shorten};
use super::record::Record;
use super::slot::{PostLocation, Slot};
use super::{Core, RETRY_INTERVAL, Timer, texts};

/// Maximum length of a command or diff in a post.
const MAX_SHOWN_CHARS: usize = 5_000;
const DIGITS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const ELSEWHERE: &str = "Answered elsewhere, or no longer asked.";

impl Core {
    pub(super) fn on_asked(&mut self, request: &Request) {
        let session = self.top_session(&request.session);
        self.fresh_asks.insert(request.id.clone());
        if self.state.threads.contains_key(&session) && !self.state.asks.contains_key(&request.id) {
            let request = Request { session: session.clone(), ..request.clone() };
            self.record(Record::Asked(request));
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
            (RequestKind::Permission { .. }, "+1" | "thumbsup") => Reply::Once,
            (RequestKind::Permission { .. }, "white_check_mark" | "heavy_check_mark") => {
                Reply::Always
            }
            (_, "-1" | "thumbsdown" | "x") => Reply::Reject(None),
            (RequestKind::Questions(questions), emoji) => {
                let digit = DIGITS.iter().position(|digit| *digit == emoji);
                let [Question { options, .. }] = questions.as_slice() else { return };
                let Some((label, _)) = digit.and_then(|digit| options.get(digit)) else { return };
                Reply::Answers(vec![vec![label.clone()]])
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
            (Some(reply), _) => {
                self.handled(post, None);
                self.answer(&id, reply, &post.user);
                true
            }
            (None, RequestKind::Permission { .. }) => false,
            (None, RequestKind::Questions(questions)) => {
                let text =
                    format!("Please answer all {} questions, one per line.", questions.len());
                self.reply(post, text);
                true
            }
        }
    }

    fn answer(&mut self, id: &AskId, reply: Reply, user: &UserId) {
        let Some(ask) = self.state.asks.get(id) else { return };
        let is_open = ask.result.is_none() && ask.answer.is_none();
        let is_allowed = self.may_work(&ask.request.session);
        if is_open && is_allowed && self.may_approve(user, &ask.request.session) {
            self.record(Record::Answering { id: id.clone(), reply, user: user.clone() });
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
        if self.instance.is_some() && self.replying.insert(id.clone()) {
            self.act(Action::Reply { id: id.clone(), session, directory, reply });
        }
    }

    pub(super) fn on_replied(&mut self, id: &AskId) {
        self.replying.remove(id);
        let answer = self.state.asks.get(id).and_then(|ask| ask.answer.clone());
        if let Some((reply, user)) = answer {
            self.end_ask(id, &self.describe(&reply, &user));
        }
    }

    pub(super) fn on_reply_failed(&mut self, id: &AskId, error: &AgentError) {
        self.replying.remove(id);
        match error {
            AgentError::NotFound => self.end_ask(id, ELSEWHERE),
            AgentError::Rejected(_) => {
                let text = format!("OpenCode refused the answer: {}", texts::agent_error(error));
                self.end_ask(id, &text);
            }
            AgentError::Undelivered | AgentError::Unreachable => {
                self.wake_after(RETRY_INTERVAL, Timer::Reply(id.clone()));
            }
        }
    }

    /// Takes the news that something was answered, here or elsewhere.
    pub(super) fn on_ask_closed(&mut self, id: &AskId, reply: &str) {
        let Some(ask) = self.state.asks.get(id) else { return };
        match ask.answer.clone() {
            Some((reply, user)) => self.end_ask(id, &self.describe(&reply, &user)),
            None => self.end_ask(id, &format!("Answered elsewhere: {}", shorten(reply, 200))),
        }
    }

    fn end_ask(&mut self, id: &AskId, result: &str) {
        let Some(ask) = self.state.asks.get(id).cloned() else { return };
        if ask.result.is_some() {
            return;
        }
        self.record(Record::AskEnded { id: id.clone(), result: result.to_owned() });
        let session = ask.request.session;
        let user = ask.answer.map(|(_, user)| user);
        self.audit(user.as_ref(), Some(&session), &format!("answer {id}"), result);
        let key = Slot::Ask(id.clone()).key();
        if self.state.posts.get(&key).is_none_or(|planned| planned.is_gone) {
            self.record(Record::PostSettled { key });
        }
        self.refresh(&session);
    }

    pub(super) fn end_asks(&mut self, session: &SessionId, result: &str) {
        let asks = self.state.asks.values().filter(|ask| ask.request.session == *session);
        let ids: Vec<_> = asks.map(|ask| ask.request.id.clone()).collect();
        for id in ids {
            self.end_ask(&id, result);
        }
    }

    /// Compares with what OpenCode asks for.
    pub(super) fn compare_asks(&mut self, asked: &[Request]) {
        let ids: Vec<_> = self.state.asks.keys().cloned().collect();
        for id in ids {
            if asked.iter().any(|request| request.id == id) {
                self.send_reply(&id);
            } else if !self.fresh_asks.contains(&id) {
                let answer = self.state.asks.get(&id).and_then(|ask| ask.answer.clone());
                let result = answer
                    .map_or(ELSEWHERE.to_owned(), |(reply, user)| self.describe(&reply, &user));
                self.end_ask(&id, &result);
            }
        }
        for request in asked {
            self.on_asked(request);
        }
    }

    /// Returns what was answered, and by whom.
    fn describe(&self, reply: &Reply, user: &UserId) -> String {
        let name = self.settings.names.get(user);
        let by = name.map(|name| format!(" by {}", inline_code(name))).unwrap_or_default();
        match reply {
            Reply::Once => format!("Allowed once{by}."),
            Reply::Always => format!("Allowed always{by}."),
            Reply::Reject(None) => format!("Rejected{by}."),
            Reply::Reject(Some(reason)) => format!("Rejected{by}: {}", shorten(reason, 300)),
            Reply::Answers(answers) => {
                let answers: Vec<_> = answers.iter().map(|one| one.join(", ")).collect();
                format!("Answered{by}: {}", shorten(&answers.join("; "), 300))
            }
        }
    }

    /// Returns what the post of a permission or question shows.
    pub(super) fn ask_text(&self, id: &AskId) -> Option<String> {
        let ask = self.state.asks.get(id)?;
        let (question, usage) = match &ask.request.kind {
            RequestKind::Permission { permission, command, diff, always } => {
                let mut text = format!(":lock: **Permission: {permission}**");
                for shown in [Some(command), diff.as_ref()].into_iter().flatten() {
                    if !shown.trim().is_empty() {
                        text = format!("{text}\n{}", shortened_block(shown));
                    }
                }
                let patterns: Vec<_> = always.iter().map(|pattern| inline_code(pattern)).collect();
                let always = match patterns.is_empty() {
                    true => String::new(),
                    false => format!(" (allows {} from now on)", patterns.join(", ")),
                };
                let usage = format!(
                    "React with :+1: once, :white_check_mark: always{always}, :-1: reject; or \
                    reply `yes`, `always` or `no` with a reason."
                );
                (text, usage)
            }
            RequestKind::Questions(questions) => questions_text(questions),
        };
        Some(format!("{question}\n{}", ask.result.as_ref().unwrap_or(&usage)))
    }
}

fn shortened_block(text: &str) -> String {
    let missing = text.chars().count().saturating_sub(MAX_SHOWN_CHARS);
    let block = code_block(&shorten(text, MAX_SHOWN_CHARS));
    match missing {
        0 => block,
        _ => format!("{block}\n**{missing} more characters are not shown.**"),
    }
}

fn questions_text(questions: &[Question]) -> (String, String) {
    let mut lines = Vec::new();
    for question in questions {
        lines.push(format!(":question: **{}**", shorten(question.text.trim(), 1_000)));
        for (number, (label, description)) in question.options.iter().enumerate() {
            let description = shorten(description, 300);
            lines.push(format!("{}. {label}: {description}", number + 1));
        }
    }
    let usage = match questions.len() {
        1 => "React with :one:, :two: … or reply with a number or your own text.",
        _ => "Reply with one line per question: a number or your own text.",
    };
    (lines.join("\n"), usage.to_owned())
}

fn permission_reply(text: &str) -> Option<Reply> {
    let lower = text.to_lowercase();
    let (word, reason) = match lower.split_once([' ', ':', ',', '\n']) {
        Some((word, _)) => (word, text.get(word.len() + 1..).unwrap_or_default().trim()),
        None => (lower.as_str(), ""),
    };
    match (word, reason) {
        ("yes" | "y" | "ok" | "once", "") => Some(Reply::Once),
        ("always", "") => Some(Reply::Always),
        ("no" | "n" | "reject" | "deny", "") => Some(Reply::Reject(None)),
        ("no" | "n" | "reject" | "deny", reason) => Some(Reply::Reject(Some(reason.to_owned()))),
        _ => None,
    }
}

fn question_reply(questions: &[Question], text: &str) -> Option<Reply> {
    if let [question] = questions {
        return Some(Reply::Answers(vec![question_answer(question, text)]));
    }
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() != questions.len() {
        return None;
    }
    let answers = questions.iter().zip(lines).map(|(one, line)| question_answer(one, line));
    Some(Reply::Answers(answers.collect()))
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
