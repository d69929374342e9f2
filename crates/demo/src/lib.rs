//! Creates the sample workspace of `skein demo`: a small repository with threads of all kinds.
//!
//! Only the given directory is changed.

mod checkpoints;
mod reviews;
mod sessions;
mod source;

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::time::Time;
use skein_git::{CommitAs, CommitId, RunError, commit_all, init};
use skein_review::{AGENTS_TEXT, index};
use skein_store::{DirLock, RealFs, create_new, ensure_dir, lock, replace};
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::settings::Settings;
use skein_workspace::store_location::DEFAULT_STORE;
use skein_workspace::{Env, FileError, ReviewStore};

/// Why the demo could not be written.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The directory is not empty.
    #[error("already exists: {}", dir.display())]
    NotEmpty { dir: PathBuf },
    /// The repository could not be created.
    #[error(transparent)]
    Git(#[from] RunError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(DemoError);

/// Writes the demo into `dir`, which must be empty or not exist.
pub fn write(env: &Env, dir: &Path) -> Result<PathBuf, DemoError> {
    if dir.read_dir().is_ok_and(|mut entries| entries.next().is_some()) || dir.is_file() {
        return Err(DemoError::NotEmpty { dir: dir.to_owned() });
    }
    ensure_dir(&RealFs, dir, 0o755)?;
    let demo = Demo {
        root: dir.to_owned(),
        guard: lock(&RealFs, dir, Duration::from_secs(5))?,
        now: env.clock.now(),
    };
    let commits = demo.history()?;
    reviews::write(&demo, &commits)?;
    for (path, text) in source::LATER {
        demo.put(path, text.as_bytes())?;
    }
    demo.put(&format!("{DEFAULT_STORE}/AGENTS.md"), AGENTS_TEXT.as_bytes())?;
    demo.index()?;
    checkpoints::write(&demo, &commits)?;
    sessions::write(&demo)?;
    // Written last, because readers wait if a new file is invalid: it may be incomplete.
    reviews::write_broken(&demo)?;
    Ok(demo.root)
}

/// The workspace while it is being written.
struct Demo {
    root: PathBuf,
    guard: DirLock,
    now: Time,
}

impl Demo {
    /// Commits the sources step by step, and leaves the last change uncommitted.
    fn history(&self) -> Result<Vec<CommitId>, DemoError> {
        init(&self.root, "main")?;
        let mut commits = Vec::new();
        for step in source::HISTORY {
            for (path, text) in step.files {
                self.put(path, text.as_bytes())?;
            }
            let Some(message) = step.message else {
                continue;
            };
            let date = self.ago(step.hours, 0).to_string();
            let (name, email) = step.author;
            commits.push(commit_all(&self.root, &CommitAs { name, email, date: &date, message })?);
        }
        let exclude = b"# Threads of Skein stay out of commits until you share them.\n/.code-review/\n/workspace/\n/sessions/\n";
        self.put(".git/info/exclude", exclude)?;
        Ok(commits)
    }

    /// Writes the index of the review threads.
    fn index(&self) -> Result<(), DemoError> {
        let reviews = ReviewStore {
            root: self.root.clone(),
            store_path: DEFAULT_STORE.to_owned(),
            exists: true,
            branch: None,
        };
        let index = index::render(&reviews, &Settings::default());
        self.put(&format!("{DEFAULT_STORE}/index.json"), &index)
    }

    /// Returns the time this long before the current one.
    fn ago(&self, hours: i64, minutes: i64) -> Time {
        Time::from_millis(self.now.as_millis() - (hours * 60 + minutes) * 60_000)
    }

    /// Writes a file; replaces an earlier version.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), DemoError> {
        let path = self.root.join(path);
        ensure_dir(&RealFs, path.parent().unwrap_or(&self.root), 0o755)?;
        if path.is_file() {
            let old = skein_store::read(&path)?;
            replace(&RealFs, &self.guard, &path, &old.revision, bytes)?;
        } else {
            create_new(&RealFs, &self.guard, &path, bytes, 0o644)?;
        }
        Ok(())
    }
}
