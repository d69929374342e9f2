//! How a session is known. Any process can call a hook, so a session counts only if its agent has a record of it.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use memchr::memmem::find;
use skein_model::view::ThreadOrigin;
use skein_store::owner;
use skein_workspace::Env;

/// The variable with the user's directory for data of programs.
pub const DATA_HOME: &str = "XDG_DATA_HOME";
/// The size of the pieces in which a record is read.
const PIECE: usize = 1024 * 1024;
/// The depth of the directories in which Codex keeps its records: year, month and day.
const CODEX_DEPTH: usize = 3;
/// The number of characters of a session's id in the name of a record of Gemini CLI.
const GEMINI_ID: usize = 8;

/// Where it is known from that a session exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvidence {
    /// The agent's own record, which names the session and its directory.
    Record(PathBuf),
    /// Only hooks reported it.
    Hooks,
    /// A sandboxed agent reported it in its worktree.
    Sandbox,
}

/// Finds the record of a session in the directories in which its agent keeps records of this user.
pub(crate) fn record_of(env: &Env, origin: &ThreadOrigin) -> Option<PathBuf> {
    let id = origin.session.as_str();
    let home = env.home.as_deref()?;
    let moved = |variable: &str| env.variables.get(variable).map(PathBuf::from);
    let below = |variable: &str, name: &str| {
        moved(variable).filter(|dir| dir.is_absolute()).unwrap_or_else(|| home.join(name))
    };
    let candidates = match origin.agent.as_str() {
        "claude-code" => {
            let projects = below("CLAUDE_CONFIG_DIR", ".claude").join("projects");
            entries(&projects).map(|dir| dir.join(format!("{id}.jsonl"))).collect()
        }
        "codex" => {
            let mut dirs = vec![below("CODEX_HOME", ".codex").join("sessions")];
            for _ in 0..CODEX_DEPTH {
                dirs = dirs.iter().flat_map(|dir| entries(dir)).collect();
            }
            named(&dirs, "rollout-", &format!("-{id}.jsonl"))
        }
        "gemini-cli" => {
            let dirs = entries(&home.join(".gemini/tmp")).map(|dir| dir.join("chats"));
            let id: String = id.chars().take(GEMINI_ID).collect();
            let dirs: Vec<PathBuf> = dirs.collect();
            let ends = [format!("-{id}.jsonl"), format!("-{id}.json")];
            ends.iter().flat_map(|end| named(&dirs, "session-", end)).collect()
        }
        "opencode" => {
            let dir = below(DATA_HOME, ".local/share").join("opencode");
            let old =
                entries(&dir.join("storage/session")).map(|dir| dir.join(format!("{id}.json")));
            let databases =
                [".db", ".db-wal"].map(|end| named(std::slice::from_ref(&dir), "opencode", end));
            databases.into_iter().flatten().chain(old).collect()
        }
        _ => Vec::new(),
    };
    candidates.into_iter().find(|file| is_record(env, file, origin).unwrap_or(false))
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path())
}

fn named(dirs: &[PathBuf], start: &str, end: &str) -> Vec<PathBuf> {
    let files = dirs.iter().flat_map(|dir| entries(dir));
    let is_meant = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(start) && name.ends_with(end))
    };
    files.filter(is_meant).collect()
}

/// Returns whether a file belongs to the user, and names the session and its directory.
fn is_record(env: &Env, path: &Path, origin: &ThreadOrigin) -> io::Result<bool> {
    let is_own = |meta: &Metadata| meta.is_file() && env.users.contains(&owner(meta));
    if !is_own(&path.symlink_metadata()?) {
        return Ok(false);
    }
    // In JSON, a backslash, a quote or a control character is escaped.
    let escaped = origin.dir.replace('\\', "\\\\").replace('"', "\\\"");
    contains(File::open(path)?, [origin.session.as_bytes(), escaped.as_bytes()])
}

/// Returns whether a file contains all of the texts.
fn contains(mut file: File, texts: [&[u8]; 2]) -> io::Result<bool> {
    let overlap = texts.iter().map(|text| text.len()).max().unwrap_or_default();
    let mut found = [false; 2];
    let mut bytes = Vec::new();
    loop {
        let kept = bytes.len().saturating_sub(overlap);
        bytes.drain(..kept);
        let read = file.by_ref().take(PIECE as u64).read_to_end(&mut bytes)?;
        for (found, text) in found.iter_mut().zip(texts) {
            *found |= find(&bytes, text).is_some();
        }
        if read == 0 || found == [true; 2] {
            return Ok(found == [true; 2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use skein_fixtures::Fixture;

    use super::*;

    fn origin(agent: &str, session: &str) -> ThreadOrigin {
        let (agent, session) = (agent.to_owned(), session.to_owned());
        ThreadOrigin { agent, session, dir: "/w/a \"b\"".to_owned() }
    }

    #[test]
    fn the_records_of_all_agents_are_found() {
        let fixture = Fixture::new();
        let check = |agent: &str, session: &str, file: &str| {
            let origin = origin(agent, session);
            assert_eq!(record_of(&fixture.env("."), &origin), None);
            let text = format!("{{\"id\":\"{session}\",\"cwd\":\"/w/a \\\"b\\\"\"}}\n");
            let file = fixture.file(file, text);
            assert_eq!(record_of(&fixture.env("."), &origin), Some(file));
        };
        check("claude-code", "77655900-293d", "home/.claude/projects/-w-a--b-/77655900-293d.jsonl");
        let codex =
            "home/.codex/sessions/2026/11/19/rollout-2026-11-19T10-46-56-01a1f36a-aacf.jsonl";
        check("codex", "01a1f36a-aacf", codex);
        let gemini = "home/.gemini/tmp/a/chats/session-2026-11-19T10-47-2302b10d.jsonl";
        check("gemini-cli", "2302b10d-1ee3-481a", gemini);
        check("opencode", "ses_1", "home/.local/share/opencode/opencode.db-wal");
        check("opencode", "ses_2", "home/.local/share/opencode/storage/session/x/ses_2.json");
    }

    #[test]
    fn a_file_that_does_not_name_the_directory_or_is_a_link_is_no_record() {
        let fixture = Fixture::new();
        let origin = origin("claude-code", "s1");
        let name = "home/.claude/projects/x/s1.jsonl";
        fixture.file(name, "{\"id\":\"s1\",\"cwd\":\"/w/other\"}\n");
        assert_eq!(record_of(&fixture.env("."), &origin), None);
        let text = "{\"id\":\"s1\",\"cwd\":\"/w/a \\\"b\\\"\"}\n";
        let other = fixture.file("r/s1.jsonl", text);
        let path = fixture.path(name);
        fs::remove_file(&path).unwrap();
        symlink(other, &path).unwrap();
        assert_eq!(record_of(&fixture.env("."), &origin), None);
    }

    #[test]
    fn texts_are_found_across_pieces() {
        let fixture = Fixture::new();
        let mut bytes = vec![b'.'; PIECE - 2];
        bytes.extend_from_slice(b"long-text");
        bytes.resize(2 * PIECE, b'.');
        bytes.extend_from_slice(b"id");
        let file = fixture.file("f", bytes);
        let check = |texts: [&str; 2], expected: bool| {
            let found = contains(File::open(&file).unwrap(), texts.map(str::as_bytes));
            assert_eq!(found.unwrap(), expected);
        };
        check(["long-text", "id"], true);
        check(["long-text", "none"], false);
    }
}
