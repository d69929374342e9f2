//! The directory and the agent of the work.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use skein_checkpoints::agent_session;
use skein_checkpoints::path_format::expand;
use skein_format::checkpoint::Checkpoint;
use skein_format::redact::redacted;
use skein_git::RepoDirs;
use skein_model::normalize_path::lexical;
use skein_workspace::Workspace;

/// The agent that did the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentSummary {
    /// Its name, such as `claude-code`, or the name in the file.
    pub name: Option<String>,
    /// The id of its session.
    pub session_id: Option<String>,
    /// The shell command that resumes the session.
    pub resume_command: Option<String>,
}

/// Finds the agent, and the command that resumes its session.
pub(super) fn agent(workspace: &Workspace, head: &Checkpoint) -> AgentSummary {
    let session = head.session_id.clone().filter(|id| !id.trim().is_empty());
    let known = session.as_deref().and_then(|id| agent_session::find(workspace, id));
    let transcript = head.transcript.as_deref();
    let name = known.map(|known| known.agent).or_else(|| head.agent.clone());
    let name = name.or_else(|| guess(transcript, session.as_deref()).map(str::to_owned));
    let resume_command =
        name.as_deref().zip(session.as_deref()).and_then(|(name, id)| command(name, id));
    let resume_command = resume_command.map(redacted);
    AgentSummary { name: name.map(redacted), session_id: session.map(redacted), resume_command }
}

/// Guesses the agent from the path of its transcript, or from the format of its ids.
fn guess(transcript: Option<&str>, session: Option<&str>) -> Option<&'static str> {
    let part = |name: &str| {
        transcript
            .is_some_and(|path| path.split('/').any(|part| part.trim_start_matches('.') == name))
    };
    match session {
        _ if part("claude") => Some("claude-code"),
        _ if part("codex") => Some("codex"),
        _ if part("opencode") => Some("opencode"),
        Some(id) if id.starts_with("ses_") => Some("opencode"),
        _ => None,
    }
}

/// Returns the agent's own command; none for an id that is not a plain shell word.
fn command(agent: &str, id: &str) -> Option<String> {
    let start = match agent.to_lowercase().replace(' ', "-").as_str() {
        "claude-code" | "claude" => "claude --resume",
        "codex" => "codex resume",
        "opencode" => "opencode --session",
        "gemini-cli" => "gemini --resume",
        _ => return None,
    };
    agent_session::is_plain_id(id).then(|| format!("{start} {id}"))
}

/// The directories that paths of a checkpoint may be relative to, and the repository to compare with.
pub(super) struct PathContext {
    pub(super) dirs: Vec<PathBuf>,
    pub(super) git: Option<RepoDirs>,
}

impl PathContext {
    /// Finds them; directories outside the root and the repository are ignored.
    pub(super) fn new(workspace: &Workspace, head: &Checkpoint) -> Self {
        let root = &workspace.checkpoints.root;
        let here = workspace.git.as_ref();
        let cwd = head.cwd.as_deref().map(|cwd| lexical(&root.join(expand(cwd, &workspace.env))));
        let tops: Vec<PathBuf> = here
            .map(|git| git.worktrees().into_iter().map(|worktree| worktree.top).collect())
            .unwrap_or_default();
        let near =
            |dir: &PathBuf| dir.starts_with(root) || tops.iter().any(|top| dir.starts_with(top));
        let cwd = cwd.filter(|cwd| near(cwd) && cwd.is_dir());
        let there = cwd.as_deref().and_then(|cwd| RepoDirs::discover(cwd).ok()?);
        let same = |there: &RepoDirs| here.is_some_and(|here| here.common_dir == there.common_dir);
        // For another worktree of the same repository, the current worktree is used.
        let git = there.filter(|there| !same(there)).or_else(|| here.cloned());
        let top = git.as_ref().and_then(|git| git.top.clone());
        // The root may be another checkout of the repository, whose files are not those of this worktree.
        let is_other = tops.contains(root) && top.as_ref().is_some_and(|top| top != root);
        let mut dirs: Vec<PathBuf> = Some(root.clone()).filter(|_| !is_other).into_iter().collect();
        for dir in cwd.into_iter().chain(top) {
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
        Self { dirs, git }
    }

    /// Returns the possible locations of a path of the checkpoint; none if it contains `..`.
    pub(super) fn places(&self, path: &str) -> Vec<PathBuf> {
        let path = Path::new(path);
        if path.components().any(|part| part == Component::ParentDir) {
            return Vec::new();
        }
        self.dirs.iter().map(|dir| lexical(&dir.join(path))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_recognised_by_its_transcript_or_its_session_id() {
        let check = |transcript: Option<&str>, session: &str, expected: Option<&str>| {
            assert_eq!(guess(transcript, Some(session)), expected, "{transcript:?} {session}");
        };
        check(Some("/home/me/.claude/projects/x/1.jsonl"), "1", Some("claude-code"));
        check(Some("/home/me/.codex/sessions/2026/1.jsonl"), "1", Some("codex"));
        check(Some("/home/me/.local/share/opencode/storage"), "1", Some("opencode"));
        check(None, "ses_4a", Some("opencode"));
        check(None, "0c1d", None);
        check(Some("/srv/claudette/1"), "0c1d", None);
    }

    #[test]
    fn a_resume_command_is_built_only_from_a_plain_id() {
        let check = |agent: &str, id: &str, expected: Option<&str>| {
            assert_eq!(command(agent, id).as_deref(), expected, "{agent} {id}");
        };
        check("claude-code", "0c1d-22", Some("claude --resume 0c1d-22"));
        check("Claude Code", "0c1d-22", Some("claude --resume 0c1d-22"));
        check("codex", "0c1d", Some("codex resume 0c1d"));
        check("opencode", "ses_1", Some("opencode --session ses_1"));
        check("opencode", "a; rm -rf ~", None);
        check("codex", "--yolo", None);
        check("gemini-cli", "0c1d", Some("gemini --resume 0c1d"));
        check("cursor", "0c1d", None);
    }
}
