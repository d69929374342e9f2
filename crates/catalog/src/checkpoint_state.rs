//! The state of the work of a checkpoint, which its file alone does not contain.
//!
//! A handoff is open, taken, done or cancelled, and any other checkpoint can be taken too. The file records whether the work
//! has ended, the pointer to the last handoff may record it for a file that is never written, and a resume lock names who
//! has taken it. Lists, searches, pages and the JSON of all of them ask here.

use std::collections::{BTreeMap, BTreeSet};

use skein_format::checkpoint::is_final;
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{ResumeLockHolder, RowDetail, ThreadRow};
use skein_workspace::CheckpointStore;

use crate::handoff_pointer;
use crate::resume_lock;

const OPEN: &str = "open";
const TAKEN: &str = "taken";

/// What is known of checkpoints apart from their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct States {
    held: BTreeMap<String, ResumeLockHolder>,
    /// The target of the pointer, and its final status in the pointer, if any.
    handed: Option<(String, Option<String>)>,
}

impl States {
    /// Reads the resume locks and the pointer; no checkpoint is read.
    pub fn read(checkpoints: &CheckpointStore, now: Time) -> Self {
        let handed = handoff_pointer::pointer(checkpoints).and_then(|pointer| {
            let (_, path) = handoff_pointer::target(checkpoints, &pointer)?;
            let end = pointer.status.clone().filter(|_| pointer.is_over());
            Some((stem(&path), end.map(redacted)))
        });
        Self { held: resume_lock::holders(checkpoints, now), handed }
    }

    /// Returns whether there is a lock or a pointer for a checkpoint.
    pub fn concerns(&self, id: &str) -> bool {
        self.held.contains_key(id) || self.handed.as_ref().is_some_and(|(handed, _)| handed == id)
    }

    /// Returns the state of a checkpoint with the state `written` in its file.
    pub fn state<'a>(&'a self, id: &str, written: Option<&'a str>) -> Option<&'a str> {
        let ended = written.is_some_and(is_final);
        let said = match self.handed.as_ref().filter(|(handed, _)| handed == id && !ended) {
            Some((_, Some(end))) => Some(end.as_str()),
            // What was handed over is a handoff, whatever the type of its file is.
            Some((_, None)) => written.or(Some(OPEN)),
            None => written,
        };
        match said {
            None | Some(OPEN) if self.held.contains_key(id) => Some(TAKEN),
            said => said,
        }
    }

    /// Gives a row its state, and the one who has taken the work.
    pub fn mark(&self, row: &mut ThreadRow) {
        let RowDetail::Checkpoint(detail) = &mut row.detail else { return };
        if !row.usable || !self.concerns(&row.id) {
            return;
        }
        let state = self.state(&row.id, row.status.as_deref()).map(str::to_owned);
        let has_end = |(id, end): &(String, Option<String>)| *id == row.id && end.is_some();
        detail.is_over |= self.handed.as_ref().is_some_and(has_end);
        // The final state of a worker does not end the work: steps may be left.
        let has_ended = detail.is_over && state.as_deref().is_some_and(is_final);
        detail.taken = self.held.get(&row.id).filter(|_| !has_ended).cloned().map(Box::new);
        row.status = state.map(Into::into);
    }

    /// Returns the checkpoints that another one holds than before, with the new holder; a renewal does not count.
    pub fn new_holders(&self, before: &Self) -> Vec<(String, Option<ResumeLockHolder>)> {
        let name = |holder: Option<&ResumeLockHolder>| {
            holder.map(|holder| (holder.by.clone(), holder.session_id.clone()))
        };
        let ids: BTreeSet<&String> = self.held.keys().chain(before.held.keys()).collect();
        let changed =
            ids.into_iter().filter(|id| name(self.held.get(*id)) != name(before.held.get(*id)));
        changed.map(|id| (id.clone(), self.held.get(id).cloned())).collect()
    }

    /// Returns the checkpoints of which something else was known before.
    pub fn changed_from(&self, before: &Self) -> BTreeSet<String> {
        let ids = self.held.keys().chain(before.held.keys());
        let handed = self.handed.iter().chain(&before.handed).map(|(id, _)| id);
        let handed = handed.filter(|_| self.handed != before.handed);
        let held = ids.filter(|id| self.held.get(*id) != before.held.get(*id));
        held.chain(handed).cloned().collect()
    }
}
