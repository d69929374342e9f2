//! An isolated directory in which the real binary runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home directory and a workspace.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        fs::create_dir(place.path("home")).unwrap();
        fs::create_dir(place.path("work")).unwrap();
        place
    }

    /// Returns a workspace with an empty store of reviews.
    pub(crate) fn with_store() -> Self {
        let place = Self::new();
        fs::create_dir_all(place.path("work/.code-review/threads")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        skein_testkit::write_settled(&path, content);
        path
    }

    /// Returns a command that runs the program in the workspace, without the environment except for `PATH`.
    pub(crate) fn skein(&self, args: &[&str]) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_skein")), args)
    }

    /// Like [`Place::skein`], for a copy of the program.
    pub(crate) fn program(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("SKEIN_AUTHOR", "Mira")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let output = self.skein(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", printed(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.done(args)).unwrap()
    }

    pub(crate) fn threads(&self) -> Vec<PathBuf> {
        files(&self.path("work/.code-review/threads"))
    }

    /// Returns the files in a state directory of the workspace, such as `drafts`.
    pub(crate) fn state(&self, name: &str) -> Vec<PathBuf> {
        let roots = files(&self.path("home/.local/state/skein"));
        roots.iter().flat_map(|root| files(&root.join(name))).collect()
    }
}

pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = dir.read_dir() else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

pub(crate) fn printed(output: &Output) -> String {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    format!("{} {}", output.status, String::from_utf8_lossy(&text))
}
