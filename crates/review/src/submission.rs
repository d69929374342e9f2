//! Rounds of a review: drafts that are submitted together, and the state of the files at that time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use skein_catalog::drafts::Draft;
use skein_catalog::rounds::{self, REFERENCES, prefix, prefix_of};
use skein_catalog::{ThreadRef, WorktreeScope, branches, drafts, list};
use skein_format::review::ReviewDoc;
use skein_git::{ObjectId, Ref, Repo, RepoDirs, RunError, Submissions};
use skein_model::view::{WriteAction, WriteResult};
use skein_model::{Filter, Kind};
use skein_store::{CreateError, DirLock, create_new, ensure_dir, lock, remove, replace};
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::state_file::to_json;
use skein_workspace::{Actor, Env, FileError, Workspace};

use super::update::load;
use super::write_error::WriteError;
use super::write_result::{Written, placed};
use super::{index, open};

/// Maximum number of rounds that are kept, without those that open threads need.
const MAX_ROUNDS: usize = 20;
/// Recording the files of a large repository takes seconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The result of a submission.
#[derive(Clone, Debug, Serialize)]
pub struct SubmitResult {
    /// The threads that were published.
    pub threads: Vec<WriteResult>,
    /// The git reference to the state of the files, in a repository.
    pub reference: Option<String>,
    /// Notes for the user, one line each.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Why nothing was submitted, or not everything; a draft that was not published is still a draft.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// A draft cannot be published.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The state of the files cannot be recorded.
    #[error("the state of the files cannot be recorded")]
    Git(#[from] RunError),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(SubmitError);

/// Publishes the drafts together and records the state of the files.
///
/// The state is recorded first, because a waiting agent may start to change files at once. A crash in between leaves some threads
/// published and the others drafts; submitting again publishes the rest.
pub fn submit(workspace: &Workspace) -> Result<SubmitResult, SubmitError> {
    open::may_create(workspace)?;
    let drafts_guard = open::drafts(workspace)?;
    let drafts = drafts::of_one_side(workspace);
    // Only a reviewer's submission starts a round.
    let is_round = !Actor::find(workspace, None).agent;
    let recording = match workspace.repo().filter(|_| is_round) {
        Some(repo) => Some(Recording::start(workspace, &repo)?),
        None => None,
    };
    let open = open::ensure(workspace)?;
    let mut notes = open.notes;
    let (drafts, broken): (Vec<Draft>, Vec<Draft>) =
        drafts.into_iter().partition(|draft| draft.doc.head().usable);
    notes.extend(broken.iter().map(|draft| {
        format!("This draft is unusable and was not submitted: {}", draft.path.display())
    }));
    let mut written = Vec::new();
    for draft in &drafts {
        written.push(publish(workspace, (&open.guard, &drafts_guard), &draft.path)?);
    }
    let ids = drafts.iter().zip(&written).map(|(draft, one)| (draft.id(), one.thread.id()));
    let moved: Vec<(String, String)> = ids.filter(|(from, to)| from != to).collect();
    if let Err(error) = branches::carry(workspace, &moved) {
        notes.push(format!("The branch was not recorded: {error}"));
    }
    index::follow_written(workspace, &open.guard, &mut written);
    let threads = placed(workspace, &written);
    let reference = match recording {
        Some(recording) => Some(recording.finish(workspace)?),
        None => None,
    };
    if is_round {
        mark(workspace, &threads, reference.as_deref())?;
    }
    Ok(SubmitResult { threads, reference, notes })
}

/// Creates the thread of a draft, then removes the draft, unless it has changed.
fn publish(
    workspace: &Workspace,
    (guard, drafts): (&DirLock, &DirLock),
    draft: &Path,
) -> Result<Written, WriteError> {
    let env = &workspace.env;
    let thread = |path| ThreadRef { reviews: workspace.reviews.clone(), path };
    let file = |id: &str| thread(workspace.reviews.threads().join(format!("{id}.md")));
    // The draft is read again: recording the files may take long, and a draft can be edited by hand.
    let draft = thread(draft.to_owned());
    let (mut doc, revision) = load(&draft)?;
    // For others the thread is new now.
    doc.touch(env.clock.now())?;
    let mut to = file(&draft.id());
    loop {
        match create_new(&*env.fs, guard, &to.path, doc.to_bytes(), 0o666) {
            Ok(_) => break,
            // An earlier submission created it.
            Err(CreateError::Exists { .. }) if is_published(&to, &doc) => break,
            Err(CreateError::Exists { .. }) => {
                let id = env.ids.next();
                doc.set_id(&id)?;
                to = file(&id);
            }
            Err(error) => return Err(error.into()),
        }
    }
    remove(&*env.fs, drafts, &draft.path, &revision)?;
    Ok(Written::new(to, doc, WriteAction::Submitted))
}

/// Returns whether a thread has all comments of a draft; it may also have replies.
fn is_published(thread: &ThreadRef, draft: &ReviewDoc) -> bool {
    let Ok((thread, _)) = load(thread) else { return false };
    let comments = |doc: &ReviewDoc| -> Vec<(String, String, String)> {
        doc.comments().into_iter().map(|one| (one.id, one.author, one.body)).collect()
    };
    let there = comments(&thread);
    thread.head().path == draft.head().path && comments(draft).iter().all(|one| there.contains(one))
}

/// The recorded state of the files, before it has a reference.
struct Recording {
    submissions: Submissions,
    tree: ObjectId,
    /// Prevents the removal of submissions in the meantime.
    _guard: DirLock,
}

impl Recording {
    fn start(workspace: &Workspace, repo: &Repo) -> Result<Self, SubmitError> {
        let submissions = repo.submissions();
        let guard = locked(&workspace.env, &submissions)?;
        submissions.adopt(REFERENCES)?;
        let tree = submissions.snapshot(&workspace.own_paths())?;
        Ok(Self { submissions, tree, _guard: guard })
    }

    /// Creates a reference to the tree, and deletes the oldest ones.
    fn finish(self, workspace: &Workspace) -> Result<String, RunError> {
        let Self { submissions, tree, _guard } = self;
        let prefix = prefix(workspace);
        let stamp = workspace.env.clock.now().compact();
        let mut name = format!("{prefix}/{stamp}");
        let mut number = 1;
        while !submissions.create_ref(&name, &tree)? {
            number += 1;
            name = format!("{prefix}/{stamp}.{number:03}");
        }
        let all = submissions.refs(&prefix)?;
        let excess = all.len().saturating_sub(MAX_ROUNDS);
        let needed = if excess > 0 { needed(workspace, &all) } else { BTreeSet::new() };
        let others = all.iter().filter(|one| one.name != name).take(excess);
        for old in others.filter(|one| !needed.contains(&one.name)) {
            submissions.delete_ref(&old.name)?;
        }
        // Fails in a partial clone, which lacks objects; its packs are then unchanged.
        drop(submissions.tidy());
        Ok(name)
    }
}

/// Returns the submissions with the text that open threads were written on: the first one after each thread.
fn needed(workspace: &Workspace, all: &[Ref]) -> BTreeSet<String> {
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let open = rows.iter().filter(|row| row.status.as_deref() == Some("open"));
    let first = |time| all.iter().find(|round| rounds::is_since(round, time));
    let first = open.filter_map(|row| first(row.created_at?));
    first.map(|round| round.name.clone()).collect()
}

/// Locks the repository of the submissions, creating it if it is missing.
fn locked(env: &Env, submissions: &Submissions) -> Result<DirLock, SubmitError> {
    ensure_dir(&*env.fs, submissions.dir(), 0o700)?;
    let guard = lock(&*env.fs, submissions.dir(), LOCK_TIMEOUT)?;
    // Under the lock, so that two processes do not create it at the same time.
    submissions.ensure()?;
    Ok(guard)
}

/// Moves submissions of earlier versions to the repository that is never pushed.
fn move_old(env: &Env, repo: &Repo) -> Result<(), SubmitError> {
    if repo.refs(REFERENCES)?.is_empty() {
        return Ok(());
    }
    let submissions = repo.submissions();
    let _guard = locked(env, &submissions)?;
    Ok(submissions.adopt(REFERENCES)?)
}

/// Moves the submissions of a worktree that was moved from one state directory to another.
///
/// The references are named after the state directory. Existing submissions of the new directory are kept.
pub fn move_rounds(
    env: &Env,
    layout: &RepoDirs,
    (from, to): (&Path, &Path),
) -> Result<(), SubmitError> {
    let Some(repo) = Repo::new(layout) else { return Ok(()) };
    let [old, new] = [from, to].map(prefix_of);
    let submissions = repo.submissions();
    if !submissions.dir().is_dir() {
        return Ok(());
    }
    let _guard = locked(env, &submissions)?;
    for one in submissions.refs(&old)? {
        let Some(rest) = one.name.strip_prefix(&old) else { continue };
        submissions.create_ref(&format!("{new}{rest}"), &one.id)?;
        submissions.delete_ref(&one.name)?;
    }
    let Ok(mark) = skein_store::read(&from.join(SUBMIT_FILE)) else { return Ok(()) };
    let text = String::from_utf8_lossy(&mark.bytes).replace(&format!("{old}/"), &format!("{new}/"));
    ensure_dir(&*env.fs, to, 0o700)?;
    let guard = lock(&*env.fs, to, LOCK_TIMEOUT)?;
    if !to.join(SUBMIT_FILE).exists() {
        create_new(&*env.fs, &guard, &to.join(SUBMIT_FILE), text.as_bytes(), 0o600)?;
    }
    let guard = lock(&*env.fs, from, LOCK_TIMEOUT)?;
    Ok(remove(&*env.fs, &guard, &from.join(SUBMIT_FILE), &mark.revision)?)
}

/// Removes the submissions of a root.
pub fn remove_all(workspace: &Workspace, repo: &Repo) -> Result<(), SubmitError> {
    let submissions = repo.submissions();
    let _guard = locked(&workspace.env, &submissions)?;
    let prefix = prefix(workspace);
    for one in repo.refs(&prefix)? {
        repo.delete_ref(&one.name)?;
    }
    for one in submissions.refs(&prefix)? {
        submissions.delete_ref(&one.name)?;
    }
    Ok(submissions.remove_empty()?)
}

/// Returns the state of the files at the last submission.
pub(super) fn last(
    workspace: &Workspace,
    repo: &Repo,
) -> Result<Option<(String, ObjectId)>, RunError> {
    // In a read-only repository the old submissions are read in place.
    drop(move_old(&workspace.env, repo));
    let all = rounds::all(workspace, repo)?;
    // The names contain times, so the last name may be wrong after the clock was set back.
    let marked = marked(workspace);
    let last = all.iter().find(|one| Some(&one.name) == marked.as_ref()).or(all.last());
    Ok(last.map(|last| (last.name.clone(), last.id.clone())))
}

/// Returns the reference of the last submission.
fn marked(workspace: &Workspace) -> Option<String> {
    let bytes = skein_store::read(&mark_file(workspace)).ok()?.bytes;
    let mark: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    Some(mark.get("reference")?.as_str()?.to_owned())
}

/// The file in the state directory that each submission replaces.
pub const SUBMIT_FILE: &str = "submitted";

/// Returns the file that each submission replaces, in the reviewer's state directory, which a sandbox can read.
pub(crate) fn mark_file(workspace: &Workspace) -> PathBuf {
    mark_dir(workspace).join(SUBMIT_FILE)
}

/// Returns the state directory of the reviewer.
pub(crate) fn mark_dir(workspace: &Workspace) -> PathBuf {
    let own = workspace.dirs().state;
    let name = own.file_name().unwrap_or_default().to_owned();
    workspace.env.dirs.read_only.as_ref().map_or(own, |user| user.join(name))
}

/// Writes the submit file, which waiting processes watch.
fn mark(
    workspace: &Workspace,
    threads: &[WriteResult],
    reference: Option<&str>,
) -> Result<(), WriteError> {
    let env = &workspace.env;
    let dirs = workspace.dirs();
    let dir = dirs.ensure_state(&*env.fs)?;
    let path = dir.join(SUBMIT_FILE);
    let guard = lock(&*env.fs, dir, Duration::from_secs(5))?;
    let ids: Vec<&str> = threads.iter().map(|thread| thread.id.as_str()).collect();
    let at = env.clock.now().to_string();
    let bytes = to_json(&json!({"at": at, "reference": reference, "threads": ids}))?;
    match skein_store::read(&path) {
        Ok(old) => replace(&*env.fs, &guard, &path, &old.revision, &bytes).map(drop)?,
        Err(_) => create_new(&*env.fs, &guard, &path, &bytes, 0o600).map(drop)?,
    }
    Ok(())
}
