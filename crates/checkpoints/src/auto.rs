//! Writes auto-checkpoints.

use std::path::Path;
use std::time::Duration;

use skein_format::checkpoint::{CheckpointType, NewCheckpoint};
use skein_format::id::Origin;
use skein_git::{CommitId, Repo};
use skein_workspace::Workspace;

use super::agent_session::Session;
use super::error::CheckpointError;
use super::git_answers::{GIT_LIMIT, GitAnswers, MissingFacts};
use super::git_facts::{self, GitFacts};
use super::save::{self, Save, SaveAction, SaveResult, saved};
use super::unfinished::Unfinished;
use super::{commit_claim, open, store_lock, unfinished_record};

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
    /// Whether git did not list the files of the commit in time, so that they are still to be found.
    pub are_files_unknown: bool,
    /// The time that is left to ask git and to wait for the lock; set by hooks, which have little time and leave the rest to
    /// a [`crate::Finisher`].
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
        // The record of an unfinished checkpoint keeps the claim: what finishes it needs no other.
        (Err(_), Some(_))
            if auto.commit.iter().any(|id| unfinished_record::has_commit(workspace, id)) => {}
        (Err(_), Some(claimed)) => claimed.give_up(env),
        (_, None) => {}
    }
    written.map(Some)
}

/// Writes a checkpoint: first a record of it if the caller is a hook, which may be cut at any step; then, with what git says, the file.
fn write(workspace: &Workspace, auto: &AutoCheckpoint) -> Result<SaveResult, CheckpointError> {
    let mut new = draft(workspace, auto);
    let missing = if workspace.git.is_some() {
        MissingFacts {
            dirty: true,
            changed_files: auto.with_changes,
            commit_files: auto.are_files_unknown,
        }
    } else {
        MissingFacts::default()
    };
    let unfinished = match auto.deadline {
        // Without a record, as with a full disk, the checkpoint is saved as far as there is time.
        Some(_) => Unfinished::begin(workspace, &new, auto.commit.as_ref(), missing).ok(),
        None => None,
    };
    let limit = auto.deadline.unwrap_or(GIT_LIMIT);
    let answers = GitAnswers::ask(workspace, missing, auto.commit.as_ref(), limit);
    answers.add_to_draft(&mut new);
    let (guard, notes) = match auto.deadline {
        _ if auto.create => {
            let opened = open::ensure(workspace)?;
            (opened.guard, opened.notes)
        }
        Some(limit) => (store_lock::existing_within(workspace, limit)?, Vec::new()),
        None => (store_lock::existing(workspace)?, Vec::new()),
    };
    let (id, path, doc) = save::create(&workspace.env, &guard, &new)?;
    drop(guard);
    if let Some(unfinished) = unfinished {
        unfinished.settle(workspace, id.as_str(), answers.missing)?;
    }
    Ok(saved(&path, &doc, SaveAction::Created, notes))
}

/// Returns the checkpoint as far as it is known without asking git for the state of files.
fn draft(workspace: &Workspace, auto: &AutoCheckpoint) -> NewCheckpoint {
    let now = workspace.env.clock.now();
    let session = Session::resolve(workspace, auto.session.as_deref());
    let git = git_facts::head(workspace, auto.commit.as_ref());
    let (summary, files) = summary_and_files(workspace, auto);
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
fn summary_and_files(workspace: &Workspace, auto: &AutoCheckpoint) -> (String, Vec<String>) {
    let touched = auto.touched.iter().take(MAX_FILES).cloned().collect();
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
