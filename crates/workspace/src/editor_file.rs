use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{CreateError, RealFs, create_new, ensure_dir, lock, remove};

use crate::env::Env;
use crate::file_error::FileError;

/// A temporary file for the user's editor, kept until its content has been used.
#[derive(Debug)]
pub struct EditorFile {
    pub path: PathBuf,
}

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl EditorFile {
    /// Returns whether a file is one of these, kept because its content was not used.
    pub fn is_one(env: &Env, path: &Path) -> bool {
        let real = |dir: &Path| dir.canonicalize().ok();
        let dir = path.parent().and_then(real);
        dir.is_some() && dir == real(&dir_of(env))
    }

    /// Creates a file in the state directory with an initial text.
    pub fn create(
        env: &Env,
        name: &str,
        suffix: &str,
        text: impl AsRef<[u8]>,
    ) -> Result<Self, FileError> {
        let dir = dir_of(env);
        ensure_dir(&RealFs, &dir, 0o700)?;
        let guard = lock(&RealFs, &dir, LOCK_TIMEOUT)?;
        let stamp = env.clock.now().compact();
        loop {
            let id: String = env.ids.next().chars().take(8).collect();
            let path = dir.join(format!("{name}-{stamp}-{id}{suffix}"));
            match create_new(&RealFs, &guard, &path, text.as_ref(), 0o600) {
                Ok(_) => return Ok(Self { path }),
                Err(CreateError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the files that were kept, with this start of their names.
    pub fn kept(env: &Env, name: &str) -> Vec<Self> {
        let entries = dir_of(env).read_dir().into_iter().flatten().filter_map(Result::ok);
        let is_meant = |path: &PathBuf| {
            let file = path.file_name().and_then(|file| file.to_str());
            file.is_some_and(|file| file.starts_with(&format!("{name}-")))
        };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_meant).collect();
        paths.sort();
        paths.into_iter().map(|path| Self { path }).collect()
    }

    /// Reads the edited text.
    pub fn read(&self) -> Result<String, FileError> {
        let bytes = skein_store::read(&self.path)?.bytes;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes the file.
    pub fn discard(self) -> Result<(), FileError> {
        let dir = self.path.parent().unwrap_or(&self.path);
        let guard = lock(&RealFs, dir, LOCK_TIMEOUT)?;
        let revision = skein_store::read(&self.path)?.revision;
        Ok(remove(&RealFs, &guard, &self.path, &revision)?)
    }
}

fn dir_of(env: &Env) -> PathBuf {
    env.dirs.state.join("scratch")
}
