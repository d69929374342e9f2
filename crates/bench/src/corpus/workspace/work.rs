//! Checkpoints and sessions of the repository under review.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::corpus::{Kind, put, session};

/// How many checkpoints, and how many sessions, there are.
pub(crate) const CHECKPOINTS: usize = 10_000;
pub(crate) const SESSIONS: usize = 1_000;

/// Writes them, hidden from git as they are where Skein makes the store.
pub(super) fn add(root: &Path, home: &Path) -> Outcome<()> {
    let folder = root.join("workspace/threads");
    fs::create_dir_all(&folder)?;
    for number in 0..CHECKPOINTS {
        let (name, bytes) = Kind::Checkpoint.file(number);
        put(&folder.join(name), &bytes)?;
    }
    put(&root.join(".git/info/exclude"), b"/workspace/\n/.code-review/\n")?;
    let config = home.join(".config/opencode");
    fs::create_dir_all(&config)?;
    put(&config.join("mattermost-threads.json"), &session::file(SESSIONS)?)?;
    Ok(())
}
