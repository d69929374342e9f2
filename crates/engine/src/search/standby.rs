//! Searchers that are kept at hand, so that a query costs no look at every file.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::hit::Hits;
use super::query::Query;
use super::searcher::{Page, Searcher};
use crate::discover::{Workspace, discover_in};
use crate::env::Env;
use crate::sentry::Sentry;
use crate::workspaces;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In one workspace.
    Here,
    /// In all that are known on this machine.
    Everywhere,
}

/// Answers queries one after the other, from what it knows of the files.
///
/// A file that changed is noticed by a watch; where there is none, by looking twice a second.
#[derive(Default)]
pub struct Standby {
    here: Mutex<Option<Kept>>,
    everywhere: Mutex<Option<Kept>>,
    sentry: Sentry,
}

/// A searcher, and what it was made from.
struct Kept {
    searcher: Arc<Searcher>,
    workspace: Arc<Workspace>,
    made: Instant,
}

impl Standby {
    /// Answers a query about the threads as they are.
    pub fn query(
        &self,
        query: &Query,
        page: Page,
        (workspace, reach): (&Arc<Workspace>, Reach),
        env: &Env,
    ) -> Hits {
        self.searcher(workspace, reach, env).query(query, page, env, &())
    }

    /// Takes note of a change before it is noticed.
    pub fn wrote(&self) {
        self.sentry.tell();
    }

    fn searcher(&self, workspace: &Arc<Workspace>, reach: Reach, env: &Env) -> Arc<Searcher> {
        let place = match reach {
            Reach::Here => &self.here,
            Reach::Everywhere => &self.everywhere,
        };
        // Whoever comes while it is made waits for it, since all want the same.
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        let (changed, patience) = match reach {
            // What changes from here on is news again.
            Reach::Here => (self.sentry.has_changed(), self.sentry.patience()),
            Reach::Everywhere => (false, Sentry::impatience()),
        };
        if let Some(kept) = kept.as_ref().filter(|kept| {
            !changed && kept.made.elapsed() < patience && Arc::ptr_eq(&kept.workspace, workspace)
        }) {
            return kept.searcher.clone();
        }
        let searcher = self.make(workspace, reach, env);
        let (workspace, made) = (workspace.clone(), Instant::now());
        *kept = Some(Kept { searcher: searcher.clone(), workspace, made });
        searcher
    }

    fn make(&self, workspace: &Workspace, reach: Reach, env: &Env) -> Arc<Searcher> {
        let mut places = vec![workspace.clone()];
        if reach == Reach::Everywhere {
            let roots = workspaces::roots(env);
            places.extend(roots.iter().map(|root| discover_in(env, root)));
        }
        let mut searcher = Searcher::new(places, env, false);
        if reach == Reach::Here {
            self.sentry.watch(searcher.folders().map(|folder| folder.dir.clone()).collect());
        }
        searcher.refresh();
        Arc::new(searcher)
    }
}
