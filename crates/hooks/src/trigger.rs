//! Writes checkpoints at events other than commits.
//!
//! A generated file and the end of a worker trigger one only if the session has had none for five minutes. A compaction triggers one if
//! there was activity since the last, or if that is five minutes old: an agent may have worked without a prompt. The end of a session
//! triggers one only if there was activity since the last. Activity is a prompt, the end of a turn, or another commit; at the end of a
//! session, the turn in which a checkpoint was written counts only after five minutes, because that checkpoint covers it.

use skein_checkpoints::AutoCheckpoint;
use skein_checkpoints::agent_session::AgentSession;
use skein_format::time::Time;

use super::call::{HookCall, HookError, HookResult};
use super::generated;
use super::own::is_thread_path;
use super::summary::{cut, last_message, summary};
use super::write;

const DEBOUNCE_MILLIS: i64 = 300 * 1000;
const SAME_CLAIM_MILLIS: i64 = 10 * 1000;
const MAX_TITLE_LEN: usize = 60;
/// Requests often start with words that say little ("can you please fix …"), so an id has more of them than that of a commit.
const MAX_SLUG_WORDS: usize = 6;

/// The rule that decides whether a checkpoint is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Debounced,
    Compaction,
    End,
}

/// The cause of a checkpoint.
struct Cause {
    trigger: &'static str,
    rule: Rule,
    /// What the file is named after; by default the lead.
    slug: Option<String>,
    title: Option<String>,
    /// The first line of the summary.
    lead: String,
}

/// Writes a checkpoint if the tool created a file in one of the directories for generated files.
pub(super) fn generated(call: &HookCall) -> HookResult {
    let created = call.payload.created();
    let created: Vec<_> =
        created.iter().filter_map(|file| generated::find(&call.workspace, file)).collect();
    let Some(first) = created.iter().find(|file| !is_thread_path(&call.workspace, &file.path))
    else {
        return Ok(());
    };
    let title = Some(format!("wrote {}", first.name));
    let lead = format!("Wrote {}", first.name);
    let files = created.iter().map(|file| file.path.display().to_string()).collect();
    let rule = Rule::Debounced;
    let cause = Cause { trigger: "file-generation", rule, slug: None, title, lead };
    write(call, cause, files)
}

/// Writes a checkpoint because a worker has ended.
pub(super) fn worker(call: &HookCall) -> HookResult {
    let named = call.payload.input.worker.as_ref().or(call.payload.worker.as_ref());
    let name = named.map(String::as_str).filter(|name| !name.trim().is_empty());
    let name = cut(name.unwrap_or("worker"), MAX_TITLE_LEN);
    let (title, lead) = (Some(format!("{name} ended")), format!("The worker {name} ended"));
    let rule = Rule::Debounced;
    let cause = Cause { trigger: "worker-skill", rule, slug: None, title, lead };
    write(call, cause, Vec::new())
}

/// Writes a checkpoint before the conversation is compacted.
pub(super) fn compaction(call: &HookCall) -> HookResult {
    let lead = "The conversation is about to be compacted";
    write(call, of_session(call, "pre-compact", Rule::Compaction, lead), Vec::new())
}

/// Writes a checkpoint because the session ends.
pub(super) fn end(call: &HookCall) -> HookResult {
    write(call, of_session(call, "session-end", Rule::End, "The session ended"), Vec::new())
}

/// Returns a cause that is about the whole session: it is named after the last prompt, or else after the last message of the agent.
fn of_session(call: &HookCall, trigger: &'static str, rule: Rule, lead: &str) -> Cause {
    let record = call.record();
    let prompt = record.as_ref().and_then(|record| record.last_prompt.clone());
    let subject = prompt.or_else(|| last_message(call, record.as_ref()));
    let line = subject.as_deref().and_then(|text| text.lines().find(|line| has_word(line)));
    Cause {
        trigger,
        rule,
        slug: Some(line.map_or_else(|| trigger.to_owned(), slug_of)),
        title: line.map(|line| cut(line.trim(), MAX_TITLE_LEN)),
        lead: lead.to_owned(),
    }
}

fn has_word(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Returns the first words of a line, joined by dashes.
fn slug_of(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MAX_SLUG_WORDS).collect::<Vec<_>>().join("-").chars().take(MAX_TITLE_LEN).collect()
}

fn write(call: &HookCall, cause: Cause, files: Vec<String>) -> HookResult {
    if !call.has_store() {
        return Ok(());
    }
    if call.session().is_none() {
        return Err(HookError::NoSession);
    }
    let head = call.head();
    let Some(known) = claim(call, cause.rule, head.as_ref().map(|head| head.as_str()))? else {
        return Ok(());
    };
    let is_rare = cause.rule != Rule::Debounced;
    let auto = AutoCheckpoint {
        trigger: cause.trigger.to_owned(),
        slug: cause.slug,
        title: cause.title,
        summary: summary(call, &cause.lead, Some(&known)),
        files: [files, known.edited].concat(),
        with_changes: is_rare,
        ..write::auto(call)
    };
    write::write(call, &auto, head.as_ref())
}

/// Claims the right to write a checkpoint; only one of two simultaneous hooks gets it.
fn claim(call: &HookCall, rule: Rule, head: Option<&str>) -> HookResult<Option<AgentSession>> {
    let is_known = call.record().is_some();
    let now = call.workspace.env.clock.now();
    let mut due = false;
    let session = call.update_record(|session| {
        let is_debounced = is_debounced(session, now);
        let is_first = !is_known && session.claimed_at.is_none();
        due = match rule {
            Rule::Debounced => is_debounced,
            Rule::Compaction => {
                is_debounced || has_worked(session) || has_moved(session, head, now)
            }
            Rule::End => {
                let worked = is_debounced && has_worked(session);
                is_first || worked || has_asked(session) || has_moved(session, head, now)
            }
        };
        if due {
            session.claimed_at = Some(now);
        }
    })?;
    Ok(session.filter(|_| due))
}

/// Returns the time at which the last checkpoint was written or claimed.
fn last(session: &AgentSession) -> Option<Time> {
    session.last_checkpoint.as_ref().and_then(|last| last.at).max(session.claimed_at)
}

fn is_within(span: i64, since: Option<Time>, now: Time) -> bool {
    since.is_some_and(|since| now.as_millis().saturating_sub(since.as_millis()) < span)
}

fn is_debounced(session: &AgentSession, now: Time) -> bool {
    !is_within(DEBOUNCE_MILLIS, last(session), now)
}

fn has_asked(session: &AgentSession) -> bool {
    session.prompted_at > last(session)
}

fn has_worked(session: &AgentSession) -> bool {
    session.worked_at.max(session.prompted_at) > last(session)
}

/// Returns whether there is a new commit. A hook that claimed a checkpoint just now has seen it, but may not have recorded it yet.
fn has_moved(session: &AgentSession, head: Option<&str>, now: Time) -> bool {
    let last = session.last_checkpoint.as_ref();
    let known = last.map_or(session.initial_commit.as_deref(), |last| last.commit.as_deref());
    head != known && !is_within(SAME_CLAIM_MILLIS, session.claimed_at, now)
}
