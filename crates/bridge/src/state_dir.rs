//! The files of a bridge: its lock, its journal and its audit log.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use skein_store::{
    DirLock, EnsureDirError, Journal, JournalError, LockError, ReadError, append_line, ensure_dir,
    lock,
};
use skein_workspace::Env;

use crate::core::action::Audit;
use crate::core::{Record, State};

pub(crate) const JOURNAL: &str = "journal.jsonl";
/// In a directory of its own, which is locked when the log is rotated.
pub(crate) const AUDIT: &str = "log/audit.jsonl";
const AUDIT_DIR: &str = "log";

/// Above this size, the journal is replaced by a snapshot of the state.
const MAX_JOURNAL_BYTES: u64 = 4 * 1024 * 1024;
/// Above this size, the audit log is renamed, and the one before it removed.
const MAX_AUDIT_BYTES: u64 = 64 * 1024 * 1024;
/// How long a bridge waits for another one that is being stopped.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The state directory of one bot, which this process has locked.
pub(crate) struct StateDir {
    env: Env,
    dir: PathBuf,
    guard: DirLock,
    journal: Journal,
}

/// Why the state of the bridge cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("another bridge is running with this bot")]
    Running,
    #[error(transparent)]
    Dir(#[from] EnsureDirError),
    #[error(transparent)]
    Lock(LockError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("cannot understand line {line} of {}", path.display())]
    Record { path: PathBuf, line: usize, source: serde_json::Error },
    #[error(transparent)]
    Write(#[from] JournalError),
}

/// Returns the directory that has a directory for each bot.
pub(crate) fn bridge_dir(env: &Env) -> PathBuf {
    env.dirs.state.join("bridge")
}

impl StateDir {
    /// Locks the directory of a bot and reads the state; a second bridge is refused.
    pub(crate) fn open(env: &Env, bot: &str) -> Result<(Self, State), StateError> {
        let dir = bridge_dir(env).join(bot);
        ensure_dir(&*env.fs, &dir, 0o700)?;
        let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT).map_err(|error| match error {
            LockError::Held { .. } => StateError::Running,
            error => StateError::Lock(error),
        })?;
        ensure_dir(&*env.fs, &dir.join(AUDIT_DIR), 0o700)?;
        let state = read_state(&dir.join(JOURNAL))?;
        let journal = start(env, &guard, &dir, &state)?;
        Ok((Self { env: env.clone(), dir, guard, journal }, state))
    }

    /// Returns the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.dir
    }

    /// Makes records durable, all or none of them; `state` is the state after them.
    pub(crate) fn append<'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a Record>,
        state: &State,
    ) -> Result<(), StateError> {
        let records: Vec<_> = records.into_iter().collect();
        if records.is_empty() {
            return Ok(());
        }
        let mut line = Vec::new();
        write_line(&mut line, &records);
        self.journal.append(&line)?;
        if self.journal.size() > MAX_JOURNAL_BYTES.max(self.journal.start_size().saturating_mul(2))
        {
            self.journal = start(&self.env, &self.guard, &self.dir, state)?;
        }
        Ok(())
    }

    /// Adds a line to the audit log.
    pub(crate) fn audit(&self, entry: &Audit) -> std::io::Result<()> {
        let line = serde_json::to_string(entry)?;
        append_line(&self.dir.join(AUDIT), &line, MAX_AUDIT_BYTES)
    }
}

/// Replaces the journal by a snapshot.
fn start(env: &Env, guard: &DirLock, dir: &Path, state: &State) -> Result<Journal, StateError> {
    let mut lines = Vec::new();
    write_line(&mut lines, &[Record::Snapshot(Box::new(state.clone()))]);
    Ok(Journal::start(&*env.fs, guard, &dir.join(JOURNAL), &lines)?)
}

fn write_line(lines: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *lines, value).expect("a record is plain data with text keys");
    lines.push(b'\n');
}

/// Reads the state from a journal. A last line without its end was never confirmed and is left out.
pub(crate) fn read_state(path: &Path) -> Result<State, StateError> {
    let bytes = match skein_store::read(path) {
        Ok(snapshot) => snapshot.bytes,
        Err(ReadError::NotFound { .. }) => return Ok(State::default()),
        Err(error) => return Err(error.into()),
    };
    let mut state = State::default();
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes.get(..complete).unwrap_or_default().split(|byte| *byte == b'\n');
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let records: Vec<Record> = serde_json::from_slice(line).map_err(|source| {
            StateError::Record { path: path.to_owned(), line: index + 1, source }
        })?;
        records.iter().for_each(|record| state.apply(record));
    }
    Ok(state)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
mod tests {
    use std::fs;

    use skein_fixtures::Fixture;

    use super::*;
    use crate::core::ids::{PostId, Time};

    #[test]
    fn records_are_there_after_a_restart_and_a_second_bridge_is_refused() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        assert!(matches!(StateDir::open(&env, "bot"), Err(StateError::Running)));
        let record = Record::Started { at: Time(7) };
        state.apply(&record);
        dir.append([&record], &state).unwrap();
        let journal = dir.path().join(JOURNAL);
        drop(dir);
        // The last line was cut off by a power failure.
        let mut text = fs::read_to_string(&journal).unwrap();
        text.push_str("[{\"PostGone\":{\"key\":\"se");
        fs::write(&journal, text).unwrap();
        let (_dir, restored) = StateDir::open(&env, "bot").unwrap();
        assert_eq!(restored, state);
        assert_eq!(restored.started, Some(Time(7)));
    }

    #[test]
    fn a_record_that_is_not_understood_is_an_error_and_is_kept() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (dir, _) = StateDir::open(&env, "bot").unwrap();
        let journal = dir.path().join(JOURNAL);
        drop(dir);
        let text = "[{\"Started\":{\"at\":1}}]\n[{\"Later\":{}}]\n";
        fs::write(&journal, text).unwrap();
        let error = StateDir::open(&env, "bot").err().unwrap();
        assert!(matches!(error, StateError::Record { line: 2, .. }), "{error}");
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    }

    #[test]
    fn a_full_audit_log_is_renamed() {
        let fixture = Fixture::new();
        let (dir, _) = StateDir::open(&fixture.env(""), "bot").unwrap();
        let entry = Audit {
            at: Time(1),
            user: None,
            session: None,
            what: "prompt".to_owned(),
            result: "accepted".to_owned(),
        };
        dir.audit(&entry).unwrap();
        let path = dir.path().join(AUDIT);
        fs::File::options().write(true).open(&path).unwrap().set_len(MAX_AUDIT_BYTES).unwrap();
        dir.audit(&entry).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert!(dir.path().join("log/audit.jsonl.1").exists());
    }

    #[test]
    fn a_large_journal_is_replaced_by_a_snapshot() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        let record = Record::PostGone { key: "k".repeat(100_000).into() };
        for _ in 0..100 {
            dir.append([&record], &state).unwrap();
        }
        assert!(dir.journal.size() < MAX_JOURNAL_BYTES + 200_000, "{}", dir.journal.size());
        let record = Record::Refused { user: "u".into(), at: Time(1) };
        state.apply(&record);
        dir.append([&record], &state).unwrap();
        drop(dir);
        let (_dir, restored) = StateDir::open(&env, "bot").unwrap();
        assert_eq!(restored, state);
        assert!(!restored.posts.values().any(|post| post.post == Some(PostId::from("k"))));
    }
}
