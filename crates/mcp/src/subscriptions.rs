//! Tells subscribers which resources have changed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use skein_live::events::{self, WatchOptions, WatchReport};
use skein_model::{Filter, Kind};
use skein_workspace::Env;
use tokio::sync::broadcast;

use crate::ending::Ending;
use crate::resources::ResourceName;

/// Number of changes that a slow client can be behind. After more, it is told that everything has changed.
const MAX_BEHIND: usize = 64;

/// A change of a thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadChange {
    kind: Kind,
    id: String,
}

/// The changes of threads, watched from the first subscription on.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    changes: OnceLock<broadcast::Sender<ThreadChange>>,
    /// The addresses that a client of the older protocol has subscribed to.
    addresses: Mutex<BTreeSet<String>>,
    /// Whether that client gets the changes.
    is_forwarded: AtomicBool,
}

impl Subscriptions {
    /// Returns the changes from now on.
    pub(crate) fn changes(
        &self,
        env: &Env,
        ending: &Arc<Ending>,
    ) -> broadcast::Receiver<ThreadChange> {
        let sender = self.changes.get_or_init(|| {
            let sender = broadcast::Sender::new(MAX_BEHIND);
            let (env, ending, changes) = (env.clone(), Arc::clone(ending), sender.clone());
            std::thread::spawn(move || watch(&env, &ending, &changes));
            sender
        });
        sender.subscribe()
    }

    /// Adds an address; returns whether it is the first of all.
    pub(crate) fn add(&self, address: String) -> bool {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner).insert(address);
        !self.is_forwarded.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn remove(&self, address: &str) {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner).remove(address);
    }

    /// Returns the addresses of a client of the older protocol that a change concerns.
    pub(crate) fn concerned(&self, change: Option<&ThreadChange>) -> Vec<String> {
        let addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        addresses.iter().filter(|address| concerns(change, address)).cloned().collect()
    }
}

/// Returns whether a resource can be different after a change. Without one, changes were missed.
pub(crate) fn concerns(change: Option<&ThreadChange>, address: &str) -> bool {
    let Some(change) = change else { return true };
    match ResourceName::parse(address) {
        Some(ResourceName::Waiting) => change.kind == Kind::Review,
        Some(ResourceName::Brief) => change.kind != Kind::Session,
        Some(ResourceName::Thread(id)) => change.id.starts_with(&id),
        None => false,
    }
}

/// Waits for the next change; the inner value is none if some were missed.
pub(crate) async fn next(
    changes: &mut broadcast::Receiver<ThreadChange>,
) -> Option<Option<ThreadChange>> {
    match changes.recv().await {
        Ok(change) => Some(Some(change)),
        Err(broadcast::error::RecvError::Lagged(_)) => Some(None),
        Err(broadcast::error::RecvError::Closed) => None,
    }
}

/// Reports changes until the input of the server ends.
fn watch(env: &Env, ending: &Ending, changes: &broadcast::Sender<ThreadChange>) {
    let reported = events::watch(env, &Filter::default(), WatchOptions::default(), &mut |report| {
        if let WatchReport::Events(_, events) = report {
            for event in events {
                // There may be no subscriber at the moment.
                drop(changes.send(ThreadChange { kind: event.kind, id: event.id.clone() }));
            }
        }
        if ending.has_ended() { Err(()) } else { Ok(()) }
    });
    debug_assert!(reported.is_ok() || ending.has_ended(), "nothing else ends it");
}
