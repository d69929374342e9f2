//! The review threads that agents have claimed, as last seen.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_catalog::leases::{Claims, Lease, was_answered};
use skein_model::{Kind, Turn};

use super::event::ThreadEvent;
use super::store_snapshot::{EventContext, StoreSnapshot};
use super::thread_state::ThreadState;

/// The leases that are in effect, by the files of the threads.
#[derive(Default)]
pub(super) struct ClaimSnapshot(BTreeMap<PathBuf, Lease>);

impl ClaimSnapshot {
    pub(super) fn read(stores: &[StoreSnapshot], context: &EventContext<'_>) -> Self {
        let claims = Claims::read(context.workspace);
        let lease =
            |state: &ThreadState| Some((state.row.file.clone(), claims.lease(&state.row)?.clone()));
        Self(threads(stores).filter_map(lease).collect())
    }

    /// Returns the events of claims that were made, and of those that ended without an answer.
    pub(super) fn events_since(
        &self,
        old: &Self,
        stores: &[StoreSnapshot],
        context: &EventContext<'_>,
    ) -> Vec<ThreadEvent> {
        if self.0.is_empty() && old.0.is_empty() {
            return Vec::new();
        }
        let event = |state: &ThreadState| {
            let row = &state.row;
            let waits = row.review().is_some_and(|detail| detail.waiting_on == Some(Turn::Agent));
            if !waits || !state.passes {
                return None;
            }
            let (name, by) = match (old.0.get(&row.file), self.0.get(&row.file)) {
                (Some(old), Some(new)) if old.token == new.token => return None,
                (_, Some(new)) => ("claimed", Some(new.by.clone())),
                (Some(old), None) if !was_answered(context.workspace, old.comments, &row.file) => {
                    ("released", None)
                }
                (_, None) => return None,
            };
            Some(ThreadEvent { by, ..ThreadEvent::new(name, row, context.now) })
        };
        threads(stores).filter_map(event).collect()
    }
}

fn threads(stores: &[StoreSnapshot]) -> impl Iterator<Item = &ThreadState> {
    let reviews = stores.iter().filter(|store| store.kind() == Kind::Review && !store.is_draft);
    reviews.flat_map(|store| store.files.values())
}
