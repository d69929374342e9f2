//! Submits a review, and records for each thread the session that wrote its code.

use std::collections::BTreeMap;

use skein_catalog::origins::{SubmittedThread, WrittenHere, fingerprint, target};
use skein_catalog::{ThreadRef, WorktreeScope, drafts, list, origins};
use skein_format::review::ReviewDoc;
use skein_model::view::{ThreadOrigin, ThreadRow};
use skein_model::{Filter, Kind, Turn};
use skein_review::{SubmitError, SubmitResult};
use skein_workspace::{Actor, Workspace};

use crate::attribution::{Attribution, UnknownOrigin};

/// The result of a submission.
#[derive(Debug)]
pub struct Submitted {
    pub result: SubmitResult,
    /// The sessions of the threads that wait on an agent, as far as they are known.
    pub origins: BTreeMap<String, ThreadOrigin>,
}

/// Publishes the drafts, and finds the sessions that wrote the code of the threads that the reviewer wrote and that wait on an agent.
///
/// The sessions are found first, because a waiting agent may start to change files at once. Threads of others are not recorded: they
/// can come from another clone, and must not start an agent. Nor does what an agent submits start another agent.
pub fn submit(workspace: &Workspace) -> Result<Submitted, SubmitError> {
    let reviewer = Actor::find(workspace, None);
    if reviewer.agent {
        let result = skein_review::submit(workspace)?;
        return Ok(Submitted { result, origins: BTreeMap::new() });
    }
    let (found, late) = find(workspace, &reviewer);
    let mut result = skein_review::submit(workspace)?;
    if let Err(error) = origins::record(workspace, &found) {
        result.notes.push(format!("The sessions that wrote the code were not recorded: {error}"));
    }
    if late > 0 {
        let note =
            format!("{late} threads were not looked up in time: `skein review submit` tries again");
        result.notes.push(note);
    }
    let origins = found.into_iter().map(|(id, known)| (id, known.origin)).collect();
    Ok(Submitted { result, origins })
}

/// Returns the sessions of drafts and threads as far as they are known, and the number of threads that were not looked up.
fn find(workspace: &Workspace, reviewer: &Actor) -> (BTreeMap<String, SubmittedThread>, usize) {
    let drafts = drafts::of_one_side(workspace).into_iter().map(|draft| (draft.id(), draft.doc));
    let drafts: Vec<_> = drafts.collect();
    for (id, doc) in &drafts {
        // Without the note, only this submission finds the session.
        drop(origins::note_written(workspace, (id, doc), &doc.comments()));
    }
    let own = own_waiting(workspace, reviewer);
    let threads: Vec<(String, ReviewDoc)> = drafts.into_iter().chain(own).collect();
    let mut found = BTreeMap::new();
    if threads.is_empty() {
        return (found, 0);
    }
    let mut attribution = Attribution::new(workspace);
    if !attribution.has_sessions() {
        return (found, 0);
    }
    let mut known = origins::read(workspace);
    let mut late = 0;
    for (id, doc) in threads {
        let (comments, target) = (fingerprint(&doc), target(&doc));
        let known = known.remove(&id);
        let submitted = match known {
            Some(known) if known.comments == comments && known.target == target => Some(known),
            known => match attribution.find(&doc) {
                Ok(origin) => {
                    let is_sandboxed = attribution.is_sandboxed(&origin.session);
                    Some(SubmittedThread { origin, comments, target, is_sandboxed })
                }
                Err(UnknownOrigin::Late) => {
                    late += 1;
                    None
                }
                // The conversation goes on with the same session.
                Err(_) => known.map(|known| SubmittedThread { comments, target, ..known }),
            },
        };
        found.extend(submitted.map(|submitted| (id, submitted)));
    }
    (found, late)
}

/// Returns whether the last comment of a thread is signed with the name of the reviewer.
pub(crate) fn is_last_of(row: &ThreadRow, reviewer: &Actor) -> bool {
    let author = row.review().and_then(|detail| detail.last_author.as_deref());
    author == Some(reviewer.name.as_str())
}

/// Returns the threads that wait on an agent, and in which the reviewer wrote the last comment and all others under their name on this machine.
///
/// The name alone proves nothing: a file from another clone can have any, and so can one that another program has changed.
fn own_waiting(workspace: &Workspace, reviewer: &Actor) -> Vec<(String, ReviewDoc)> {
    let filter =
        Filter { kind: Some(Kind::Review), waiting: Some(Turn::Agent), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let read = |thread: ThreadRef| {
        let bytes = skein_store::read(&thread.path).ok()?.bytes;
        let id = thread.id();
        let (doc, _) = ReviewDoc::parse(bytes, &id, &workspace.reviews.store_path);
        Some((id, doc))
    };
    let own = rows.iter().map(|row| &**row).filter(|row| is_last_of(row, reviewer));
    let own = own.filter_map(|row| read(ThreadRef::from_row(workspace, row)));
    let written = WrittenHere::read(workspace);
    own.filter(|(id, doc)| written.has_all_by(&reviewer.name, id, doc)).collect()
}
