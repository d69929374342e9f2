//! The files of posts that are saved for the agent.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use skein_workspace::{Env, FileError};

/// How long files are kept: later prompts of the session may need them too.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A directory with a directory for each post.
#[derive(Clone)]
pub(super) struct SavedFiles {
    env: Env,
    dir: PathBuf,
}

impl SavedFiles {
    /// Uses a directory, which need not exist, and removes old files from it.
    pub(super) fn new(env: &Env, dir: PathBuf) -> Self {
        let files = Self { env: env.clone(), dir };
        files.remove_old();
        files
    }

    /// Saves a file of a post, which only the user can read.
    pub(super) fn save(&self, post: &str, name: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
        self.remove_old();
        let dir = self.dir.join(post);
        let fs = &*self.env.fs;
        skein_store::ensure_dir(fs, &dir, 0o700)?;
        let guard = skein_store::lock(fs, &dir, LOCK_TIMEOUT)?;
        let path = dir.join(name);
        match skein_store::create_new(fs, &guard, &path, bytes, 0o600) {
            // It was saved before a restart.
            Ok(_) | Err(skein_store::CreateError::Exists { .. }) => Ok(path),
            Err(error) => Err(error.into()),
        }
    }

    fn remove_old(&self) {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if self.is_old(&path)
                && let Err(error) = std::fs::remove_dir_all(&path)
            {
                tracing::warn!("old files cannot be removed: {}: {error}", path.display());
            }
        }
    }

    fn is_old(&self, path: &Path) -> bool {
        let modified = path.symlink_metadata().and_then(|meta| meta.modified()).ok();
        let age = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map(|at| {
            let now = u64::try_from(self.env.clock.now().as_millis()).unwrap_or_default();
            Duration::from_millis(now).saturating_sub(at)
        });
        age.is_some_and(|age| age > MAX_AGE)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use skein_fixtures::{Fixture, NOW};

    use super::*;

    #[test]
    fn files_are_kept_for_thirty_days() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let dir = fixture.path("files");
        let files = SavedFiles::new(&env, dir.clone());
        let path = files.save("post1", "a.txt", b"abc").unwrap();
        assert_eq!(files.save("post1", "a.txt", b"abc").unwrap(), path);
        files.save("post2", "b.txt", b"abc").unwrap();
        let now = skein_format::time::parse(NOW).unwrap().time.as_millis();
        let now = UNIX_EPOCH + Duration::from_millis(now.try_into().unwrap());
        let set_age = |post: &str, days: u64| {
            let age = Duration::from_hours(days * 24);
            File::open(dir.join(post)).unwrap().set_modified(now - age).unwrap();
        };
        set_age("post1", 31);
        set_age("post2", 29);
        files.save("post3", "c.txt", b"abc").unwrap();
        assert!(!path.exists());
        assert!(dir.join("post2/b.txt").exists());
        set_age("post2", 31);
        SavedFiles::new(&env, dir.clone());
        assert!(!dir.join("post2").exists());
        assert!(dir.join("post3/c.txt").exists());
    }
}
