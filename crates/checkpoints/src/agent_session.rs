//! The recorded state of an agent's session in a worktree.
//!
//! One small file per session in the state directory of the worktree. It has the commit at the start of the session, so that a
//! checkpoint can list the commits made since, the latest events, so that a hook does not repeat itself, and what the agent
//! edited and committed, so that review threads can be delivered to the session that wrote the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use skein_format::redact::redact;
use skein_format::time::{self, Time};
use skein_store::{Revision, ensure_dir, lock, remove, write_private};
use skein_workspace::env::canonical;
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::{Env, FileError, Workspace, agent_names};

/// The variables that contain the session id, by precedence.
pub const SESSION_VARIABLES: [&str; 5] = [
    "SKEIN_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CURSOR_CONVERSATION_ID",
];

/// The variable in which Claude Code names its process.
pub const PROCESS_VARIABLE: &str = "CLAUDE_PID";

/// The directory of the records, in the state directory of a worktree.
pub const DIRECTORY: &str = "agent-sessions";
/// Many hooks may wait, each for less than a millisecond.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
const HOUR: i64 = 60 * 60 * 1000;
/// How long a session without activity counts as running.
const RUNNING: i64 = 24 * HOUR;
/// How long the file of a session without activity is kept. Claude Code keeps its sessions as long.
const MAX_SESSION_AGE: i64 = 30 * 24 * HOUR;
/// Maximum number of edited files and of commits that are recorded.
const MAX_FILES: usize = 200;
const MAX_COMMITS: usize = 100;
const MAX_NAME_LEN: usize = 100;

/// A session of an agent in a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSession {
    /// The agent's own id for the session.
    pub id: String,
    /// The agent, such as `claude-code`.
    pub agent: String,
    /// When it began.
    #[serde(deserialize_with = "stamp")]
    pub started_at: Option<Time>,
    /// When it was last active.
    #[serde(deserialize_with = "stamp")]
    pub seen_at: Option<Time>,
    /// When the user last sent a prompt.
    #[serde(deserialize_with = "stamp")]
    pub prompted_at: Option<Time>,
    /// When the agent last ended a turn.
    #[serde(deserialize_with = "stamp")]
    pub worked_at: Option<Time>,
    /// When a hook last started to write a checkpoint that is not about a commit.
    #[serde(deserialize_with = "stamp")]
    pub claimed_at: Option<Time>,
    /// When it ended.
    #[serde(deserialize_with = "stamp")]
    pub ended_at: Option<Time>,
    /// The full id of the commit that was checked out when it began.
    pub initial_commit: Option<String>,
    /// The full id of the commit that was checked out at the last activity.
    pub head: Option<String>,
    /// The directory in which it began, from which the agent resumes it.
    pub dir: Option<String>,
    /// The process of the agent, if the agent names it.
    pub process: Option<u32>,
    /// The address of the agent's own server, as the agent names it; there may be none.
    pub server: Option<String>,
    /// The files that the agent edited, by absolute path.
    pub files: BTreeMap<String, EditedFile>,
    /// The full ids of the commits that it made, the latest last.
    pub commits: Vec<String>,
    /// The path of the agent's transcript.
    pub transcript: Option<String>,
    /// The last prompt of the user, short and without secrets.
    pub last_prompt: Option<String>,
    /// The last checkpoint that a hook wrote for it.
    pub last_checkpoint: Option<LastCheckpoint>,
    /// The absolute paths of the files that the agent edited since the last checkpoint.
    pub edited: Vec<String>,
    /// The review threads that were last reported to the agent.
    #[serde(rename = "told")]
    pub reported: Option<String>,
    /// The checkpoint of a brief that was passed to the agent incomplete, because there was no time.
    pub cut_brief: Option<String>,
    /// The complete brief, which the next answer passes to the agent.
    pub late_brief: Option<String>,
    /// How often a hook prevented the agent from stopping since the last prompt of the user.
    pub refusals: u32,
    /// Whether a sandboxed agent recorded it in its worktree, which is its word alone.
    #[serde(skip)]
    pub is_sandboxed: bool,
}

/// A file as the agent left it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EditedFile {
    /// When the agent last edited it.
    #[serde(deserialize_with = "stamp")]
    pub at: Option<Time>,
    /// Its content, or none if the file was missing or too large.
    pub revision: Option<String>,
}

/// A checkpoint that a hook wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCheckpoint {
    /// Its id.
    pub id: String,
    /// When it was written.
    #[serde(default, deserialize_with = "stamp")]
    pub at: Option<Time>,
    /// The full id of the commit that was checked out.
    #[serde(default)]
    pub commit: Option<String>,
}

/// Why a session was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum SessionRecordError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(SessionRecordError);

/// Applies `change` to the record of a session, writes it and returns it.
///
/// A session without a record starts now. The time of the last activity is set to now, and secrets are removed from the last prompt.
pub fn record(
    workspace: &Workspace,
    (agent, id): (&str, &str),
    change: impl FnOnce(&mut AgentSession),
) -> Result<AgentSession, SessionRecordError> {
    let env = &workspace.env;
    let dir = directory(workspace);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    let path = dir.join(file_name(id));
    let now = env.clock.now();
    let known = find(workspace, id);
    let mut session = known.unwrap_or_else(|| AgentSession::new(agent, id, now));
    session.seen_at = Some(now);
    change(&mut session);
    session.last_prompt = session.last_prompt.map(|prompt| redact(&prompt).into_owned());
    let mut bytes = serde_json::to_vec_pretty(&session)
        .expect("strings and numbers under string keys always serialise");
    bytes.push(b'\n');
    // The record is of no use after the session, so it is not synced to disk; many concurrent sessions then do not wait for each other.
    write_private(&*env.fs, &guard, &path, &bytes)?;
    Ok(session)
}

/// Returns the session id in the environment: `SKEIN_SESSION`, else the variable of the agent.
pub fn around(env: &Env) -> Option<&str> {
    let named = SESSION_VARIABLES.iter().filter_map(|name| env.variables.get(*name));
    named.map(|id| id.trim()).find(|id| !id.is_empty())
}

/// Returns the session of the agent that started this process, if exactly one is running in this worktree.
pub fn of_agent_around(workspace: &Workspace) -> Option<AgentSession> {
    let around = agent_names::id_of(agent_names::running_agent(&workspace.env.variables)?);
    let mut running = recorded(workspace);
    running.retain(|session| session.agent == around);
    running.pop().filter(|_| running.is_empty())
}

/// Returns the sessions running in this worktree, the last active first.
///
/// A session is running if it has not ended and was active within the last day.
pub fn recorded(workspace: &Workspace) -> Vec<AgentSession> {
    let now = workspace.env.clock.now();
    let mut running = all(workspace);
    running.retain(|session| session.is_running(now));
    running.sort_by(|a, b| b.seen_at.cmp(&a.seen_at).then_with(|| a.id.cmp(&b.id)));
    running
}

/// Returns the record of a session, running or not.
pub fn find(workspace: &Workspace, id: &str) -> Option<AgentSession> {
    let dirs = directories(workspace);
    let found = dirs.iter().filter_map(|dir| read(&dir.join(file_name(id))));
    found.filter(|session| session.id == id).max_by_key(|session| session.seen_at)
}

/// Returns all sessions that are recorded for this worktree, running or not.
pub fn all(workspace: &Workspace) -> Vec<AgentSession> {
    let dirs = directories(workspace);
    let mut all: Vec<AgentSession> =
        dirs.iter().flat_map(|dir| files(dir)).filter_map(|path| read(&path)).collect();
    all.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| b.seen_at.cmp(&a.seen_at)));
    all.dedup_by(|older, newer| older.id == newer.id);
    all
}

/// Returns the sessions of all repositories whose directory is missing, as after the removal of a worktree.
pub fn of_missing_dirs(env: &Env) -> Vec<AgentSession> {
    let roots = env.dirs.user_state().read_dir().into_iter().flatten().filter_map(Result::ok);
    let records = roots.flat_map(|root| files(&root.path().join(DIRECTORY)).collect::<Vec<_>>());
    let is_missing =
        |session: &AgentSession| session.dir.as_deref().is_some_and(|dir| !Path::new(dir).is_dir());
    records.filter_map(|path| read(&path)).filter(is_missing).collect()
}

/// Returns the sessions that a sandboxed agent recorded in this worktree, for a process outside the sandbox.
///
/// They work in this worktree and changed files in it; anything else that a record says is left out.
pub fn sandboxed(workspace: &Workspace) -> Vec<AgentSession> {
    let Some(top) = workspace.worktree_top() else { return Vec::new() };
    let records = workspace
        .sandbox()
        .and_then(|sandbox| sandbox.records(&workspace.worktree_dirs(), DIRECTORY).ok()?);
    let Some(records) = records else { return Vec::new() };
    let files = records.names().unwrap_or_default().into_iter();
    let files = files.filter(|name| is_record(Path::new(name)));
    let all = files.filter_map(|name| parse(&records.read(name).ok()?));
    all.map(|session| session.of_sandbox(top)).collect()
}

/// Removes the records of sessions without activity for 30 days, and unreadable files.
pub fn prune(workspace: &Workspace) -> Result<(), SessionRecordError> {
    let now = workspace.env.clock.now();
    let dir = directory(workspace);
    let old =
        |path: &PathBuf| !read(path).is_some_and(|known| known.is_within(MAX_SESSION_AGE, now));
    let old: Vec<PathBuf> = files(&dir).filter(old).collect();
    if old.is_empty() {
        return Ok(());
    }
    let guard = lock(&*workspace.env.fs, &dir, LOCK_TIMEOUT)?;
    for path in old {
        if let Ok(snapshot) = skein_store::read(&path) {
            remove(&*workspace.env.fs, &guard, &path, &snapshot.revision)?;
        }
    }
    Ok(())
}

impl AgentSession {
    fn new(agent: &str, id: &str, now: Time) -> Self {
        Self {
            id: id.to_owned(),
            agent: agent.to_owned(),
            started_at: Some(now),
            seen_at: Some(now),
            ..Self::default()
        }
    }

    fn of_sandbox(mut self, top: &Path) -> Self {
        let is_inside = |path: &str| canonical(Path::new(path)).starts_with(top);
        self.dir =
            self.dir.filter(|dir| is_inside(dir)).or_else(|| top.to_str().map(str::to_owned));
        self.files.retain(|file, _| Path::new(file).starts_with(top));
        Self {
            is_sandboxed: true,
            process: None,
            server: None,
            transcript: None,
            cut_brief: None,
            late_brief: None,
            ..self
        }
    }

    /// Returns whether it has not ended and was active within the last day.
    pub fn is_running(&self, now: Time) -> bool {
        self.ended_at.is_none() && self.is_within(RUNNING, now)
    }

    /// Records files as the agent left them just now; the oldest ones are dropped.
    pub fn add_files(
        &mut self,
        files: impl IntoIterator<Item = (String, Option<String>)>,
        now: Time,
    ) {
        // A name that looks like a secret is not recorded.
        for (path, revision) in files.into_iter().filter(|(path, _)| redact(path) == *path) {
            self.files.insert(path, EditedFile { at: Some(now), revision });
        }
        while self.files.len() > MAX_FILES {
            let oldest = self.files.iter().min_by_key(|(_, file)| file.at);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else { return };
            self.files.remove(&oldest);
        }
    }

    /// Records a commit that the agent made; the oldest ones are dropped.
    pub fn add_commit(&mut self, id: &str) {
        self.commits.retain(|known| known != id);
        self.commits.push(id.to_owned());
        let extra = self.commits.len().saturating_sub(MAX_COMMITS);
        self.commits.drain(..extra);
    }

    fn is_within(&self, span: i64, now: Time) -> bool {
        self.seen_at.is_some_and(|seen| now.as_millis().saturating_sub(seen.as_millis()) <= span)
    }
}

/// The session that the current process belongs to, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The agent's own id for the session.
    pub id: Option<String>,
    /// The agent, such as `codex`; may be known without the session.
    pub agent: Option<String>,
    /// The full id of the commit that was checked out when it began.
    pub initial_commit: Option<String>,
    /// When it began.
    pub started_at: Option<Time>,
    /// The path of the agent's transcript.
    pub transcript: Option<String>,
}

impl Session {
    /// Finds the session: the given one, else the one in the environment, else, inside an agent's environment, the only running one that
    /// hooks recorded for that agent in this worktree.
    ///
    /// A process outside an agent's environment belongs to no session.
    pub fn resolve(workspace: &Workspace, given: Option<&str>) -> Self {
        let named = given.or_else(|| around(&workspace.env));
        let variables = &workspace.env.variables;
        let agent = agent_names::running_agent(variables).map(agent_names::id_of);
        let agent = agent.or_else(|| agent_author(workspace));
        if let Some(id) = named.map(str::trim).filter(|id| !id.is_empty()) {
            let known = find(workspace, id).map(Self::from);
            let new = || Self { id: Some(id.to_owned()), agent, ..Self::default() };
            return known.unwrap_or_else(new);
        }
        let known = of_agent_around(workspace).map(Self::from);
        known.unwrap_or_else(|| Self { agent, ..Self::default() })
    }
}

/// Returns the id of the agent that `SKEIN_AUTHOR` names, if it is one.
fn agent_author(workspace: &Workspace) -> Option<String> {
    let author = workspace.env.variables.get("SKEIN_AUTHOR")?.trim();
    let is_agent = agent_names::is_agent(author, &workspace.settings);
    let name = author.strip_suffix(" [agent]").unwrap_or(author);
    is_agent.then(|| agent_names::id_of(name))
}

impl From<AgentSession> for Session {
    fn from(known: AgentSession) -> Self {
        Self {
            id: Some(known.id),
            agent: Some(known.agent),
            initial_commit: known.initial_commit,
            started_at: known.started_at,
            transcript: known.transcript,
        }
    }
}

fn directory(workspace: &Workspace) -> PathBuf {
    workspace.worktree_dirs().state.join(DIRECTORY)
}

/// Returns the directory that is written, and in a sandbox that of the user, which is only read.
fn directories(workspace: &Workspace) -> Vec<PathBuf> {
    let outside = workspace.state_outside(&workspace.worktree_dirs());
    let outside = outside.map(|dir| dir.join(DIRECTORY));
    [directory(workspace)].into_iter().chain(outside).collect()
}

fn files(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| is_record(path))
}

fn is_record(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn read(path: &Path) -> Option<AgentSession> {
    parse(&skein_store::read(path).ok()?.bytes)
}

fn parse(bytes: &[u8]) -> Option<AgentSession> {
    let session: AgentSession = serde_json::from_slice(bytes).ok()?;
    (!session.id.is_empty() && !session.agent.is_empty()).then_some(session)
}

/// Returns whether the id of a session is a plain name, which is neither an option nor anything else for a program.
pub fn is_plain_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let fits = !id.is_empty() && id.len() <= MAX_NAME_LEN;
    fits && !id.starts_with('-') && id.bytes().all(is_plain)
}

/// Returns the file name of a session; an id that is not a plain name is replaced by its hash.
fn file_name(id: &str) -> String {
    if is_plain_id(id) {
        format!("{id}.json")
    } else {
        format!("{}.json", Revision::from_bytes(id.as_bytes()))
    }
}

fn stamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| time::parse(&text)).map(|parsed| parsed.time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_not_a_plain_name_never_becomes_a_path() {
        assert_eq!(file_name("0d-9_Z"), "0d-9_Z.json");
        for id in ["", "../x", "a/b", ".hidden", "a b", "ä", &"x".repeat(101)] {
            let name = file_name(id);
            assert!(
                name.len() > 30 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
            );
        }
    }
}
