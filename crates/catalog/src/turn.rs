//! Decides whose turn it is in an open thread.

use skein_format::review::{Exchange, Mention};
use skein_model::Turn;
use skein_model::person_names::matched;
use skein_workspace::agent_names;
use skein_workspace::agent_names::is_agent;
use skein_workspace::settings::Settings;

/// The person or agent that a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingOn {
    pub on: Turn,
    /// The name, if a specific person or agent is asked.
    pub name: Option<String>,
}

/// Names that do not identify an author: the VS Code extension uses the first one for every user.
const NAMELESS: [&str; 2] = ["You", "unknown"];

/// Decides whose turn it is.
///
/// A mention in the last comment takes precedence. After an agent it is the reviewer's turn. After a person it is the turn of the
/// previous author: an agent, or a person who was asked by another one. A thread with only one person waits for an agent. After a person
/// has applied a suggestion, the reviewer resolves the thread.
pub fn turn(exchange: &Exchange<'_>, settings: &Settings) -> WaitingOn {
    let (last, other) = (exchange.last.as_deref(), exchange.other.as_deref());
    if let Some(turn) = exchange.mention.as_ref().and_then(|it| mentioned(it, exchange, settings)) {
        return turn;
    }
    let is_agent = |name: &str| is_agent(name, settings);
    let is_named = |name: &&str| !NAMELESS.contains(name);
    if last.is_some_and(is_agent) {
        return WaitingOn { on: Turn::Reviewer, name: None };
    }
    let asked = other.filter(|other| !is_agent(other) && is_named(other));
    match asked.filter(|_| last.as_ref().is_some_and(is_named)) {
        Some(asked) => WaitingOn { on: Turn::Reviewer, name: Some(asked.to_owned()) },
        None if exchange.is_applied => WaitingOn { on: Turn::Reviewer, name: None },
        None => WaitingOn { on: Turn::Agent, name: None },
    }
}

/// Returns the mentioned person or agent: an author, a known agent, any agent, or a name at the start of a line.
fn mentioned(mention: &Mention, exchange: &Exchange<'_>, settings: &Settings) -> Option<WaitingOn> {
    let authors = [exchange.other.as_deref(), exchange.last.as_deref()].into_iter().flatten();
    let set = settings.agents().iter().map(String::as_str);
    let known: Vec<&str> = authors.chain(set).chain(agent_names::KNOWN.iter().copied()).collect();
    let meant = known.into_iter().filter_map(|name| Some((matched(&mention.text, name)?, name)));
    // Of `Claude` and `Claude Code`, the longer one matches; of equal ones, the first.
    if let Some((_, name)) = meant.rev().max_by_key(|(length, _)| *length) {
        if exchange.last.as_deref() == Some(name) {
            return None;
        }
        let on = if is_agent(name, settings) { Turn::Agent } else { Turn::Reviewer };
        return Some(WaitingOn { on, name: Some(name.to_owned()) });
    }
    let end = mention.text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let word = mention.text.get(..end.unwrap_or(mention.text.len())).unwrap_or_default();
    if ["agent", "agents"].iter().any(|any| word.eq_ignore_ascii_case(any)) {
        return Some(WaitingOn { on: Turn::Agent, name: None });
    }
    mention.leads.then(|| WaitingOn { on: Turn::Reviewer, name: Some(word.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whose turn it is after comments written as `author: text`.
    #[track_caller]
    fn check(comments: &[&str], expected: &str) {
        let mut thread =
            String::from("<local-code-review-thread>\n{}\n</local-code-review-thread>\n");
        for comment in comments {
            let (author, body) = comment.split_once(": ").unwrap();
            let marker = format!("<local-code-review-comment author=\"{author}\"/>");
            thread.extend(["\n", &marker, "\n\n", body, "\n"]);
        }
        let (texts, _) = skein_format::review::ReviewRef::parse(thread.as_bytes(), "t", "");
        let turn = turn(&texts.exchange(), &Settings::default());
        let name = turn.name.unwrap_or_default();
        assert_eq!(format!("{} {name}", turn.on.as_str()).trim_end(), expected, "{comments:?}");
    }

    #[test]
    fn a_comment_waits_for_an_agent_and_its_answer_for_the_reviewer() {
        check(&["Mira: Why?"], "agent");
        check(&["Mira: Why?", "Codex: Because."], "reviewer");
        check(&["Mira: Why?", "Codex: Because.", "Mira: Change it."], "agent");
        check(&["Mira: Why?", "Mira: Really."], "agent");
        check(&["lint [agent]: Unused.", "Mira: Remove it."], "agent");
        check(&["You: Why?", "Mira: Really."], "agent");
    }

    #[test]
    fn a_person_who_was_asked_by_another_one_is_next() {
        check(&["Mira: Slow.", "Tom: Why?"], "reviewer Mira");
        check(&["Mira: Slow.", "Tom: Why?", "Mira: It allocates."], "reviewer Tom");
        check(&["Mira: Slow.", "Codex: Done.", "Tom: Not yet."], "agent");
    }

    #[test]
    fn a_suggestion_that_a_person_applied_waits_for_the_reviewer() {
        check(&["Mira: Box it.", "Mira: Applied; not committed yet."], "reviewer");
        check(&["Codex: Box it.", "Mira: Applied; it is in 1a2b3c4."], "reviewer");
        check(&["Codex: Box it.", "Mira: Applied already; not committed yet."], "reviewer");
        check(&["Tom: Box it.", "Mira: Applied; not committed yet."], "reviewer Tom");
        check(&["Codex: Box it.", "Mira: Applied; not committed yet. Why?"], "agent");
        check(&["Mira: Box it.", "Mira: Applied; it is in the wrong file."], "agent");
    }

    #[test]
    fn a_mentioned_person_or_agent_is_next() {
        check(&["Tom: @Mira is this right?"], "reviewer Mira");
        check(&["Mira Okafor: Slow.", "Tom: Ask @mira."], "reviewer Mira Okafor");
        check(&["Mira: Slow.", "Tom: @agent fix it"], "agent");
        check(&["Mira: Slow.", "Tom: Please, @claude-code, fix it."], "agent Claude Code");
        check(&["Mira: Slow.", "Codex: @Tom which one?"], "reviewer Tom");
        check(&["Mira: The @Override is missing."], "agent");
        check(&["Mira: @mira to do"], "agent");
    }
}
