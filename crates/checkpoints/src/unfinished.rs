//! Auto-checkpoints that a hook has begun and not finished.
//!
//! A hook has little time, and may be killed at any moment. It therefore first writes down what it is about to save: the checkpoint as
//! far as it is known without asking git, and what is missing. The record is removed when the checkpoint is complete. What is left is
//! finished by a process in the background that the hook starts, or, if that was killed too, by the one that the next call starts.
//!
//! Each record is a directory of its own, whose lock is held by the process that works on it; the system releases the lock when that
//! process ends, however it ends. The lock of the directory of all records is held by the process in the background, so that there is
//! at most one for a worktree. Only complete files become visible, in this directory and in the store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::checkpoint_lookup;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, NewCheckpoint};
use skein_format::id::CheckpointId;
use skein_git::CommitId;
use skein_store::{DirLock, ensure_dir, lock, remove_empty_dir, remove_marker, write_private};
use skein_workspace::kept_state::entries;
use skein_workspace::{Workspace, discover};

use super::error::CheckpointError;
use super::git_answers::{GIT_LIMIT, GitAnswers, MissingFacts};
use super::save::{SaveAction, SaveResult, saved};
use super::unfinished_record::{FILE, UnfinishedRecord, directory};
use super::{commit_claim, open, publish, store_lock};

/// How often a process in the background asks git about one checkpoint. Each may be killed with its container; but a repository in
/// which git never ends must not keep a process busy after every hook.
const MAX_ATTEMPTS: u32 = 3;
/// How long a process waits for the lock of a record: longer than a hook takes, which holds it while it asks git.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a process waits for the one that is finishing: that one may be about to end, and have missed what a hook left just now.
const FINISHER_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of ids that are searched for a checkpoint whose id was taken.
const MAX_NUMBERED: u32 = 10;

/// A checkpoint that this process is about to save.
pub(super) struct Unfinished {
    guard: DirLock,
    record: UnfinishedRecord,
}

impl Unfinished {
    /// Writes down what is about to be saved.
    pub(super) fn begin(
        workspace: &Workspace,
        new: &NewCheckpoint,
        commit: Option<&CommitId>,
        missing: MissingFacts,
    ) -> Result<Self, CheckpointError> {
        let env = &workspace.env;
        let record = UnfinishedRecord {
            id: new.id.to_string(),
            checkpoint: String::from_utf8_lossy(new.to_doc().to_bytes()).into_owned(),
            commit: commit.map(ToString::to_string),
            dir: env.dir.clone(),
            missing,
            is_saved: false,
            attempts: 0,
        };
        let dir = directory(workspace).join(format!("{}.{}", new.id, env.ids.next()));
        ensure_dir(&*env.fs, &dir, 0o700)?;
        let begun = Self { guard: lock(&*env.fs, &dir, LOCK_TIMEOUT)?, record };
        begun.write(workspace)?;
        Ok(begun)
    }

    /// Opens a record, when no hook works on it any more; removes one that cannot be used.
    fn open(workspace: &Workspace, dir: &Path) -> Option<Self> {
        let guard = lock(&*workspace.env.fs, dir, LOCK_TIMEOUT).ok()?;
        let bytes = skein_store::read(&dir.join(FILE)).ok().map(|snapshot| snapshot.bytes);
        let record = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match record {
            Some(record) => Some(Self { guard, record }),
            None => {
                remove(workspace, &guard);
                None
            }
        }
    }

    /// Removes the record of a checkpoint that was saved, or records what is still missing.
    pub(super) fn settle(
        self,
        workspace: &Workspace,
        saved_as: &str,
        missing: MissingFacts,
    ) -> Result<(), CheckpointError> {
        if missing.is_any() {
            return self.keep(workspace, saved_as, missing);
        }
        self.end(workspace);
        Ok(())
    }

    /// Records that the checkpoint was saved under an id, and what is still missing.
    fn keep(
        mut self,
        workspace: &Workspace,
        saved_as: &str,
        missing: MissingFacts,
    ) -> Result<(), CheckpointError> {
        saved_as.clone_into(&mut self.record.id);
        self.record.is_saved = true;
        self.record.missing = missing;
        self.write(workspace)
    }

    /// Removes the record: the checkpoint is complete, or is not written.
    fn end(self, workspace: &Workspace) {
        remove(workspace, &self.guard);
    }

    fn write(&self, workspace: &Workspace) -> Result<(), CheckpointError> {
        let bytes = serde_json::to_vec_pretty(&self.record)
            .expect("strings, numbers and flags always serialise");
        let path = self.guard.dir().join(FILE);
        Ok(write_private(&*workspace.env.fs, &self.guard, &path, &bytes)?)
    }

    fn commit(&self) -> Option<CommitId> {
        CommitId::parse(self.record.commit.as_deref()?)
    }

    fn ask(&self, workspace: &Workspace) -> GitAnswers {
        GitAnswers::ask(workspace, self.record.missing, self.commit().as_ref(), GIT_LIMIT)
    }

    fn draft(&self) -> CheckpointDoc {
        let bytes = self.record.checkpoint.clone().into_bytes();
        CheckpointDoc::parse(bytes, &self.record.id, CheckpointFileKind::Thread).0
    }
}

/// Removes a record and its directory. What cannot be removed is found by the next call, which finds the checkpoint complete.
fn remove(workspace: &Workspace, guard: &DirLock) {
    // A process that was killed may have left the temporary file of a record.
    for name in entries(guard.dir()) {
        drop(remove_marker(&*workspace.env.fs, &guard.dir().join(name)));
    }
    drop(remove_empty_dir(guard.dir()));
}

/// A checkpoint that was finished, or the reason why it was not.
pub type Finished = Result<SaveResult, CheckpointError>;

/// The right to finish what hooks left in a worktree, which only one process has.
pub struct Finisher<'a> {
    workspace: &'a Workspace,
    _lock: DirLock,
}

impl<'a> Finisher<'a> {
    /// Returns none if another process has the right.
    pub fn new(workspace: &'a Workspace) -> Option<Self> {
        let fs = &*workspace.env.fs;
        let dir = directory(workspace);
        ensure_dir(fs, &dir, 0o700).ok()?;
        Some(Self { workspace, _lock: lock(fs, &dir, FINISHER_TIMEOUT).ok()? })
    }

    /// Finishes the checkpoints that hooks left, also those that are left meanwhile, and waits for git as long as it takes.
    ///
    /// One that fails is tried again by the next process.
    pub fn finish_checkpoints(&self) -> Vec<Finished> {
        let dir = directory(self.workspace);
        let (mut results, mut seen) = (Vec::new(), Vec::new());
        while let Some(name) = entries(&dir).into_iter().find(|name| !seen.contains(name)) {
            let unfinished = Unfinished::open(self.workspace, &dir.join(&name));
            seen.push(name);
            if let Some(unfinished) = unfinished {
                results.extend(finish(self.workspace, unfinished).transpose());
            }
        }
        results
    }
}

/// Finishes one checkpoint; none if there is nothing to write.
///
/// If earlier attempts were cut, the checkpoint gets what is known without git.
fn finish(
    workspace: &Workspace,
    mut unfinished: Unfinished,
) -> Result<Option<SaveResult>, CheckpointError> {
    if unfinished.record.attempts >= 2 * MAX_ATTEMPTS {
        unfinished.end(workspace);
        return Ok(None);
    }
    let is_given_up = unfinished.record.attempts >= MAX_ATTEMPTS;
    unfinished.record.attempts += 1;
    unfinished.write(workspace)?;
    if is_given_up {
        unfinished.record.missing = MissingFacts::default();
    }
    let dir = &unfinished.record.dir;
    let own =
        if dir.is_dir() { Some(discover(&workspace.env.with_dir(dir.clone()))) } else { None };
    let workspace = own.as_ref().unwrap_or(workspace);
    let result = match existing(workspace, &unfinished) {
        Some(path) => Some(add_answers(workspace, unfinished, &path)?),
        None if unfinished.record.is_saved => {
            unfinished.end(workspace);
            None
        }
        None => create(workspace, unfinished)?,
    };
    match result {
        Some(SaveResult { id, .. }) if is_given_up => Err(CheckpointError::GivenUp { id }),
        result => Ok(result),
    }
}

/// Adds what git says to a checkpoint that was written.
fn add_answers(
    workspace: &Workspace,
    unfinished: Unfinished,
    path: &Path,
) -> Result<SaveResult, CheckpointError> {
    let answers = unfinished.ask(workspace);
    let guard = store_lock::existing(workspace)?;
    let doc = open::update(workspace, &guard, path, &|doc| Ok(answers.add_to(doc)?))?;
    let result = saved(path, &doc, SaveAction::Created, Vec::new());
    unfinished.settle(workspace, &result.id, answers.missing)?;
    Ok(result)
}

/// Returns the file of the checkpoint, if it was written before the hook was cut, and still exists.
fn existing(workspace: &Workspace, unfinished: &Unfinished) -> Option<PathBuf> {
    let draft = unfinished.draft();
    let id = CheckpointId::parse(&unfinished.record.id)?;
    // A hook that found the id taken was perhaps cut before it could record the next one.
    let numbered = (1..MAX_NUMBERED).map(|count| id.numbered(count));
    for id in [id.clone()].into_iter().chain(numbered) {
        let file = checkpoint_lookup::exact(&workspace.checkpoints, id.as_str())?;
        let head = open::read_head(&file)?;
        let is_same = head.created_at == draft.head().created_at
            && head.trigger == draft.head().trigger
            && head.session_id == draft.head().session_id
            // Under the recorded id, a program or a person may have changed the summary.
            && (unfinished.record.is_saved || head.summary == draft.head().summary);
        if is_same {
            return Some(file.1);
        }
    }
    None
}

/// Writes a checkpoint that was not written before the hook was cut, unless another hook has written that of the same commit since.
fn create(
    workspace: &Workspace,
    unfinished: Unfinished,
) -> Result<Option<SaveResult>, CheckpointError> {
    let answers = unfinished.ask(workspace);
    let mut draft = unfinished.draft();
    answers.add_to(&mut draft)?;
    let id = &unfinished.record.id;
    let wanted =
        CheckpointId::parse(id).ok_or_else(|| CheckpointError::Slug { slug: id.clone() })?;
    let commit = unfinished.commit();
    let guard = store_lock::existing(workspace)?;
    if commit.iter().any(|commit| commit_claim::is_written(workspace, commit)) {
        unfinished.end(workspace);
        return Ok(None);
    }
    let (id, path, doc) = publish::create(&*workspace.env.fs, &guard, &wanted, &|id| {
        Ok(draft.clone().with_id(id)?)
    })?;
    drop(guard);
    if let Some(commit) = commit {
        commit_claim::keep_id(workspace, &commit, id.as_str());
    }
    let result = saved(&path, &doc, SaveAction::Created, Vec::new());
    unfinished.settle(workspace, id.as_str(), answers.missing)?;
    Ok(Some(result))
}
