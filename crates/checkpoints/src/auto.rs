//! Auto-checkpoints, in the light form.

use std::path::Path;
use std::time::Duration;

use skein_format::checkpoint::{CheckpointType, NewCheckpoint};
use skein_format::id::Origin;
use skein_git::{CommitId, Repo};
use skein_workspace::{Env, Workspace};

use super::agent_session::Session;
use super::error::CheckpointError;
use super::git_facts::{self, GitFacts};
use super::save::{self, Save, SaveResult, saved};
use super::{commit_claim, open, store_lock};

/// How long git may take to check for uncommitted changes, if no deadline is set.
const DIRTY: Duration = Duration::from_secs(5);
/// How long a hook with a deadline waits for the lock: a late checkpoint is better than none.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How many characters of a summary are kept.
const SUMMARY: usize = 2000;
/// How many files are named.
const MAX_FILES: usize = 500;

/// The content of an auto-checkpoint.
#[derive(Clone, Debug, Default)]
pub struct AutoCheckpoint {
    /// The trigger, such as `git-commit`.
    pub trigger: String,
    /// A title; else it is the start of the summary.
    pub title: Option<String>,
    /// What was done; if it is empty, the subject of the commit or the trigger is used.
    pub summary: String,
    /// A short name for it; else it is made of the summary.
    pub slug: Option<String>,
    /// Files that were touched, relative to the current directory; if there are none, those of the commit.
    pub files: Vec<String>,
    /// Files that git named, from the top of the worktree.
    pub touched: Vec<String>,
    /// The agent's session, where it is known better than by the environment.
    pub session: Option<String>,
    /// The agent's own record of the conversation.
    pub transcript: Option<String>,
    /// The commit that it is about; each gets one checkpoint at most.
    pub commit: Option<CommitId>,
    /// The time that is left to check for uncommitted changes; set by hooks, which have little time.
    pub deadline: Option<Duration>,
    /// Names the files that are not committed as well.
    pub with_changes: bool,
    /// Creates a store where there is none; never set by a hook.
    pub create: bool,
}

/// Writes an auto-checkpoint; the tables stay as they are.
///
/// None where there is no store to write to, or where the commit has its checkpoint already.
pub fn save_auto(
    workspace: &Workspace,
    env: &Env,
    auto: &AutoCheckpoint,
) -> Result<Option<SaveResult>, CheckpointError> {
    save::check_slug(auto.slug.as_deref())?;
    if !auto.create && !workspace.checkpoints.exists {
        return Ok(None);
    }
    let has_one = || auto.commit.iter().any(|commit| commit_claim::is_written(workspace, commit));
    let claimed =
        match auto.commit.as_ref().map(|commit| commit_claim::commit(workspace, env, commit)) {
            Some(Ok(None)) => return Ok(None),
            // A hook outside of the sandbox claims commits where this one cannot.
            Some(Ok(Some(claimed))) if env.dirs.read_only.is_some() && has_one() => {
                claimed.give_up(env);
                return Ok(None);
            }
            // Where no claim can be kept, as in a home that is read-only, only the store is checked.
            Some(Err(_)) if has_one() => {
                return Ok(None);
            }
            Some(Ok(claimed)) => claimed,
            Some(Err(_)) | None => None,
        };
    let written = write(workspace, env, auto);
    match (&written, claimed) {
        (Ok(saved), Some(claimed)) => claimed.keep(env, &saved.id),
        (Err(_), Some(claimed)) => claimed.give_up(env),
        (_, None) => {}
    }
    written.map(Some)
}

fn write(
    workspace: &Workspace,
    env: &Env,
    auto: &AutoCheckpoint,
) -> Result<SaveResult, CheckpointError> {
    let new = new(workspace, env, auto);
    let (guard, notes) = match auto.deadline {
        _ if auto.create => {
            let opened = open::ensure(env, workspace)?;
            (opened.guard, opened.notes)
        }
        Some(_) => {
            (store_lock::existing_within(env, &workspace.checkpoints, LOCK_TIMEOUT)?, Vec::new())
        }
        None => (store_lock::existing(env, &workspace.checkpoints)?, Vec::new()),
    };
    let (_, path, doc) = save::create(env, &guard, &new)?;
    Ok(saved(&path, &doc, "created", notes))
}

fn new(workspace: &Workspace, env: &Env, auto: &AutoCheckpoint) -> NewCheckpoint {
    let now = env.clock.now();
    let session = Session::resolve(workspace, env, auto.session.as_deref());
    let limit = auto.deadline.unwrap_or(DIRTY);
    let (git, changed) = git_facts::light(workspace, limit, auto.with_changes);
    let (summary, files) = summary_and_files(workspace, env, auto, &changed);
    let transcript = auto.transcript.clone().or_else(|| session.transcript.clone());
    let session = Session { transcript, ..session };
    let save = Save { summary, title: auto.title.clone(), ..Save::default() };
    let facts = GitFacts { git, files, ..GitFacts::default() };
    NewCheckpoint {
        id: save::make_id(now, auto.slug.as_deref(), &save.summary, Origin::Auto),
        kind: CheckpointType::Auto,
        created_at: now,
        trigger: Some(auto.trigger.clone()),
        ..save::draft(workspace, env, &save, &session, facts)
    }
}

/// Returns what was done and which files were touched; what is not given is taken from the commit.
fn summary_and_files(
    workspace: &Workspace,
    env: &Env,
    auto: &AutoCheckpoint,
    changed: &[String],
) -> (String, Vec<String>) {
    let touched = auto.touched.iter().chain(changed).take(MAX_FILES).cloned().collect();
    let given = auto.files.get(..MAX_FILES).unwrap_or(&auto.files);
    let mut given: Vec<String> = save::files(workspace, env, touched, given);
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

/// Cuts a summary that is too long; secrets go first, so that none is cut into something else.
fn shortened(summary: &str) -> String {
    let clean = skein_format::redact::redact(summary);
    if clean.chars().count() <= SUMMARY {
        return clean.into_owned();
    }
    let head: String = clean.chars().take(SUMMARY - 3).collect();
    format!("{head}...")
}
