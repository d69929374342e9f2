//! Chooses the thread that an agent should answer first.

use std::time::Duration;

use serde::Serialize;
use skein_catalog::leases::{Lease, LeaseDir, LeaseInfo, Locks, comment_count, holds};
use skein_catalog::{ThreadRef, WorktreeScope, branches, expand, leases, list};
use skein_format::time::Time;
use skein_model::person_names::is_name_of;
use skein_model::view::{ClaimedBy, ThreadRow, ThreadView};
use skein_model::{Filter, Kind, Turn};
use skein_store::ReadError;
use skein_workspace::{Actor, Env, FileError, Workspace, agent_names};

use super::write_error::WriteError;

/// Options for choosing the next thread.
#[derive(Clone, Debug)]
pub struct NextOptions {
    /// The duration of the lease on the thread, if one is to be taken.
    pub lease: Option<Duration>,
    /// The token of the agent: the same token gets the same thread again.
    pub token: Option<String>,
    /// Whether threads claimed by others are included.
    pub include_claimed: bool,
}

/// The thread to work on.
#[derive(Clone, Debug, Serialize)]
pub struct NextResult {
    /// The thread that has waited longest; none if no thread waits.
    pub thread: Option<Box<ThreadView>>,
    /// The lease on it.
    pub claim: Option<LeaseInfo>,
    /// The number of threads that wait for the agent, including this one and those claimed by others.
    pub waiting: usize,
    /// The number of them claimed by others.
    pub claimed: usize,
}

/// Why no thread was returned.
#[derive(Debug, thiserror::Error)]
pub enum NextError {
    /// The lease could not be written.
    #[error(transparent)]
    Claim(#[from] FileError),
    /// The thread was deleted.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Finds the open thread that has waited longest for the agent, and takes a lease on it if requested.
///
/// A lease ends at its time, with a comment by an agent, or when the thread no longer waits.
pub fn next(
    workspace: &Workspace,
    actor: &Actor,
    filter: &Filter,
    options: &NextOptions,
) -> Result<NextResult, NextError> {
    let env = &workspace.env;
    let guard = options.lease.map(|_| leases::open(workspace)).transpose()?;
    let mut leases = LeaseDir::read(workspace);
    if let Some(guard) = &guard {
        let everything = Filter { kind: Some(Kind::Review), ..Filter::default() };
        let all = waiting_on_agent(workspace, &everything);
        let now = env.clock.now();
        leases.follow_clock(env, guard)?;
        leases.sweep(env, guard, &|lease| {
            let row = all.iter().find(|row| row.id == lease.thread);
            row.is_none_or(|row| !holds(workspace, lease, row, now))
        })?;
    }
    // Threads are listed under the lock, and after the leases of answered ones were removed: otherwise one that is answered in between
    // would be without a lease in an older list, and returned again.
    let mut rows = waiting_on_agent(workspace, filter);
    rows.retain(|row| is_for(row, actor, env));
    // Threads that ask for this agent by name come first, those of an unmerged branch last.
    branches::mark_other_branches(workspace, &mut rows);
    rows.sort_by_key(|row| (asked(row).is_none(), is_of_other_branch(row)));
    let waiting = rows.len();
    let (row, claimed) = choose(workspace, &leases, rows, options);
    if let (Some(guard), Some(lease), Some(row)) = (&guard, options.lease, &row) {
        take(guard, env, actor, &mut leases, row, (lease, options))?;
    }
    drop(guard);
    let claim = row.as_ref().and_then(|row| leases.get(&row.id)).map(Lease::claim);
    let claim = claim.filter(|claim| claim.until > env.clock.now());
    let view = row.map(|row| expand(workspace, &row)).transpose()?;
    Ok(NextResult { thread: view.map(Box::new), claim, waiting, claimed })
}

/// Returns whether a thread that waits for an agent can be given to this one: it does not ask for another by name.
pub(super) fn is_for(row: &ThreadRow, actor: &Actor, env: &Env) -> bool {
    let Some(asked) = asked(row).filter(|_| actor.agent) else { return true };
    let names = [Some(actor.name.as_str()), agent_names::running_agent(&env.variables)];
    names.into_iter().flatten().any(|name| is_name_of(asked, name))
}

/// Returns the name that a thread asks for.
fn asked(row: &ThreadRow) -> Option<&str> {
    row.review()?.waiting_on_name.as_deref()
}

fn is_of_other_branch(row: &ThreadRow) -> bool {
    row.review().is_some_and(|detail| detail.is_of_other_branch)
}

/// Lists the threads that wait for the agent, the longest waiting first.
pub(super) fn waiting_on_agent(workspace: &Workspace, filter: &Filter) -> Vec<ThreadRow> {
    let filter = Filter { kind: Some(Kind::Review), waiting: Some(Turn::Agent), ..filter.clone() };
    oldest_first(list(workspace, &filter, WorktreeScope::ThisWorktree).threads)
}

#[expect(clippy::vec_box, reason = "the rows come as they were listed")]
pub(super) fn oldest_first(rows: Vec<Box<ThreadRow>>) -> Vec<ThreadRow> {
    // A list has the last changed first, and is in the order of the code for equal times.
    let mut rows: Vec<ThreadRow> = rows.into_iter().map(|row| *row).collect();
    rows.sort_by_key(|row| row.updated_at.or(row.created_at));
    rows
}

/// Chooses a thread; also returns the number of threads claimed by others.
fn choose(
    workspace: &Workspace,
    leases: &LeaseDir,
    rows: Vec<ThreadRow>,
    options: &NextOptions,
) -> (Option<ThreadRow>, usize) {
    let now = workspace.env.clock.now();
    let (mut free, mut own, mut claimed) = (None, None, 0);
    for row in rows {
        let lease = leases.get(&row.id).filter(|lease| holds(workspace, lease, &row, now));
        match lease {
            Some(lease) if options.token.as_ref() == Some(&lease.token) => {
                own = own.or(Some(row));
            }
            lease => {
                claimed += usize::from(lease.is_some());
                if lease.is_none() || options.include_claimed {
                    free = free.or(Some(row));
                }
            }
        }
    }
    (own.or(free), claimed)
}

fn take(
    guard: &Locks,
    env: &Env,
    actor: &Actor,
    leases: &mut LeaseDir,
    row: &ThreadRow,
    (lease, options): (Duration, &NextOptions),
) -> Result<(), FileError> {
    let millis = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let until = Time::from_millis(env.clock.now().as_millis().saturating_add(millis));
    let lease = Lease {
        thread: row.id.clone(),
        by: actor.name.clone(),
        token: options.token.clone().unwrap_or_else(|| env.ids.next()),
        until: until.to_string(),
        comments: comment_count(row),
        lasts: Some(millis),
    };
    leases.take(env, guard, lease)
}

/// The result of releasing a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Released {
    Yes,
    NotClaimed,
    /// Another agent holds the lease.
    OfAnother {
        by: String,
    },
}

/// Releases the lease on a thread if it has this token, or in any case with `force`.
pub fn release(
    workspace: &Workspace,
    thread: &ThreadRef,
    token: Option<&str>,
    force: bool,
) -> Result<Released, WriteError> {
    let guard = leases::open(workspace)?;
    let mut leases = LeaseDir::read(workspace);
    let thread = thread.id();
    let lease = leases.get(&thread).filter(|lease| !lease.is_over(workspace.env.clock.now()));
    let is_own = |lease: &&Lease| token == Some(lease.token.as_str());
    if let Some(other) = lease.filter(|lease| !force && !is_own(lease)) {
        return Ok(Released::OfAnother { by: ClaimedBy::from(other.claim()).claimant() });
    }
    let released = leases.release(&workspace.env, &guard, &thread)?;
    Ok(if released { Released::Yes } else { Released::NotClaimed })
}
