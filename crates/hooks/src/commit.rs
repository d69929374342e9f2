//! Writes the checkpoint of a commit.

use std::path::Path;
use std::time::Instant;

use skein_checkpoints::AutoCheckpoint;
use skein_checkpoints::agent_session::AgentSession;
use skein_git::{CommitId, CommitSummary, Operation, Repo, RepoDirs, RunError};

use super::call::{HookCall, HookResult};
use super::hook_event::HookEvent;
use super::own::is_thread_path;
use super::shell;
use super::summary::summary;
use super::write;

/// Maximum age of a commit that counts as made by the last command.
const MAX_AGE_SECONDS: i64 = 15 * 60;
/// Maximum number of repositories that are checked for commits of one command.
const MAX_REPOSITORIES: usize = 4;
/// Maximum number of commits of one command that get a checkpoint, besides the last one.
const MAX_EARLIER_COMMITS: usize = 20;
/// Maximum number of commits of the history in which those of the reflog are looked up.
const MAX_COMMITS: usize = 200;

/// Writes checkpoints of the commits that a command made.
pub(super) fn by_command(call: &mut HookCall, failed: bool) -> HookResult {
    let command = call.payload.input.command.clone().unwrap_or_default();
    let here = call.workspace.env.dir.clone();
    let start = here.join(call.payload.input.dir.as_deref().unwrap_or_default());
    let found = shell::commits(&command, call.workspace.env.home.as_deref());
    let mut dirs: Vec<_> = found.iter().map(|dir| start.join(dir)).collect();
    dirs.dedup();
    let mut done = Ok(());
    for dir in dirs.iter().take(MAX_REPOSITORIES).filter(|dir| dir.is_dir()) {
        if *dir != call.workspace.env.dir {
            call.change_dir(dir);
        }
        done = done.and(if_made(call, failed));
        call.note_unfinished();
    }
    if call.workspace.env.dir != here {
        call.change_dir(&here);
    }
    done
}

/// Writes the checkpoint of the current commit, if it was made just now, and of those made before it since the last event.
pub(super) fn if_made(call: &HookCall, failed: bool) -> HookResult {
    let Some((git, head)) = ready(call) else { return Ok(()) };
    let session = call.record();
    if !is_made(call, git, &head, session.as_ref(), failed) {
        return Ok(());
    }
    let mut result = Ok(());
    for commit in made_before(call, git, &head, session.as_ref()) {
        result = result.and(record(call, git, &commit, session.as_ref()));
    }
    result.and(record(call, git, &head, session.as_ref()))
}

/// Returns the commits that were made between the last event of the session and the current commit, oldest first.
///
/// A commit that an amendment or a reset removed from the history is left out.
fn made_before(
    call: &HookCall,
    git: &RepoDirs,
    head: &CommitId,
    session: Option<&AgentSession>,
) -> Vec<CommitId> {
    let last = session.and_then(|session| CommitId::parse(session.head.as_deref()?));
    let Some(last) = last else { return Vec::new() };
    let movements = git.latest_movements().unwrap_or_default();
    let Some(seen) = movements.iter().rposition(|movement| movement.to == last) else {
        return Vec::new();
    };
    let mut made: Vec<CommitId> = movements
        .iter()
        .skip(seen + 1)
        .filter(|movement| movement.is_commit && movement.to != *head)
        .map(|movement| movement.to.clone())
        .collect();
    if made.is_empty() {
        return made;
    }
    // Without an answer of git, a commit too many is better than one too few.
    let until = Instant::now() + call.time_before_finish();
    let repo = Repo::new(git).map(|repo| repo.until(until));
    let history = repo.and_then(|repo| repo.commits_since(&last, MAX_COMMITS).ok());
    if let Some(history) = history {
        made.retain(|commit| history.iter().any(|entry| entry.id == *commit));
    }
    let extra = made.len().saturating_sub(MAX_EARLIER_COMMITS);
    made.drain(..extra);
    made
}

/// Writes the checkpoint of a new commit for which no command was reported: a script or a background task may have made it.
pub(super) fn if_moved(call: &HookCall) -> HookResult {
    // Some agents call a hook only at the end of a turn.
    let is_first = || call.event == HookEvent::Turn;
    let moved = call.record().map_or_else(is_first, |known| known.head.is_some());
    if moved { if_made(call, true) } else { Ok(()) }
}

/// Writes the checkpoint of the commit that git has just made.
pub(super) fn by_git(call: &HookCall) -> HookResult {
    let Some((git, head)) = ready(call) else { return Ok(()) };
    let movement = git.last_movement().filter(|movement| movement.to == head);
    // A cherry-pick or a rebase only repeats commits, and a fast-forward merge makes none.
    let is_made = match movement {
        Some(movement) => movement.is_commit,
        None => call.event_name == "post-commit",
    };
    if call.is_of_another_repository() || !is_made {
        return Ok(());
    }
    record(call, git, &head, call.record().as_ref())
}

/// Records the commit in its session, and writes its checkpoint if there is a store.
fn record(
    call: &HookCall,
    git: &RepoDirs,
    head: &CommitId,
    known: Option<&AgentSession>,
) -> HookResult {
    call.update_record(|session| session.add_commit(head.as_str()))?;
    if call.has_store() { checkpoint(call, git, head, known) } else { Ok(()) }
}

fn ready(call: &HookCall) -> Option<(&RepoDirs, CommitId)> {
    let git = call.workspace.git.as_ref()?;
    let in_the_middle =
        git.operation().is_some_and(|operation| !matches!(operation, Operation::Merge));
    Some((git, call.head().filter(|_| !in_the_middle)?))
}

/// Returns whether the commit was made just now. A successful command does not prove it.
fn is_made(
    call: &HookCall,
    git: &RepoDirs,
    head: &CommitId,
    known: Option<&AgentSession>,
    failed: bool,
) -> bool {
    let before = known.and_then(|known| known.head.as_deref());
    if before == Some(head.as_str()) {
        return false;
    }
    let now = call.workspace.env.clock.now().as_millis() / 1000;
    match git.last_movement().filter(|movement| movement.to == *head) {
        Some(movement) => {
            let recent = now.saturating_sub(movement.at) <= MAX_AGE_SECONDS;
            movement.is_commit && (before.is_some() || recent)
        }
        // Without a reflog, the outcome that the agent reports is used.
        None => !failed,
    }
}

fn checkpoint(
    call: &HookCall,
    git: &RepoDirs,
    head: &CommitId,
    known: Option<&AgentSession>,
) -> HookResult {
    let Some(repo) = Repo::new(git) else { return Ok(()) };
    let repo = repo.until(Instant::now() + call.time_before_finish());
    let (CommitSummary { subject, mut files }, are_files_unknown) = match repo.commit_summary(head)
    {
        Err(RunError::Late { .. }) => {
            let subject =
                subject_in_reflog(git, head).unwrap_or_else(|| format!("commit {}", head.short()));
            (CommitSummary { subject, files: Vec::new() }, true)
        }
        summary => (summary?, false),
    };
    let is_empty = files.is_empty();
    files.retain(|file| !is_thread_path(&call.workspace, Path::new(file)));
    if files.is_empty() && !is_empty {
        return Ok(());
    }
    let auto = AutoCheckpoint {
        trigger: "git-commit".to_owned(),
        title: Some(subject.clone()),
        summary: summary(call, &format!("{subject} (commit {})", head.short()), known),
        touched: files,
        are_files_unknown,
        commit: Some(head.clone()),
        ..write::auto(call)
    };
    write::write(call, &auto, Some(head))
}

/// Returns the subject of a commit without running git.
fn subject_in_reflog(git: &RepoDirs, commit: &CommitId) -> Option<String> {
    let movements = git.latest_movements()?.into_iter().rev();
    movements.filter(|movement| movement.to == *commit).find_map(|movement| movement.subject)
}
