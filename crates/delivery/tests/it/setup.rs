//! Repositories in which agents have worked.

use std::fs;

use serde_json::{Value, json};
use skein_fixtures::{Fixture, NOW, Review, at, git};
use skein_format::review::ReviewDoc;
use skein_git::CommitAs;
use skein_workspace::Clock;

/// A repository with a file of three lines.
pub(crate) fn repository() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.variables.insert("SKEIN_AUTHOR".to_owned(), "Mira".to_owned());
    fixture.repository("repo");
    fixture.file("repo/a.txt", "one\ntwo\nthree\n");
    fixture.commit("repo", "a");
    fixture
}

/// An agent's session whose hooks call Skein.
pub(crate) struct Session<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) agent: &'static str,
    pub(crate) id: &'static str,
    pub(crate) dir: &'static str,
}

impl<'a> Session<'a> {
    /// Begins a session in a directory.
    pub(crate) fn begin(fixture: &'a Fixture, id: &'static str, dir: &'static str) -> Self {
        let session = Self::reported(fixture, id, dir);
        record(fixture, id, dir);
        session
    }

    /// Begins a session that only hooks report.
    pub(crate) fn reported(fixture: &'a Fixture, id: &'static str, dir: &'static str) -> Self {
        let session = Self { fixture, agent: "claude-code", id, dir };
        session.call("session-start", json!({ "source": "startup" }), 0);
        session.call("user-prompt-submit", json!({ "prompt": "go on" }), 0);
        session
    }

    pub(crate) fn call(&self, event: &str, mut payload: Value, minutes: i64) {
        let mut env = self.fixture.env(self.dir);
        let now = skein_format::time::Time::from_millis(at(NOW).as_millis() + minutes * 60_000);
        env.clock = Clock::new(move || now);
        payload["session_id"] = self.id.into();
        payload["cwd"] = self.fixture.path(self.dir).to_str().into();
        skein_hooks::run(env, self.agent, event, payload.to_string().as_bytes(), None);
    }

    /// Edits a file with a tool.
    pub(crate) fn edit(&self, file: &str, content: &str) {
        let path = self.fixture.file(&format!("{}/{file}", self.dir), content);
        let tool = json!({ "tool_name": "Edit", "tool_input": { "file_path": path } });
        self.call("post-tool-use", tool, 1);
    }

    /// Commits everything with a command.
    pub(crate) fn commit(&self) {
        commit(self.fixture, self.dir, NOW);
        let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "git commit -am x" } });
        self.call("post-tool-use", tool, 1);
    }

    /// Edits a file in a session that then commits and ends.
    pub(crate) fn work(
        fixture: &'a Fixture,
        id: &'static str,
        dir: &'static str,
        file: &str,
        content: &str,
    ) {
        let session = Self::begin(fixture, id, dir);
        session.edit(file, content);
        session.commit();
        session.end();
    }

    /// Ends the turn and the session.
    pub(crate) fn end(&self) {
        self.call("stop", json!({}), 2);
        self.call("session-end", json!({}), 2);
    }
}

/// Writes the record that Claude Code keeps of a session.
pub(crate) fn record(fixture: &Fixture, id: &str, dir: &str) {
    let cwd = fixture.path(dir).canonicalize().unwrap();
    let text = json!({ "sessionId": id, "cwd": cwd }).to_string();
    fixture.file(&format!("home/.claude/projects/x/{id}.jsonl"), text);
}

pub(crate) fn commit(fixture: &Fixture, dir: &str, date: &str) {
    let commit = CommitAs { name: "Ada", email: "ada@example.org", date, message: "x" };
    skein_git::commit_all(&fixture.path(dir), &commit).unwrap();
}

/// Writes a thread on lines of a file, counted from 0, with their present text as the selection.
pub(crate) fn thread(fixture: &Fixture, dir: &str, id: &str, file: &str, lines: (u32, u32)) {
    let text = fs::read_to_string(fixture.path(&format!("{dir}/{file}"))).unwrap();
    let count = usize::try_from(lines.1 - lines.0 + 1).unwrap();
    let chosen = text.lines().skip(usize::try_from(lines.0).unwrap()).take(count);
    let chosen: Vec<&str> = chosen.collect();
    let selection = chosen.join("\n");
    let review =
        Review { path: file, lines: Some(lines), selection: Some(&selection), ..Review::default() };
    review_here(fixture, dir, id, &review);
}

/// Writes a thread as if a person had written it on this machine.
pub(crate) fn review_here(fixture: &Fixture, dir: &str, id: &str, review: &Review<'_>) {
    let bytes = fs::read(fixture.review(dir, id, review)).unwrap();
    let workspace = fixture.open(dir);
    let (doc, _) = ReviewDoc::parse(bytes, id, &workspace.reviews.store_path);
    skein_catalog::origins::note_written(&workspace, (id, &doc), &doc.comments()).unwrap();
}

pub(crate) fn worktree(fixture: &Fixture, name: &str) {
    let path = fixture.path(name).display().to_string();
    git(&fixture.path("repo"), &["worktree", "add", "--quiet", "-b", name, &path]);
}
