//! The state of the work of a checkpoint, which its file alone does not contain.
//!
//! A handoff is open, taken, done or cancelled; any other checkpoint can be taken too. The file has the final status; for a file that
//! is never written the pointer to the last handoff may have it. A resume lock contains the holder. All lists, searches and views use this
//! module.

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

/// The state of checkpoints from other files than their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct States {
    held: BTreeMap<String, ResumeLockHolder>,
    /// The target of the pointer, and its final status in the pointer, if any.
    handed: Option<(String, Option<String>)>,
}

impl States {
    /// Reads the resume locks and the pointer; reads no checkpoint.
    pub fn read(checkpoints: &CheckpointStore, now: Time) -> Self {
        let handed = handoff_pointer::pointer(checkpoints).and_then(|pointer| {
            let (_, path) = handoff_pointer::target(checkpoints, &pointer)?;
            let end = pointer.status.clone().filter(|_| pointer.is_over());
            Some((stem(&path), end.map(redacted)))
        });
        Self { held: resume_lock::holders(checkpoints, now), handed }
    }

    /// Returns whether a checkpoint has a lock or is the target of the pointer.
    pub fn concerns(&self, id: &str) -> bool {
        self.held.contains_key(id) || self.handed.as_ref().is_some_and(|(handed, _)| handed == id)
    }

    /// Returns the state of a checkpoint; `written` is the one in its file.
    pub fn state<'a>(&'a self, id: &str, written: Option<&'a str>) -> Option<&'a str> {
        let ended = written.is_some_and(is_final);
        let said = match self.handed.as_ref().filter(|(handed, _)| handed == id && !ended) {
            Some((_, Some(end))) => Some(end.as_str()),
            // The target of the pointer is a handoff, whatever the type in its file.
            Some((_, None)) => written.or(Some(OPEN)),
            None => written,
        };
        match said {
            None | Some(OPEN) if self.held.contains_key(id) => Some(TAKEN),
            said => said,
        }
    }

    /// Sets the state of a row and the holder of its lock.
    pub fn mark(&self, row: &mut ThreadRow) {
        let RowDetail::Checkpoint(detail) = &mut row.detail else { return };
        if !row.usable || !self.concerns(&row.id) {
            return;
        }
        let state = self.state(&row.id, row.status.as_deref()).map(str::to_owned);
        let has_end = |(id, end): &(String, Option<String>)| *id == row.id && end.is_some();
        detail.is_over |= self.handed.as_ref().is_some_and(has_end);
        // The final state of a worker does not end the work: steps may be open.
        let has_ended = detail.is_over && state.as_deref().is_some_and(is_final);
        detail.taken = self.held.get(&row.id).filter(|_| !has_ended).cloned().map(Box::new);
        row.status = state.map(Into::into);
    }

    /// Returns the checkpoints whose holder has changed, with the new holder; a renewal is not a change.
    pub fn new_holders(&self, before: &Self) -> Vec<(String, Option<ResumeLockHolder>)> {
        let name = |holder: Option<&ResumeLockHolder>| {
            holder.map(|holder| (holder.by.clone(), holder.session_id.clone()))
        };
        let ids: BTreeSet<&String> = self.held.keys().chain(before.held.keys()).collect();
        let changed =
            ids.into_iter().filter(|id| name(self.held.get(*id)) != name(before.held.get(*id)));
        changed.map(|id| (id.clone(), self.held.get(id).cloned())).collect()
    }

    /// Returns the checkpoints whose lock or pointer has changed.
    pub fn changed_from(&self, before: &Self) -> BTreeSet<String> {
        let ids = self.held.keys().chain(before.held.keys());
        let handed = self.handed.iter().chain(&before.handed).map(|(id, _)| id);
        let handed = handed.filter(|_| self.handed != before.handed);
        let held = ids.filter(|id| self.held.get(*id) != before.held.get(*id));
        held.chain(handed).cloned().collect()
    }
}
