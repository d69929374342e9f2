//! Reads the files of a bridge, whether it runs or not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use skein_model::bridge::BridgeStatus;
use skein_store::{LockError, lock, read_tail};
use skein_workspace::Env;

use crate::config::{Config, config_path};
use crate::setup::BridgeError;
use crate::state_dir::{AUDIT, JOURNAL, bridge_dir, read_state};

/// Length of an entry of the log, on average at most.
const MAX_ENTRY_BYTES: u64 = 2_000;

/// Returns whether a bridge runs, and how much waits.
pub fn status(env: &Env) -> Result<BridgeStatus, BridgeError> {
    let config = config_path(env)?.display().to_string();
    let address = Config::load(env).ok().map(|config| config.mattermost.address);
    let mut status = BridgeStatus {
        running: false,
        config,
        address,
        bot: None,
        sessions: 0,
        prompts: 0,
        requests: 0,
    };
    if let Some(dir) = last_used(env) {
        let state = read_state(&dir.join(JOURNAL))?;
        let locked = lock(&*env.fs, &dir, Duration::ZERO);
        status.running = matches!(locked, Err(LockError::Held { .. }));
        status.bot = dir.file_name().map(|name| name.to_string_lossy().into_owned());
        status.sessions = state.threads.len();
        status.prompts = state.prompts.len();
        status.requests = state.asks.len();
    }
    Ok(status)
}

/// Returns the last entries of the audit log, the oldest first.
pub fn log(env: &Env, count: usize) -> Result<Vec<Value>, BridgeError> {
    let Some(dir) = last_used(env) else { return Ok(Vec::new()) };
    let bytes = u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(MAX_ENTRY_BYTES);
    let text = read_tail(&dir.join(AUDIT), bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // A line that was cut off is not JSON.
    let entries: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let skip = entries.len().saturating_sub(count);
    Ok(entries.into_iter().skip(skip).collect())
}

/// Returns the directory of the bot with which a bridge ran last.
fn last_used(env: &Env) -> Option<PathBuf> {
    let changed = |dir: &Path| dir.join(JOURNAL).metadata().and_then(|meta| meta.modified()).ok();
    let dirs = bridge_dir(env).read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    dirs.filter_map(|dir| Some((changed(&dir)?, dir))).max().map(|(_, dir)| dir)
}
