//! The thread that an agent should answer first.

use std::time::Duration;

use serde::Serialize;
use skein_catalog::leases::{Lease, LeaseDir, LeaseInfo, Locks, comment_count, holds};
use skein_catalog::{ThreadRef, WorktreeScope, branches, expand, leases, list};
use skein_format::time::Time;
use skein_model::person_names::is_name_of;
use skein_model::view::{ThreadRow, ThreadView};
use skein_model::{Filter, Kind, Turn};
use skein_store::ReadError;
use skein_workspace::{Actor, Env, FileError, Workspace, agent_names};

use super::write_error::WriteError;

/// How the next thread is chosen.
#[derive(Clone, Debug)]
pub struct NextOptions {
    /// Takes the thread for so long.
    pub lease: Option<Duration>,
    /// Who asks: the same token gets the same thread again; without one every question is a stranger's.
    pub token: Option<String>,
    /// Does not pass over threads that others have taken.
    pub include_claimed: bool,
}

/// The thread to work on.
#[derive(Clone, Debug, Serialize)]
pub struct NextResult {
    /// The thread that has waited longest; none where nothing is to be done.
    pub thread: Option<Box<ThreadView>>,
    /// Who has taken it.
    pub claim: Option<LeaseInfo>,
    /// How many threads wait on the agent, this one and those taken by others included.
    pub waiting: usize,
    /// How many of them others have taken.
    pub claimed: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NextError {
    /// The lease could not be written.
    #[error(transparent)]
    Claim(#[from] FileError),
    /// The thread went away.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Finds the open thread that has waited on the agent for longest, and takes it if that is asked for.
///
/// A lease ends with its time, with an agent's comment on the thread, and when the thread waits no more.
pub fn next(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    filter: &Filter,
    options: &NextOptions,
) -> Result<NextResult, NextError> {
    let guard = options.lease.map(|_| leases::open(workspace, env)).transpose()?;
    let mut leases = LeaseDir::read(workspace, env);
    // Threads are listed under the lock, so that one that was answered meanwhile is not handed out again.
    let mut rows = waiting_on_agent(workspace, env, filter);
    rows.retain(|row| is_for(row, actor, env));
    // Those that ask for this agent by its name come first, and those of a branch that is not merged here last.
    branches::mark_other_branches(workspace, &mut rows);
    rows.sort_by_key(|row| (asked(row).is_none(), is_of_other_branch(row)));
    if let Some(guard) = &guard {
        let everything = Filter { kind: Some(Kind::Review), ..Filter::default() };
        let all = waiting_on_agent(workspace, env, &everything);
        let now = env.clock.now();
        leases.sweep(env, guard, &|lease| {
            let row = all.iter().find(|row| row.id == lease.thread);
            row.is_none_or(|row| !holds(workspace, lease, row, now))
        })?;
    }
    let waiting = rows.len();
    let (row, claimed) = choose(workspace, env, &leases, rows, options);
    if let (Some(guard), Some(lease), Some(row)) = (&guard, options.lease, &row) {
        take(guard, env, actor, &mut leases, row, (lease, options))?;
    }
    drop(guard);
    let claim = row.as_ref().and_then(|row| leases.get(&row.id)).map(Lease::claim);
    let claim = claim.filter(|claim| claim.until > env.clock.now());
    let view = row.map(|row| expand(workspace, env, &row)).transpose()?;
    Ok(NextResult { thread: view.map(Box::new), claim, waiting, claimed })
}

/// Returns whether a thread that waits on an agent may be given to this one: it asks for no other by its name.
pub(super) fn is_for(row: &ThreadRow, actor: &Actor, env: &Env) -> bool {
    let Some(asked) = asked(row).filter(|_| actor.agent) else { return true };
    let names = [Some(actor.name.as_str()), agent_names::running_agent(&env.variables)];
    names.into_iter().flatten().any(|name| is_name_of(asked, name))
}

/// Returns the name of the one that a thread asks for.
fn asked(row: &ThreadRow) -> Option<&str> {
    row.review()?.waiting_on_name.as_deref()
}

fn is_of_other_branch(row: &ThreadRow) -> bool {
    row.review().is_some_and(|detail| detail.is_of_other_branch)
}

/// Lists the threads that wait on the agent, the one that has waited longest first.
pub(super) fn waiting_on_agent(
    workspace: &Workspace,
    env: &Env,
    filter: &Filter,
) -> Vec<ThreadRow> {
    let filter = Filter { kind: Some(Kind::Review), waiting: Some(Turn::Agent), ..filter.clone() };
    oldest_first(list(workspace, env, &filter, WorktreeScope::ThisWorktree).threads)
}

#[expect(clippy::vec_box, reason = "the rows come as they were listed")]
pub(super) fn oldest_first(rows: Vec<Box<ThreadRow>>) -> Vec<ThreadRow> {
    // A list has the last changed first, and orders by id where times are the same.
    let mut rows: Vec<ThreadRow> = rows.into_iter().map(|row| *row).collect();
    rows.sort_by_key(|row| row.updated_at.or(row.created_at));
    rows
}

/// Chooses a thread, and returns it with the number of threads that others have claimed.
fn choose(
    workspace: &Workspace,
    env: &Env,
    leases: &LeaseDir,
    rows: Vec<ThreadRow>,
    options: &NextOptions,
) -> (Option<ThreadRow>, usize) {
    let now = env.clock.now();
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
    };
    leases.take(env, guard, lease)
}

/// What became of a claim that was to be released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Released {
    Yes,
    NotClaimed,
    /// Another claimant has it.
    OfAnother {
        by: String,
    },
}

/// Releases a thread if the claimant with the token has it, or with `force` in any case.
pub fn release(
    workspace: &Workspace,
    env: &Env,
    thread: &ThreadRef,
    token: Option<&str>,
    force: bool,
) -> Result<Released, WriteError> {
    let guard = leases::open(workspace, env)?;
    let mut leases = LeaseDir::read(workspace, env);
    let thread = thread.id();
    let lease = leases.get(&thread).filter(|lease| !lease.is_over(env.clock.now()));
    let is_own = |lease: &&Lease| token == Some(lease.token.as_str());
    if let Some(other) = lease.filter(|lease| !force && !is_own(lease)) {
        return Ok(Released::OfAnother { by: other.by.clone() });
    }
    let released = leases.release(env, &guard, &thread)?;
    Ok(if released { Released::Yes } else { Released::NotClaimed })
}
