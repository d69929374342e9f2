//! Writes auto-checkpoints.

use std::path::Path;
use std::time::Duration;

use skein_format::checkpoint::{CheckpointType, NewCheckpoint};
use skein_format::id::Origin;
use skein_git::{CommitId, Repo};
use skein_workspace::Workspace;

use super::agent_session::Session;
use super::error::CheckpointError;
use super::git_facts::{self, GitFacts};
use super::save::{self, Save, SaveAction, SaveResult, saved};
use super::{commit_claim, open, store_lock};

/// How long git may take to check for uncommitted changes, if no deadline is set.
const DIRTY: Duration = Duration::from_secs(5);
/// How long a hook with a deadline waits for the lock: a late checkpoint is better than none.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of characters of a summary.
const SUMMARY: usize = 2000;
/// Maximum number of files listed.
const MAX_FILES: usize = 500;

/// The content of an auto-checkpoint.
#[derive(Clone, Debug, Default)]
pub struct AutoCheckpoint {
    /// The trigger, such as `git-commit`.
    pub trigger: String,
    /// A title; by default the start of the summary.
    pub title: Option<String>,
    /// What was done; if it is empty, the subject of the commit or the trigger is used.
    pub summary: String,
    /// A short name; by default derived from the summary.
    pub slug: Option<String>,
    /// Files that were touched, relative to the current directory; if there are none, those of the commit.
    pub files: Vec<String>,
    /// Touched files listed by git, relative to the top of the worktree.
    pub touched: Vec<String>,
    /// The agent's session; by default the one in the environment.
    pub session: Option<String>,
    /// The path of the agent's transcript.
    pub transcript: Option<String>,
    /// The commit that the checkpoint is about; each commit gets at most one.
    pub commit: Option<CommitId>,
    /// The time that is left to check for uncommitted changes; set by hooks, which have little time.
    pub deadline: Option<Duration>,
    /// Whether uncommitted files are also listed.
    pub with_changes: bool,
    /// Whether a missing store is created; never set by a hook.
    pub create: bool,
}

/// Writes an auto-checkpoint; the tables are not updated.
///
/// Returns none if there is no store, or if the commit already has a checkpoint.
pub fn save_auto(
    workspace: &Workspace,
    auto: &AutoCheckpoint,
) -> Result<Option<SaveResult>, CheckpointError> {
    let env = &workspace.env;
    save::check_slug(auto.slug.as_deref())?;
    if !auto.create && !workspace.checkpoints.exists {
        return Ok(None);
    }
    let has_one = || auto.commit.iter().any(|commit| commit_claim::is_written(workspace, commit));
    let claimed = match auto.commit.as_ref().map(|commit| commit_claim::commit(workspace, commit)) {
        Some(Ok(None)) => return Ok(None),
        // A hook outside the sandbox keeps its claims in a directory that this process cannot write.
        Some(Ok(Some(claimed))) if env.dirs.read_only.is_some() && has_one() => {
            claimed.give_up(env);
            return Ok(None);
        }
        // If no claim can be written, as with a read-only home directory, only the store is checked.
        Some(Err(_)) if has_one() => {
            return Ok(None);
        }
        Some(Ok(claimed)) => claimed,
        Some(Err(_)) | None => None,
    };
    let written = write(workspace, auto);
    match (&written, claimed) {
        (Ok(saved), Some(claimed)) => claimed.keep(env, &saved.id),
        (Err(_), Some(claimed)) => claimed.give_up(env),
        (_, None) => {}
    }
    written.map(Some)
}

fn write(workspace: &Workspace, auto: &AutoCheckpoint) -> Result<SaveResult, CheckpointError> {
    let new = new(workspace, auto);
    let (guard, notes) = match auto.deadline {
        _ if auto.create => {
            let opened = open::ensure(workspace)?;
            (opened.guard, opened.notes)
        }
        Some(_) => (store_lock::existing_within(workspace, LOCK_TIMEOUT)?, Vec::new()),
        None => (store_lock::existing(workspace)?, Vec::new()),
    };
    let (_, path, doc) = save::create(&workspace.env, &guard, &new)?;
    Ok(saved(&path, &doc, SaveAction::Created, notes))
}

fn new(workspace: &Workspace, auto: &AutoCheckpoint) -> NewCheckpoint {
    let now = workspace.env.clock.now();
    let session = Session::resolve(workspace, auto.session.as_deref());
    let limit = auto.deadline.unwrap_or(DIRTY);
    let (git, changed) = git_facts::light(workspace, limit, auto.with_changes);
    let (summary, files) = summary_and_files(workspace, auto, &changed);
    let transcript = auto.transcript.clone().or_else(|| session.transcript.clone());
    let session = Session { transcript, ..session };
    let save = Save { summary, title: auto.title.clone(), ..Save::default() };
    let facts = GitFacts { git, files, ..GitFacts::default() };
    NewCheckpoint {
        id: save::make_id(now, auto.slug.as_deref(), &save.summary, Origin::Auto),
        kind: CheckpointType::Auto,
        created_at: now,
        trigger: Some(auto.trigger.clone()),
        ..save::draft(workspace, &save, &session, facts)
    }
}

/// Returns the summary and the touched files; missing values are taken from the commit.
fn summary_and_files(
    workspace: &Workspace,
    auto: &AutoCheckpoint,
    changed: &[String],
) -> (String, Vec<String>) {
    let touched = auto.touched.iter().chain(changed).take(MAX_FILES).cloned().collect();
    let given = auto.files.get(..MAX_FILES).unwrap_or(&auto.files);
    let mut given: Vec<String> = save::files(workspace, touched, given);
    given.truncate(MAX_FILES);
    let summary = shortened(auto.summary.trim());
    // A caller with a deadline has already asked git for the files.
    let missing = summary.is_empty() || (given.is_empty() && auto.deadline.is_none());
    let commit = auto.commit.as_ref().filter(|_| missing);
    let about =
        commit.and_then(|commit| Repo::new(workspace.git.as_ref()?)?.commit_summary(commit).ok());
    let own = git_facts::own_paths(workspace);
    let is_own = |path: &String| own.iter().any(|own| Path::new(path).starts_with(own));
    let (subject, mut files) = about.map(|about| (about.subject, about.files)).unwrap_or_default();
    files.retain(|path| !is_own(path));
    files.truncate(MAX_FILES);
    let files = if given.is_empty() { files } else { given };
    let instead = || match subject.trim() {
        "" => format!("Auto-checkpoint after {}", auto.trigger),
        subject => subject.to_owned(),
    };
    (if summary.is_empty() { instead() } else { summary }, files)
}

/// Truncates a long summary. Secrets are removed first, because a truncated one would not be recognised.
fn shortened(summary: &str) -> String {
    let clean = skein_format::redact::redact(summary);
    if clean.chars().count() <= SUMMARY {
        return clean.into_owned();
    }
    let head: String = clean.chars().take(SUMMARY - 3).collect();
    format!("{head}...")
}
