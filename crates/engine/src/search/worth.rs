//! Whether an index is worth its making.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{Fs as _, RealFs, ensure_dir, lock, write_private};

use crate::env::Env;

/// Fewer threads than this are read faster than an index is asked.
pub const WORTH_INDEX: usize = 3000;

/// So many threads may have changed before an index is brought up to date.
pub(super) const WORTH_UPDATE: usize = 256;

/// Who has tried does not try again for so long.
const PAUSE: Duration = Duration::from_secs(600);

/// Whether somebody should index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Nobody need.
    Nothing,
    /// The caller should: others are told that it does.
    Index,
    /// Nobody can, because of this directory.
    Unwritable {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// Claims the making of the indexes that a search lacked, so that of many searches one starts it.
pub(super) fn claim(lacking: &[PathBuf], env: &Env) -> Worth {
    let mut worth = Worth::Nothing;
    for cache in lacking {
        match claim_one(cache, env) {
            Ok(false) => {}
            Ok(true) => worth = Worth::Index,
            Err(why) => return Worth::Unwritable { dir: env.dirs.cache.clone(), why },
        }
    }
    worth
}

fn claim_one(cache: &Path, env: &Env) -> Result<bool, String> {
    let dir = cache.parent().unwrap_or(&env.dirs.cache);
    ensure_dir(&RealFs, dir, 0o700).map_err(|error| cause(&error))?;
    let mark = dir.join("indexing");
    let now = env.clock.now();
    let age = RealFs.metadata(&mark).ok().and_then(|meta| meta.mtime.elapsed().ok());
    if age.is_some_and(|age| age < PAUSE) {
        return Ok(false);
    }
    // Whoever holds the lock has the same in mind.
    let Ok(guard) = lock(&RealFs, dir, Duration::ZERO) else { return Ok(false) };
    let written = write_private(&RealFs, &guard, &mark, now.to_string().as_bytes());
    written.map(|()| true).map_err(|error| cause(&error))
}

fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
