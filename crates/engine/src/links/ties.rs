//! The checkpoints of a workspace in memory, read again where their files changed.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use skein_format::checkpoint::Form;
use skein_store::{Trace, walk};

use super::tie::Tie;
use crate::discover::{Checkpoints, Workspace};
use crate::filter::Filter;
use crate::read::Rows;
use crate::read::checkpoint::{rows_with, scanning};
use crate::sentry::Sentry;

const FORMS: [Form; 2] = [Form::Thread, Form::Legacy];

/// Keeps what connects checkpoints with other things.
///
/// The first who asks waits until all files were read; after that only those are that changed.
#[derive(Default)]
pub struct Ties {
    kept: Mutex<Option<Kept>>,
    sentry: Sentry,
}

struct Kept {
    workspace: Arc<Workspace>,
    looked: Instant,
    piles: [Pile; 2],
    all: Arc<Vec<Arc<Tie>>>,
}

/// The checkpoints of one directory by the names of their files.
#[derive(Default)]
struct Pile(HashMap<String, (Option<Trace>, Arc<Tie>)>);

impl Ties {
    /// Returns the checkpoints, the last changed first; the same list as before where nothing changed.
    pub fn get(&self, workspace: &Arc<Workspace>) -> Arc<Vec<Arc<Tie>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.sentry.has_changed();
        let same = kept.take().filter(|kept| Arc::ptr_eq(&kept.workspace, workspace));
        let next = match same {
            Some(kept) if !changed && kept.looked.elapsed() < self.sentry.patience() => kept,
            Some(kept) => kept.look(),
            None => {
                let folders = FORMS.map(|form| scanning(&workspace.checkpoints, form).0);
                self.sentry.watch(folders.to_vec());
                Kept::load(workspace)
            }
        };
        kept.insert(next).all.clone()
    }

    /// Takes note of a change before it is noticed.
    pub fn wrote(&self) {
        self.sentry.tell();
    }
}

impl Kept {
    /// Reads everything, on all processors.
    fn load(workspace: &Arc<Workspace>) -> Self {
        let checkpoints = &workspace.checkpoints;
        let mut piles = [Pile::default(), Pile::default()];
        // What is written after this look is seen by the next one.
        let before = FORMS.map(|form| traces(checkpoints, form));
        let make = |row: &_, bytes: &[u8], form| (form, Tie::of(Clone::clone(row), bytes, form));
        let mut odd = Rows::default();
        let found = match checkpoints.exists {
            true => rows_with(checkpoints, &Filter::default(), &make, &mut odd),
            false => Vec::new(),
        };
        for (_, (form, tie)) in found {
            let name = format!("{}.json", tie.row.id);
            let number = usize::from(form == Form::Legacy);
            let trace = before.get(number).and_then(|all| all.get(&name).copied()).flatten();
            if let Some(pile) = piles.get_mut(number) {
                pile.0.insert(name, (trace.filter(Trace::is_settled), Arc::new(tie)));
            }
        }
        let all = Arc::new(sorted(&piles));
        Self { workspace: workspace.clone(), looked: Instant::now(), piles, all }
    }

    /// Reads what may have changed.
    fn look(mut self) -> Self {
        let mut differs = false;
        for (pile, form) in self.piles.iter_mut().zip(FORMS) {
            differs |= pile.look(&self.workspace.checkpoints, form);
        }
        if differs {
            self.all = Arc::new(sorted(&self.piles));
        }
        self.looked = Instant::now();
        self
    }
}

impl Pile {
    /// Reads the files that may have changed; returns whether any says something else.
    fn look(&mut self, checkpoints: &Checkpoints, form: Form) -> bool {
        let dir: PathBuf = scanning(checkpoints, form).0;
        let now = traces(checkpoints, form);
        let before = self.0.len();
        self.0.retain(|name, _| now.contains_key(name));
        let mut differs = self.0.len() != before;
        for (name, trace) in now {
            let known = self.0.get(&name);
            if known.is_some_and(|(known, _)| known.is_some() && *known == trace) {
                continue;
            }
            let path = dir.join(&name);
            // One that is gone by now, or not for us to read, connects nothing.
            let Ok(snapshot) = skein_store::read(&path) else { continue };
            let stem = name.strip_suffix(".json").unwrap_or(&name);
            let tie = Tie::read(&snapshot.bytes, stem, path.display().to_string(), form);
            differs |= known.is_none_or(|(_, known)| **known != tie);
            self.0.insert(name, (trace.filter(Trace::is_settled), Arc::new(tie)));
        }
        differs
    }
}

fn traces(checkpoints: &Checkpoints, form: Form) -> BTreeMap<String, Option<Trace>> {
    let (dir, options) = scanning(checkpoints, form);
    let walk = walk(&dir, &options).unwrap_or_default();
    walk.iter().map(|(name, trace)| (name.to_owned(), trace)).collect()
}

/// Puts checkpoints in order; a thread hides a legacy checkpoint of the same id.
fn sorted([threads, legacy]: &[Pile; 2]) -> Vec<Arc<Tie>> {
    let shown = legacy.0.iter().filter(|(name, _)| !threads.0.contains_key(*name));
    let mut all: Vec<Arc<Tie>> =
        threads.0.iter().chain(shown).map(|(_, (_, tie))| tie.clone()).collect();
    all.sort_by_cached_key(|tie| {
        let at = tie.row.updated_at.or(tie.row.created_at).map_or(i64::MIN, |at| at.as_millis());
        (std::cmp::Reverse(at), tie.row.id.clone())
    });
    all
}
