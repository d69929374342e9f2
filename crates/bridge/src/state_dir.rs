//! The files of a bridge: its lock, its journal and its audit log.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use skein_store::{
    DirLock, EnsureDirError, Journal, JournalError, LockError, ReadError, append_line_synced,
    ensure_dir, lock,
};
use skein_workspace::Env;

use crate::core::action::Audit;
use crate::core::{BridgeState, JournalRecord};

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
    #[error("cannot write {}", path.display())]
    Audit { path: PathBuf, source: std::io::Error },
}

/// Returns the directory that has a directory for each bot.
pub(crate) fn bridge_dir(env: &Env) -> PathBuf {
    env.dirs.state.join("bridge")
}

/// Returns whether a bridge is running with a bot on this machine.
pub(crate) fn is_running(env: &Env, bot: &str) -> bool {
    let locked = lock(&*env.fs, &bridge_dir(env).join(bot), Duration::ZERO);
    matches!(locked, Err(LockError::Held { .. }))
}

impl StateDir {
    /// Locks the directory of a bot and reads the state; a second bridge is refused.
    pub(crate) fn open(env: &Env, bot: &str) -> Result<(Self, BridgeState), StateError> {
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

    /// Makes entries of the audit log durable, then records, all or none of them; `state` is the state after them.
    ///
    /// After a crash in between, the same is decided and logged again: an entry can be there twice, but none
    /// is missing.
    pub(crate) fn append(
        &mut self,
        entries: &[&Audit],
        records: &[&JournalRecord],
        state: &BridgeState,
    ) -> Result<(), StateError> {
        for entry in entries {
            self.audit(entry)?;
        }
        if records.is_empty() {
            return Ok(());
        }
        let mut line = Vec::new();
        write_line(&mut line, records);
        self.journal.append(&line)?;
        if self.journal.size() > MAX_JOURNAL_BYTES.max(self.journal.start_size().saturating_mul(2))
        {
            self.journal = start(&self.env, &self.guard, &self.dir, state)?;
        }
        Ok(())
    }

    /// Adds a line to the audit log.
    fn audit(&self, entry: &Audit) -> Result<(), StateError> {
        let path = self.dir.join(AUDIT);
        let line = serde_json::to_string(entry).expect("an entry is plain data");
        append_line_synced(&path, &line, MAX_AUDIT_BYTES)
            .map_err(|source| StateError::Audit { path, source })
    }
}

/// Replaces the journal by a snapshot.
fn start(
    env: &Env,
    guard: &DirLock,
    dir: &Path,
    state: &BridgeState,
) -> Result<Journal, StateError> {
    let mut lines = Vec::new();
    write_line(&mut lines, &[JournalRecord::Snapshot(Box::new(state.clone()))]);
    Ok(Journal::start(&*env.fs, guard, &dir.join(JOURNAL), &lines)?)
}

fn write_line(lines: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(&mut *lines, value).expect("a record is plain data with text keys");
    lines.push(b'\n');
}

/// Reads the state from a journal, whose size is bounded only by that of the state. A last line without its end was
/// never confirmed and is left out.
pub(crate) fn read_state(path: &Path) -> Result<BridgeState, StateError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let mut file = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BridgeState::default()),
        Err(error) => return Err(failed(error).into()),
    };
    let mut state = BridgeState::default();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        file.read_until(b'\n', &mut bytes).map_err(failed)?;
        if bytes.pop_if(|last| *last == b'\n').is_none() {
            break;
        }
        let records: Vec<JournalRecord> = serde_json::from_slice(&bytes)
            .map_err(|source| StateError::Record { path: path.to_owned(), line, source })?;
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
    use crate::core::ids::{Millis, PostId};

    #[test]
    fn records_are_there_after_a_restart_and_a_second_bridge_is_refused() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        assert!(matches!(StateDir::open(&env, "bot"), Err(StateError::Running)));
        let record = JournalRecord::Started { at: Millis(7) };
        state.apply(&record);
        dir.append(&[], &[&record], &state).unwrap();
        let journal = dir.path().join(JOURNAL);
        drop(dir);
        // The last line was cut off by a power failure.
        let mut text = fs::read_to_string(&journal).unwrap();
        text.push_str("[{\"PostGone\":{\"key\":\"se");
        fs::write(&journal, text).unwrap();
        let (_dir, restored) = StateDir::open(&env, "bot").unwrap();
        assert_eq!(restored, state);
        assert_eq!(restored.started, Some(Millis(7)));
    }

    #[test]
    fn a_journal_without_the_fields_that_were_added_later_is_read() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (dir, _) = StateDir::open(&env, "bot").unwrap();
        let journal = dir.path().join(JOURNAL);
        drop(dir);
        let ask = r#"{"request":{"id":"per_1","session":"ses_1","kind":{"Questions":[]}},"answer":null,"result":null}"#;
        let snapshot = format!(
            r#"{{"Snapshot":{{"started":1,"positions":{{}},"handled":{{}},"refused":{{}},"starts":{{}},"threads":{{}},"roots":{{}},"prompts":{{}},"posts":{{}},"asks":{{"per_1":{ask}}},"next":3}}}}"#
        );
        let invited = r#"{"Invited":{"session":"ses_1","user":"user"}}"#;
        fs::write(&journal, format!("[{snapshot}]\n[{invited}]\n")).unwrap();
        let state = read_state(&journal).unwrap();
        assert_eq!(state.asks.len(), 1);
        assert_eq!(state.next, 3);
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

    fn entry() -> Audit {
        Audit {
            at: Millis(1),
            user: None,
            session: None,
            what: "prompt".to_owned(),
            result: "sent".to_owned(),
        }
    }

    #[test]
    fn nothing_is_recorded_that_is_not_in_the_audit_log() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        let (log, journal) = (dir.path().join(AUDIT), dir.path().join(JOURNAL));
        let before = fs::read_to_string(&journal).unwrap();
        let record = JournalRecord::Started { at: Millis(7) };
        state.apply(&record);
        // The log cannot be opened.
        fs::create_dir(&log).unwrap();
        let error = dir.append(&[&entry()], &[&record], &state).unwrap_err();
        assert!(matches!(error, StateError::Audit { .. }), "{error}");
        assert_eq!(fs::read_to_string(&journal).unwrap(), before);
        fs::remove_dir(&log).unwrap();
        dir.append(&[&entry()], &[&record], &state).unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 1);
        assert_eq!(read_state(&journal).unwrap(), state);
    }

    #[test]
    fn a_full_audit_log_is_renamed() {
        let fixture = Fixture::new();
        let (dir, _) = StateDir::open(&fixture.env(""), "bot").unwrap();
        let entry = entry();
        dir.audit(&entry).unwrap();
        let path = dir.path().join(AUDIT);
        File::options().write(true).open(&path).unwrap().set_len(MAX_AUDIT_BYTES).unwrap();
        dir.audit(&entry).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert!(dir.path().join("log/audit.jsonl.1").exists());
    }

    /// Returns the record of a thread with a title.
    fn thread(number: usize, title: &str) -> JournalRecord {
        let thread = serde_json::json!({
            "session": format!("ses_{number:026}"), "directory": "/home/user/src/project",
            "title": title, "channel": "c".repeat(26), "root": format!("{number:026}"),
            "owner": "o".repeat(26), "created": 1, "baseline": 1, "status": "Open", "model": null,
            "agent": null, "is_muted": false, "invited": [], "turns": {}, "closed": null, "seen": 1,
        });
        JournalRecord::ThreadOpened(serde_json::from_value(thread).unwrap())
    }

    #[test]
    fn a_journal_of_many_threads_stays_small_and_is_read() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        for start in (0..10_000).step_by(100) {
            let numbers = start..start + 100;
            let records =
                numbers.flat_map(|n| [thread(n, "a title of usual length"), thread(n, "later")]);
            let records: Vec<_> = records.collect();
            records.iter().for_each(|record| state.apply(record));
            dir.append(&[], &records.iter().collect::<Vec<_>>(), &state).unwrap();
        }
        let (size, path) = (dir.journal.size(), dir.path().join(JOURNAL));
        dir.journal = start(&env, &dir.guard, &dir.dir, &state).unwrap();
        let max = MAX_JOURNAL_BYTES.max(dir.journal.size() * 2) + 200_000;
        assert!(size <= max, "{size} bytes");
        assert_eq!(read_state(&path).unwrap(), state);
    }

    #[test]
    fn a_journal_that_is_larger_than_other_documents_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL);
        let long = format!("[{{\"PostGone\":{{\"key\":\"{}\"}}}}]\n", "k".repeat(1024 * 1024));
        let text = long.repeat(65) + "[{\"Started\":{\"at\":7}}]\n";
        assert!(text.len() as u64 > skein_store::MAX_DOCUMENT_BYTES);
        fs::write(&path, text).unwrap();
        assert_eq!(read_state(&path).unwrap().started, Some(Millis(7)));
    }

    #[test]
    fn a_large_journal_is_replaced_by_a_snapshot() {
        let fixture = Fixture::new();
        let env = fixture.env("");
        let (mut dir, mut state) = StateDir::open(&env, "bot").unwrap();
        let record = JournalRecord::PostGone { key: "k".repeat(100_000).into() };
        for _ in 0..100 {
            dir.append(&[], &[&record], &state).unwrap();
        }
        assert!(dir.journal.size() < MAX_JOURNAL_BYTES + 200_000, "{}", dir.journal.size());
        let record = JournalRecord::Refused { user: "u".into(), at: Millis(1) };
        state.apply(&record);
        dir.append(&[], &[&record], &state).unwrap();
        drop(dir);
        let (_dir, restored) = StateDir::open(&env, "bot").unwrap();
        assert_eq!(restored, state);
        assert!(!restored.posts.values().any(|post| post.post == Some(PostId::from("k"))));
    }
}
