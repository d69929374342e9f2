//! A temporary folder for each test, with repositories in it.

use std::fs;
use std::path::{Path, PathBuf};

use skein_git::{CommitAs, CommitId, Repo, RepoDirs, command, commit_all, init};
use tempfile::TempDir;

/// A commit whose content does not matter.
pub(crate) const COMMIT: CommitAs<'static> = CommitAs {
    name: "Ada",
    email: "ada@example.org",
    date: "2026-01-23T09:00:00Z",
    message: "change",
};

/// A folder that is deleted when the value is dropped.
pub(crate) struct Sandbox {
    root: PathBuf,
    _folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let root = folder.path().canonicalize().expect("the folder exists");
        Self { root, _folder: folder }
    }

    /// Returns the canonical path of `name`, which need not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let dir = self.path(name);
        fs::create_dir_all(&dir).expect("the sandbox is writable");
        dir
    }

    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        let parent = path.parent().expect("a file of the sandbox has a parent");
        fs::create_dir_all(parent).expect("the sandbox is writable");
        write(&path, content);
        path
    }

    /// Creates a repository with one commit on `main`.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let top = self.dir(name);
        init(&top, "main").expect("git makes a repository");
        commit(&top);
        top
    }
}

#[expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::write(path, content).expect("the sandbox is writable");
}

pub(crate) fn commit(top: &Path) -> CommitId {
    commit_all(top, &COMMIT).expect("git makes a commit")
}

/// Runs git with only the configuration of the repository and returns its output.
pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    let output = command(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .output()
        .expect("git can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub(crate) fn layout(start: &Path) -> RepoDirs {
    RepoDirs::discover(start).expect("nothing is broken here").expect("there is a repository")
}

pub(crate) fn repo(start: &Path) -> Repo {
    Repo::new(&layout(start)).expect("there is a worktree")
}

/// Returns owned strings, as most options take them.
pub(crate) fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// Returns the commit that is checked out.
pub(crate) fn head(repo: &Repo) -> CommitId {
    repo.head_commit().expect("git can be asked").expect("there is a commit")
}

/// Returns the repository that stores the snapshots of a worktree.
pub(crate) fn kept(top: &Path) -> PathBuf {
    layout(top).common_dir.join("skein").join("submissions.git")
}
