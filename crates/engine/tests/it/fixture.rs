//! A folder of its own for each test: workspaces, repositories and a home directory.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use skein_engine::{Clock, Dirs, Env, Ids, Workspace, discover};
use skein_format::time::{self, Time};
use skein_git::{CommitAs, command, commit_all, init};
use tempfile::TempDir;

/// When every test takes place.
pub(crate) const NOW: &str = "2026-01-23T14:30:00.000Z";

/// A folder that disappears with the value.
pub(crate) struct Fixture {
    root: PathBuf,
    pub(crate) variables: BTreeMap<String, String>,
    /// Whose stores are used.
    pub(crate) users: Vec<u32>,
    _folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let users = vec![fs::metadata(&root).unwrap().uid()];
        Self { root, variables: BTreeMap::new(), users, _folder: folder }
    }

    /// Returns the canonical path of `name`, which needs not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let dir = self.path(name);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        skein_testkit::write_settled(&path, content);
        path
    }

    pub(crate) fn link(&self, name: &str, to: impl AsRef<Path>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Makes a repository with one commit on `main`.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let top = self.dir(name);
        init(&top, "main").unwrap();
        self.commit(name, "begin");
        top
    }

    /// Commits everything that git does not ignore.
    pub(crate) fn commit(&self, name: &str, message: &str) {
        let commit = CommitAs {
            name: "Ada",
            email: "ada@example.org",
            date: "2026-01-01T09:00:00Z",
            message,
        };
        commit_all(&self.path(name), &commit).unwrap();
    }

    /// Checks a branch of its own out into another directory.
    pub(crate) fn worktree(&self, repository: &str, name: &str, branch: &str) {
        let path = self.path(name).display().to_string();
        git(&self.path(repository), &["worktree", "add", "--quiet", "-b", branch, &path]);
    }

    /// Writes a review thread into the store `.code-review` of a directory.
    pub(crate) fn review(&self, dir: &str, id: &str, thread: &Review<'_>) -> PathBuf {
        let name = format!("{dir}/.code-review/threads/{id}.md");
        self.file(name.trim_start_matches('/'), thread.text(id))
    }

    /// Writes a checkpoint with these members, besides its id and its version.
    pub(crate) fn checkpoint(&self, dir: &str, id: &str, members: &str) -> PathBuf {
        let text = format!("{{\n  \"thread_id\": \"{id}\",\n  \"version\": 1,\n{members}\n}}\n");
        let name = format!("{dir}/workspace/threads/{id}.json");
        self.file(name.trim_start_matches('/'), text)
    }

    /// Writes the session map of the home directory.
    pub(crate) fn sessions(&self, entries: &[String]) -> PathBuf {
        let entries = entries.join(",\n    ");
        let text = format!(
            "{{\n  \"version\": 1,\n  \"mappings\": [\n    {entries}\n  ],\n  \"lastModified\": \"{NOW}\"\n}}\n"
        );
        self.file("home/.config/opencode/mattermost-threads.json", text)
    }

    pub(crate) fn env(&self, dir: &str) -> Env {
        let now = at(NOW);
        Env {
            dir: self.path(dir),
            home: Some(self.path("home")),
            config_home: Some(self.path("home/.config")),
            dirs: Dirs::new(self.path("home/state"), self.path("home/cache")),
            variables: self.variables.clone(),
            users: self.users.clone(),
            fs: std::sync::Arc::new(skein_store::RealFs),
            deadline_factor: 100,
            clock: Clock::new(move || now),
            ids: Ids::seeded("test"),
        }
    }

    pub(crate) fn open(&self, dir: &str) -> (Workspace, Env) {
        let env = self.env(dir);
        (discover(&env), env)
    }

    /// Takes the path of the folder out of a text.
    pub(crate) fn shorten(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.root.display()), "")
    }

    /// Lists every path below the folder with what is in it.
    pub(crate) fn tree(&self) -> String {
        let mut out = String::new();
        walk(&self.root, &mut out);
        self.shorten(&out)
    }
}

fn walk(dir: &Path, out: &mut String) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let meta = path.symlink_metadata().unwrap();
        if meta.is_symlink() {
            writeln!(out, "{} -> {}", path.display(), path.read_link().unwrap().display()).unwrap();
        } else if meta.is_dir() {
            writeln!(out, "{}/", path.display()).unwrap();
            walk(&path, out);
        } else {
            let bytes = fs::read(&path).unwrap();
            let (text, modified) = (String::from_utf8_lossy(&bytes), meta.modified().unwrap());
            writeln!(out, "{} {modified:?} {text:?}", path.display()).unwrap();
        }
    }
}

/// What a review thread says.
pub(crate) struct Review<'a> {
    pub(crate) path: &'a str,
    /// The first and the last line, counted from 0.
    pub(crate) lines: Option<(u32, u32)>,
    /// The text of those lines.
    pub(crate) selection: Option<&'a str>,
    pub(crate) status: &'a str,
    pub(crate) updated_at: &'a str,
    /// Who said what.
    pub(crate) says: &'a [(&'a str, &'a str)],
}

impl Default for Review<'_> {
    fn default() -> Self {
        Self {
            path: "src/a.rs",
            lines: Some((0, 0)),
            selection: None,
            status: "open",
            updated_at: "2026-01-20T10:00:00.000Z",
            says: &[("Mira", "Why?")],
        }
    }
}

impl Review<'_> {
    fn text(&self, id: &str) -> String {
        let Self { path, status, updated_at, .. } = self;
        let range = self.lines.map_or("null".to_owned(), |(first, last)| {
            let end = self.selection.and_then(|text| text.lines().last()).map_or(0, str::len);
            format!(
                "{{\"startLine\": {first}, \"startCharacter\": 0, \"endLine\": {last}, \"endCharacter\": {end}}}"
            )
        });
        let context = self.selection.map_or(String::new(), |selection| {
            format!(
                ", \"context\": {{\"before\": [], \"selection\": {}, \"after\": []}}",
                serde_json::to_string(selection).unwrap()
            )
        });
        let mut text = format!(
            "<local-code-review-thread>\n{{\n  \"schemaVersion\": 1,\n  \"id\": \"{id}\",\n  \"target\": {{\n    \"workspaceRelativePath\": \"{path}\",\n    \"range\": {range},\n    \"anchor\": {{\"kind\": \"lineRange\"{context}}}\n  }},\n  \"status\": \"{status}\",\n  \"createdAt\": \"2026-01-10T10:00:00.000Z\",\n  \"updatedAt\": \"{updated_at}\"\n}}\n</local-code-review-thread>\n"
        );
        for (n, (author, body)) in self.says.iter().enumerate() {
            let marker = format!(
                "\n<local-code-review-comment id=\"c{n}\" author=\"{author}\" createdAt=\"{updated_at}\"/>\n"
            );
            write!(text, "{marker}\n{body}\n").unwrap();
        }
        text
    }
}

/// An entry of a session map.
pub(crate) fn session(id: &str, status: &str, last_activity_at: &str) -> String {
    format!(
        "{{\"sessionId\": \"{id}\", \"threadRootPostId\": \"post-{id}\", \"shortId\": \"abcdef\", \"mattermostUserId\": \"user\", \"dmChannelId\": \"dm\", \"projectName\": \"lantern\", \"directory\": \"/srv/lantern\", \"sessionTitle\": \"Title of {id}\", \"status\": \"{status}\", \"createdAt\": \"2026-01-10T10:00:00.000Z\", \"lastActivityAt\": \"{last_activity_at}\"}}"
    )
}

pub(crate) fn at(text: &str) -> Time {
    time::parse(text).unwrap().time
}

/// Runs git with the configuration of the repository alone and returns what it prints.
pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    let output = command(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
