//! Commands that users write to the bridge itself.

use super::action::{BridgeAction, CommandQuery};
use super::ids::{PostId, SessionId, UserId};
use super::input::{AgentError, Answer, Post, SessionInfo};
use super::markdown::{code_block_in, inline_code, shorten};
use super::record::JournalRecord;
use super::settings::last_part;
use super::slot::Slot;
use super::state::{PromptState, Thread, ThreadStatus};
use super::{Core, files, texts};

/// Maximum number of rows that a list shows.
const MAX_ROWS: usize = 40;

/// The commands: name, arguments, what it does.
const COMMANDS: [(&str, &str, &str); 17] = [
    ("help", "", "lists the commands"),
    ("sessions", "", "lists the sessions"),
    ("new", "TEXT", "starts a session; `dir:NAME model:NAME agent:NAME` can come before the text"),
    ("model", "NAME or number", "sets the model of this session"),
    ("models", "", "lists the models"),
    ("agent", "NAME", "sets the agent of this session"),
    ("abort", "", "stops what the agent is doing"),
    ("diff", "", "shows what the last prompt has changed"),
    ("file", "PATH", "sends a file of the session's directory"),
    ("compact", "", "makes the history of the session shorter"),
    ("todo", "", "shows the todo list"),
    ("queue", "[drop N]", "shows the prompts that wait, or drops one"),
    ("review", "", "lists the open review threads of the directory"),
    ("resume", "[ID]", "opens a session again"),
    ("status", "", "shows whether the bridge is connected"),
    ("mute", "[off]", "shows answers only when they are finished"),
    ("invite", "@NAME", "lets a user prompt this session; `kick` undoes it"),
];

/// A command that waits for an answer. Its post is handled when the answer is there.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) post: Post,
    session: Option<SessionId>,
    name: String,
    arguments: String,
}

/// Splits a command into its name and its arguments.
pub(super) fn parse(prefix: &str, text: &str) -> Option<(String, String)> {
    let rest = text.strip_prefix(prefix)?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic());
    is_name.then(|| (name.to_lowercase(), arguments.trim().to_owned()))
}

/// The words before the text of a prompt that starts a session.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StartWords {
    pub(super) directory: Option<String>,
    pub(super) model: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) text: String,
}

impl StartWords {
    pub(super) fn parse(text: &str) -> Self {
        let mut words = Self::default();
        let mut rest = text.trim();
        loop {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let (field, value) = match word.split_once(':') {
                Some(("dir", value)) => (&mut words.directory, value),
                Some(("model", value)) => (&mut words.model, value),
                Some(("agent", value)) => (&mut words.agent, value),
                _ => break,
            };
            if value.is_empty() {
                break;
            }
            *field = Some(value.to_owned());
            rest = after.trim_start();
        }
        rest.clone_into(&mut words.text);
        words
    }
}

impl Core {
    pub(super) fn on_command(
        &mut self,
        post: &Post,
        session: Option<&SessionId>,
        name: &str,
        arguments: &str,
    ) {
        let thread = session.and_then(|session| self.state.threads.get(session)).cloned();
        match (name, thread) {
            ("help", _) => self.reply(post, self.help()),
            ("status", _) => self.reply(post, self.status()),
            ("new", _) => self.start_by_command(post, arguments),
            ("sessions", _) => self.query(post, None, (name, arguments), CommandQuery::Sessions),
            ("resume", thread) => self.resume(post, thread.as_ref(), arguments),
            ("models", None) => match self.settings.directories.first().cloned() {
                Some(directory) => {
                    self.query(post, None, (name, arguments), CommandQuery::Models { directory });
                }
                None => self.reply(post, "No directory is set."),
            },
            (_, Some(thread)) => self.on_thread_command(post, &thread, name, arguments),
            (name, None) if is_command(name) => {
                self.reply(post, format!("`{name}` works in the thread of a session."));
            }
            (name, None) => self.reply(post, self.unknown(name)),
        }
    }

    fn on_thread_command(&mut self, post: &Post, thread: &Thread, name: &str, arguments: &str) {
        let session = thread.session.clone();
        let directory = thread.directory.clone();
        let query = match name {
            "models" => CommandQuery::Models { directory },
            "model" if arguments != "default" => CommandQuery::Models { directory },
            "agent" if arguments != "default" => CommandQuery::Agents { directory },
            "diff" => CommandQuery::Diff { session: session.clone(), directory },
            "todo" => CommandQuery::Todos { session: session.clone(), directory },
            "review" => CommandQuery::Reviews { directory },
            "invite" | "kick" if !self.is_owner(&post.user) => {
                self.reply(post, "Only an owner may do this.");
                return;
            }
            "invite" | "kick" => {
                CommandQuery::User { name: arguments.trim_start_matches('@').to_owned() }
            }
            name => {
                self.change_thread(post, thread, name, arguments);
                return;
            }
        };
        self.query(post, Some(session), (name, arguments), query);
    }

    /// Carries out the commands that need no answer.
    fn change_thread(&mut self, post: &Post, thread: &Thread, name: &str, arguments: &str) {
        let session = thread.session.clone();
        let directory = thread.directory.clone();
        let audited = Some(&session);
        match name {
            "abort" => {
                self.reply(post, "Stopping.");
                self.abort(&session);
                self.audit(Some(&post.user), audited, "abort", "sent");
            }
            "compact" => {
                self.reply(post, "The history is being made shorter.");
                let model = thread.model.clone();
                let (id, session) = (post.id.clone(), session.clone());
                self.act(BridgeAction::Compact { post: id, session, directory, model });
                self.audit(Some(&post.user), audited, "compact", "sent");
            }
            "model" => {
                self.audit(Some(&post.user), audited, "model default", "done");
                self.record(JournalRecord::ModelSet { session, model: None });
                self.reply(post, "The session uses the default model.");
            }
            "agent" => {
                self.audit(Some(&post.user), audited, "agent default", "done");
                self.record(JournalRecord::AgentSet { session, agent: None });
                self.reply(post, "The session uses the default agent.");
            }
            "mute" => {
                let is_muted = arguments != "off";
                self.record(JournalRecord::Muted { session, is_muted });
                let text = match is_muted {
                    true => "Answers appear when they are finished.",
                    false => "Answers appear while they are written.",
                };
                self.reply(post, text);
            }
            "queue" => self.queue(post, &session, arguments),
            "file" if files::is_safe_path(arguments) => {
                let (id, path) = (post.id.to_string(), arguments.trim().to_owned());
                self.audit(Some(&post.user), audited, &format!("file {path:?}"), "sent");
                self.reply_with(post, Slot::File { id, session, path });
            }
            "file" => {
                let text = "The path of a file below the session's directory is needed, without hidden parts.";
                self.reply(post, text);
            }
            name => self.reply(post, self.unknown(name)),
        }
    }

    pub(super) fn on_compact_failed(
        &mut self,
        post: &PostId,
        session: &SessionId,
        error: &AgentError,
    ) {
        let reason = texts::agent_error(error);
        self.audit(None, Some(session), "compact", &format!("refused: {reason}"));
        let text = format!("`compact` failed: {reason}");
        self.note_to_session(session, &format!("{post}:failed"), text);
    }

    fn query(
        &mut self,
        post: &Post,
        session: Option<SessionId>,
        (name, arguments): (&str, &str),
        query: CommandQuery,
    ) {
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        let pending = Pending { post: post.clone(), session, name, arguments };
        self.queries.insert(post.id.clone(), pending);
        self.act(BridgeAction::Query { post: post.id.clone(), query });
    }

    pub(super) fn on_queried(&mut self, post: &PostId, answer: Result<Answer, AgentError>) {
        let Some(pending) = self.queries.remove(post) else { return };
        let Pending { post, session, name, arguments } = pending;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let reason = texts::agent_error(&error);
                if name == "resume" && session.is_some() {
                    let result = format!("refused: {reason}");
                    self.audit(Some(&post.user), session.as_ref(), "resume", &result);
                }
                self.reply(&post, format!("`{name}` failed: {reason}"));
                return;
            }
        };
        match (answer, session) {
            (Answer::Text(text), _) if text.trim().is_empty() => self.reply(&post, "Nothing."),
            (Answer::Text(text), _)
                if name == "diff" && text.chars().count() > self.settings.max_post_chars =>
            {
                let (id, name) = (post.id.to_string(), "changes.diff".to_owned());
                self.reply_with(&post, Slot::Text { id, name, text });
            }
            (Answer::Text(text), _) if name == "diff" => {
                self.reply(&post, code_block_in("diff", &text));
            }
            (Answer::Text(text), _) => self.reply(&post, text),
            (Answer::Names(names), Some(session)) if name == "model" || name == "agent" => {
                self.choose(&post, &session, &name, (&names, &arguments));
            }
            (Answer::Names(names), _) => self.reply(&post, numbered(&names)),
            (Answer::Sessions(sessions), _) if name == "resume" => {
                self.resume_one(&post, &sessions, &arguments);
            }
            (Answer::Sessions(sessions), _) => {
                let text = self.session_list(&post.user, &sessions);
                self.reply(&post, text);
            }
            (Answer::User(Some(user)), Some(session)) => {
                let user_name = arguments.trim_start_matches('@').to_lowercase();
                let what = format!("{name} {user_name}");
                self.audit(Some(&post.user), Some(&session), &what, "done");
                let text = match name == "invite" {
                    true => {
                        let name = user_name.clone();
                        self.record(JournalRecord::Invited { session, user, name });
                        "may now prompt this session"
                    }
                    false => {
                        let kicked = (session.clone(), user.clone());
                        self.record(JournalRecord::Kicked { session, user });
                        self.drop_prompts_of(&kicked.1, Some(&kicked.0));
                        "may no longer prompt this session, unless the settings allow it"
                    }
                };
                self.reply(&post, format!("{} {text}.", inline_code(&user_name)));
            }
            (Answer::User(_), _) => self.reply(&post, "No such user."),
            (Answer::Done, _) => self.reply(&post, "The session is opened again."),
        }
    }

    /// Sets the model or agent that a number or a name selects.
    fn choose(
        &mut self,
        post: &Post,
        session: &SessionId,
        what: &str,
        (names, wanted): (&[String], &str),
    ) {
        // Only a number alone is one: `3 files are broken` is not a choice.
        let by_number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let by_number = by_number.and_then(|index| names.get(index));
        let mut matches = names
            .iter()
            .filter(|name| name.as_str() == wanted || name.rsplit('/').next() == Some(wanted));
        let by_name = names.iter().find(|name| name.as_str() == wanted).or_else(|| {
            let first = matches.next();
            first.filter(|_| matches.next().is_none())
        });
        let Some(name) = by_number.or(by_name).cloned() else {
            let text = match wanted {
                "" => String::new(),
                wanted => format!("No {what} {}. There are:\n", inline_code(wanted)),
            };
            self.reply(post, format!("{text}{}", numbered(names)));
            return;
        };
        let session = session.clone();
        let text = format!("The session uses the {what} {}.", inline_code(&name));
        self.audit(Some(&post.user), Some(&session), &format!("{what} {name}"), "done");
        match what {
            "model" => self.record(JournalRecord::ModelSet { session, model: Some(name) }),
            _ => self.record(JournalRecord::AgentSet { session, agent: Some(name) }),
        }
        self.reply(post, text);
    }

    fn start_by_command(&mut self, post: &Post, arguments: &str) {
        match post.root.is_some() {
            true => self.reply(post, "A session is started in the channel, not in a thread."),
            false if !self.is_permitted(&post.user) => {}
            false => self.start_session(post, arguments),
        }
    }

    fn queue(&mut self, post: &Post, session: &SessionId, arguments: &str) {
        let mut waiting = self.prompts_of(session);
        waiting.retain(|(_, prompt)| prompt.message().is_none());
        let number = arguments.strip_prefix("drop").map(|rest| rest.trim().parse::<usize>());
        match number {
            None if waiting.is_empty() => self.reply(post, "No prompt waits."),
            None => {
                let row = |(number, (_, prompt)): (usize, &(PostId, super::state::Prompt))| {
                    let text = match &prompt.body {
                        super::input::Body::Text(text) => shorten(text, 80),
                        super::input::Body::Command { name, .. } => format!("/{name}"),
                    };
                    let doubt = prompt.state == PromptState::Doubtful;
                    let state = if doubt { " (not certain that it was sent)" } else { "" };
                    format!("{}. {}{state}", number + 1, inline_code(&text.replace('\n', " ")))
                };
                let rows: Vec<_> = waiting.iter().enumerate().map(row).collect();
                self.reply(post, rows.join("\n"));
            }
            Some(number) => {
                let index = number.ok().and_then(|number| number.checked_sub(1));
                match index.and_then(|index| waiting.get(index)).cloned() {
                    Some((dropped, _)) => {
                        self.drop_prompt(&dropped);
                        self.reply(post, "Dropped.");
                    }
                    None => self.reply(post, "No prompt with this number waits."),
                }
            }
        }
    }

    fn resume(&mut self, post: &Post, thread: Option<&Thread>, arguments: &str) {
        match thread {
            _ if !self.is_permitted(&post.user) => self.reply(post, "You may not do this."),
            Some(thread) if arguments.is_empty() => self.unarchive(post, thread),
            None if arguments.is_empty() => {
                let prefix = &self.settings.prefix;
                self.reply(post, format!("`{prefix}resume ID`; `{prefix}sessions` lists the ids."));
            }
            _ => self.query(post, None, ("resume", arguments), CommandQuery::Sessions),
        }
    }

    fn unarchive(&mut self, post: &Post, thread: &Thread) {
        let session = thread.session.clone();
        let directory = thread.directory.clone();
        match thread.status {
            ThreadStatus::Archived => {
                self.audit(Some(&post.user), Some(&session), "resume", "sent");
                let query = CommandQuery::Unarchive { session: session.clone(), directory };
                self.query(post, Some(session), ("resume", ""), query);
            }
            ThreadStatus::Deleted => self.reply(post, "The session was deleted."),
            ThreadStatus::Ended => self.reply(post, "The session was ended, which is final."),
            _ => self.reply(post, "The session is open."),
        }
    }

    /// Opens a thread for a session that has none, or whose thread was deleted.
    fn resume_one(&mut self, post: &Post, sessions: &[SessionInfo], wanted: &str) {
        let mut found = sessions.iter().filter(|info| {
            let is_named = info.id.as_str() == wanted || texts::short_id(&info.id) == wanted;
            is_named && info.parent.is_none() && self.settings.allows_directory(&info.directory)
        });
        let (Some(info), None) = (found.next(), found.next()) else {
            self.reply(post, format!("No session {}.", inline_code(wanted)));
            return;
        };
        match self.state.threads.get(&info.id).cloned() {
            Some(thread) if thread.status != ThreadStatus::Lost => self.unarchive(post, &thread),
            _ => {
                self.reply(post, "A thread is opened for the session.");
                self.live.remove(&info.id);
                self.open_thread(info, self.clock_time());
                // What the agent asked for is shown in the new thread.
                self.fetch_agent();
            }
        }
    }

    /// Lists the sessions that a user may prompt.
    fn session_list(&self, user: &UserId, sessions: &[SessionInfo]) -> String {
        let mut sessions: Vec<_> = sessions
            .iter()
            .filter(|info| self.may_prompt(user, Some(&info.id)))
            .filter(|info| info.parent.is_none() && !info.is_archived)
            .filter(|info| self.settings.allows_directory(&info.directory))
            .collect();
        sessions.sort_by_key(|info| std::cmp::Reverse(info.updated));
        let rows = sessions.iter().take(MAX_ROWS).map(|info| {
            let is_bound = self.state.threads.contains_key(&info.id);
            let thread = if is_bound { "" } else { " (no thread)" };
            let (id, project) = (texts::short_id(&info.id), last_part(&info.directory));
            let title = shorten(info.title.trim(), 80);
            format!("- `{id}` {project}: {title}{thread}")
        });
        let mut rows: Vec<_> = rows.collect();
        if sessions.is_empty() {
            return "There are no sessions.".to_owned();
        }
        if let Some(more @ 1..) = sessions.len().checked_sub(MAX_ROWS) {
            rows.push(format!("and {more} more"));
        }
        rows.join("\n")
    }

    fn help(&self) -> String {
        let prefix = &self.settings.prefix;
        let first = "A post in the channel starts a session; replies are prompts.";
        let last = "- `/name` runs a command of OpenCode";
        let rows = COMMANDS.iter().map(|(name, arguments, what)| {
            let usage = format!("{prefix}{name} {arguments}");
            format!("- {} {what}", inline_code(usage.trim()))
        });
        let rows = std::iter::once(first.to_owned()).chain(rows).chain([last.to_owned()]);
        rows.collect::<Vec<_>>().join("\n")
    }

    fn unknown(&self, name: &str) -> String {
        let prefix = &self.settings.prefix;
        format!("No command {}; `{prefix}help` lists all.", inline_code(name))
    }

    fn status(&self) -> String {
        let open = self.state.threads.values().filter(|one| one.status == ThreadStatus::Open);
        let busy = self.live.values().filter(|live| live.is_busy).count();
        let agent = if self.instance.is_some() { "connected" } else { "not connected" };
        let waiting = self.waiting_prompts().len();
        format!(
            "OpenCode is {agent}. {} open sessions, {busy} at work, {waiting} prompts waiting.",
            open.count()
        )
    }
}

fn is_command(name: &str) -> bool {
    name == "kick" || COMMANDS.iter().any(|(known, _, _)| *known == name)
}

fn numbered(names: &[String]) -> String {
    let rows = names.iter().enumerate().take(MAX_ROWS * 5);
    let rows: Vec<_> =
        rows.map(|(number, name)| format!("{}. {}", number + 1, inline_code(name))).collect();
    if rows.is_empty() { "None.".to_owned() } else { rows.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::{StartWords, parse};

    #[test]
    fn a_command_is_a_word_after_the_prefix() {
        let command = |text| parse("!", text);
        assert_eq!(command("!Queue drop 1"), Some(("queue".into(), "drop 1".into())));
        assert_eq!(command("!"), None);
        assert_eq!(command("!!"), None);
        assert_eq!(command("a !help"), None);
    }

    #[test]
    fn words_before_the_text_name_directory_model_and_agent() {
        let words = StartWords::parse("dir:web model:a/b agent: do it");
        let (directory, model) = (Some("web".into()), Some("a/b".into()));
        let text = "agent: do it".into();
        assert_eq!(words, StartWords { directory, model, agent: None, text });
    }
}
