//! The session of an agent that wrote the code of a thread, as recorded when the thread was submitted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skein_format::review::{Comment, ReviewDoc};
use skein_model::Turn;
use skein_model::truncate::truncate_line;
use skein_model::view::{RowDetail, ThreadOrigin, ThreadRow};
use skein_store::{Revision, append_line, ensure_dir};
use skein_workspace::{Actor, FileError, Workspace, agent_names, state_file};

/// The file in the state directory of a workspace.
pub const FILE: &str = "origins.json";
/// The file with the fingerprints of the comments that a person wrote on this machine, and of the code that they are about.
const WRITTEN_FILE: &str = "written.log";
/// Maximum size of that file and of its predecessor.
const MAX_WRITTEN_BYTES: u64 = 256 * 1024;
/// The number of characters of a session's id that are shown, from its end: ids of Codex begin with the time.
const SHOWN_ID: usize = 8;
/// Maximum length of a session in words.
const MAX_WORDS: usize = 200;

/// The session of a thread, and the comments that were submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedThread {
    #[serde(flatten)]
    pub origin: ThreadOrigin,
    /// The fingerprint of the comments.
    pub comments: String,
    /// Whether only a sandboxed agent reported the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_sandboxed: bool,
    /// The fingerprint of the code that they are about.
    #[serde(default)]
    pub target: String,
}

#[derive(Default, Deserialize, Serialize)]
struct Origins {
    threads: BTreeMap<String, SubmittedThread>,
}

/// Returns the fingerprint of the comments of a thread.
pub fn fingerprint(doc: &ReviewDoc) -> String {
    let comments = doc.comments();
    let texts = comments.iter().flat_map(|one| [&one.id, &one.author, &one.body]);
    hash(&texts.map(String::as_str).collect::<Vec<_>>())
}

/// Returns the fingerprint of the code that a thread is about: its file, its lines and their text, as they are stored.
pub fn target(doc: &ReviewDoc) -> String {
    let head = doc.head();
    let code = doc.context().map(|context| context.selection).or_else(|| doc.patch());
    hash(&[
        head.path_text.as_deref().unwrap_or_default(),
        &format!("{:?}", head.range),
        &code.unwrap_or_default(),
    ])
}

/// Notes that a person wrote comments of a thread on this machine, in contrast to those that came from another clone or were written
/// into the file by another program.
///
/// Only the process that wrote a comment calls this, and only for that comment.
pub fn note_written(
    workspace: &Workspace,
    (thread, doc): (&str, &ReviewDoc),
    comments: &[Comment],
) -> io::Result<()> {
    // A program that signs as an agent also writes through the server of a person.
    let is_of_person = |one: &&Comment| !agent_names::is_agent(&one.author, &workspace.settings);
    let mut lines: Vec<String> =
        comments.iter().filter(is_of_person).map(|one| written_comment(thread, one)).collect();
    if lines.is_empty() || Actor::is_in_agent(&workspace.env) {
        return Ok(());
    }
    lines.push(written_target(thread, doc));
    let state = workspace.dirs().state;
    ensure_dir(&*workspace.env.fs, &state, 0o700).map_err(io::Error::other)?;
    append_line(&state.join(WRITTEN_FILE), &lines.join(" "), MAX_WRITTEN_BYTES)
}

fn written_comment(thread: &str, comment: &Comment) -> String {
    hash(&["comment", thread, &comment.id, &comment.author, &comment.body])
}

fn written_target(thread: &str, doc: &ReviewDoc) -> String {
    hash(&["target", thread, &target(doc)])
}

fn hash(parts: &[&str]) -> String {
    Revision::from_bytes(parts.join("\0").as_bytes()).to_string()
}

/// What persons wrote on this machine, at least the last thousands of comments.
pub struct WrittenHere(BTreeSet<String>);

impl WrittenHere {
    pub fn read(workspace: &Workspace) -> Self {
        let state = workspace.dirs().state;
        let names = [WRITTEN_FILE.to_owned(), format!("{WRITTEN_FILE}.1")];
        let logs = names.iter().filter_map(|name| skein_store::read(&state.join(name)).ok());
        let texts = logs.map(|log| String::from_utf8_lossy(&log.bytes).into_owned());
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        Self(texts.flat_map(words).collect())
    }

    /// Returns whether every comment of a thread with this author was written here, and the last of them about the code that the thread
    /// names.
    pub fn has_all_by(&self, author: &str, thread: &str, doc: &ReviewDoc) -> bool {
        let comments = doc.comments();
        let mut own = comments.iter().filter(|one| one.author == author);
        self.0.contains(&written_target(thread, doc))
            && own.all(|one| self.0.contains(&written_comment(thread, one)))
    }
}

/// Returns the records by the ids of their threads.
pub fn read(workspace: &Workspace) -> BTreeMap<String, SubmittedThread> {
    let own: Option<Origins> = state_file::read(&workspace.dirs(), FILE);
    // In a sandbox, the records of the reviewer are read.
    let others = || state_file::read_in(&workspace.state_outside(&workspace.dirs())?, FILE);
    own.or_else(others).map(|origins: Origins| origins.threads).unwrap_or_default()
}

/// Adds records, and removes those of threads that no longer exist.
pub fn record(
    workspace: &Workspace,
    submitted: &BTreeMap<String, SubmittedThread>,
) -> Result<(), FileError> {
    let exists = |id: &String| workspace.reviews.threads().join(format!("{id}.md")).exists();
    state_file::update(&workspace.env, &workspace.dirs(), FILE, &|known: Option<Origins>| {
        let known = known.unwrap_or_default().threads;
        let mut threads = known.clone();
        threads.extend(submitted.clone());
        threads.retain(|id, _| exists(id));
        (threads != known).then_some(Origins { threads })
    })
}

/// Sets the origin of each thread that waits on an agent.
pub(crate) fn mark_origins<'a>(
    workspace: &Workspace,
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
) {
    let mut origins = read(workspace);
    if origins.is_empty() {
        return;
    }
    for row in rows {
        let RowDetail::Review(detail) = &mut row.detail else { continue };
        if detail.waiting_on == Some(Turn::Agent) {
            detail.origin = origins.remove(&row.id).map(|known| Box::new(known.origin));
        }
    }
}

/// Returns the session in words: `Claude Code …a37f0c1d`.
pub fn session_name(origin: &ThreadOrigin) -> String {
    let title = agent_names::title_of(&origin.agent);
    truncate_line(&format!("{title} {}", short_session_id(&origin.session)), MAX_WORDS)
}

/// Returns the end of a session's id: `…a37f0c1d`.
pub fn short_session_id(id: &str) -> String {
    let length = id.chars().count();
    if length <= SHOWN_ID {
        return id.to_owned();
    }
    let end: String = id.chars().skip(length - SHOWN_ID).collect();
    format!("…{end}")
}

/// Returns the session and the relative path of its directory: `Claude Code …a37f0c1d in ../wt-a`.
pub fn in_words(origin: &ThreadOrigin, from: &Path) -> String {
    let dir = relative(Path::new(&origin.dir), from);
    truncate_line(&format!("{} in {}", session_name(origin), dir.display()), MAX_WORDS)
}

/// Returns the path from one absolute directory to another.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let shared = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    // Without a common directory below the root, the whole path is clearer.
    if shared < 2 {
        return to.to_owned();
    }
    let up = from.components().skip(shared).map(|_| Path::new(".."));
    let down = to.components().skip(shared).map(|part| Path::new(part.as_os_str()));
    let path: PathBuf = up.chain(down).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_agent_its_id_and_its_directory() {
        let check = |dir: &str, from: &str, expected: &str| {
            let (agent, session) = ("claude-code".to_owned(), "01a1f244-7d10-a37f0c1d".to_owned());
            let origin = ThreadOrigin { agent, session, dir: dir.to_owned() };
            assert_eq!(in_words(&origin, Path::new(from)), expected);
        };
        check("/w/wt-a", "/w/main", "Claude Code …a37f0c1d in ../wt-a");
        check("/w/main", "/w/main", "Claude Code …a37f0c1d in .");
        check("/w/main/src", "/w/main", "Claude Code …a37f0c1d in src");
        check("/x", "/w/main", "Claude Code …a37f0c1d in /x");
        check("/w/a\nb", "/w/main", "Claude Code …a37f0c1d in ../a b");
    }
}
