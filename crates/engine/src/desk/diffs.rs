//! Comparisons that were asked for, kept until something changes them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use skein_git::{Objects, Side};

use super::text::{self, Text};
use crate::discover::Workspace;
use crate::env::Env;
use crate::review::{ChangesError, ChangesQuery, compare};
use crate::view::{Diff, DiffFile};

/// So many comparisons are kept.
const KEPT: usize = 8;
/// A comparison that was not asked for in so long is made when it is asked for again.
const CURRENT: Duration = Duration::from_secs(60);
/// So many whole files are kept of a comparison that is not with the files as they are.
const TEXTS: usize = 500;

/// The comparisons that were asked for last.
#[derive(Default)]
pub(super) struct Diffs {
    slots: Mutex<Vec<Arc<Slot>>>,
}

struct Slot {
    query: ChangesQuery,
    asked: Mutex<Instant>,
    made: Mutex<Option<Made>>,
}

struct Made {
    diff: Arc<Diff>,
    new: Side,
    /// Whether something may have changed since.
    stale: bool,
    texts: BTreeMap<String, Option<Arc<Text>>>,
    objects: Option<Objects>,
}

/// What became of comparisons when something changed.
#[derive(Debug, Default)]
pub(super) struct Refreshed {
    /// Whether any comparison with the files as they are was made anew, so that `files` tells all.
    pub(super) has_worktree: bool,
    /// Whether any comparison is another one.
    pub(super) changed: bool,
    /// The files that differ in another way than before, from the root of the reviews.
    pub(super) files: BTreeSet<String>,
}

impl Diffs {
    /// Compares files as asked.
    pub(super) fn get(
        &self,
        workspace: &Workspace,
        env: &Env,
        query: &ChangesQuery,
    ) -> Result<Arc<Diff>, ChangesError> {
        let slot = self.slot(query);
        let mut made = slot.made();
        Ok(made_anew(&mut made, workspace, env, query)?.diff.clone())
    }

    /// Returns the new side of a file that differs; none where it is missing, binary or too large.
    pub(super) fn text(
        &self,
        workspace: &Workspace,
        env: &Env,
        query: &ChangesQuery,
        path: &str,
        of_file: &dyn Fn(&str) -> Option<Arc<Text>>,
    ) -> Option<Arc<Text>> {
        let slot = self.slot(query);
        let mut guard = slot.made();
        let made = made_anew(&mut guard, workspace, env, query).ok()?;
        let file = made.diff.files.iter().find(|file| file.path == path);
        file.filter(|file| !file.binary && file.status != "deleted")?;
        if made.new == Side::Worktree {
            drop(guard);
            return of_file(path);
        }
        if let Some(known) = made.texts.get(path) {
            return known.clone();
        }
        let found = text::of_side(workspace, &mut made.objects, &made.new, path).map(Arc::new);
        if made.texts.len() >= TEXTS {
            made.texts.clear();
        }
        made.texts.insert(path.to_owned(), found.clone());
        found
    }

    /// Returns the files that differ from something, from the root of the reviews.
    pub(super) fn paths(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        for slot in self.all() {
            let made = slot.made();
            let files = made.iter().flat_map(|made| &made.diff.files);
            paths.extend(files.map(|file| file.path.clone()));
        }
        paths
    }

    /// Makes those anew that files as they are take part in, or all of them; what nobody asks for any more is dropped.
    pub(super) fn refresh(&self, workspace: &Workspace, env: &Env, all: bool) -> Refreshed {
        let mut done = Refreshed::default();
        for slot in self.all() {
            let mut made = slot.made();
            let Some(old) = made.as_mut().filter(|made| all || made.new == Side::Worktree) else {
                continue;
            };
            old.stale = true;
            if slot.asked.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > CURRENT {
                *made = None;
                continue;
            }
            let before = old.diff.clone();
            match made_anew(&mut made, workspace, env, &slot.query) {
                Ok(made) => {
                    done.has_worktree |= made.new == Side::Worktree;
                    if !Arc::ptr_eq(&made.diff, &before) {
                        done.changed = true;
                        done.files.append(&mut differing(&before.files, &made.diff.files));
                    }
                }
                Err(_) => {
                    *made = None;
                    done.changed = true;
                }
            }
        }
        done
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    fn slot(&self, query: &ChangesQuery) -> Arc<Slot> {
        let mut slots = self.lock();
        let at = slots.iter().position(|slot| slot.query == *query);
        let slot = match at {
            Some(at) => slots.remove(at),
            None => Arc::new(Slot {
                query: query.clone(),
                asked: Mutex::new(Instant::now()),
                made: Mutex::new(None),
            }),
        };
        *slot.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        // The one that was asked for last comes first.
        slots.insert(0, slot.clone());
        slots.truncate(KEPT);
        slot
    }

    fn all(&self) -> Vec<Arc<Slot>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn made(&self) -> MutexGuard<'_, Option<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares files unless that was done since anything changed; what is the same stays the very same.
fn made_anew<'a>(
    made: &'a mut Option<Made>,
    workspace: &Workspace,
    env: &Env,
    query: &ChangesQuery,
) -> Result<&'a mut Made, ChangesError> {
    let old = match made.take() {
        Some(old) if !old.stale => return Ok(made.insert(old)),
        old => old,
    };
    let (diff, new) = compare(workspace, env, query)?;
    let old = old.filter(|old| *old.diff == diff && old.new == new && new != Side::Index);
    let fresh =
        || Made { diff: Arc::new(diff), new, stale: false, texts: BTreeMap::new(), objects: None };
    Ok(made.insert(old.map_or_else(fresh, |old| Made { stale: false, ..old })))
}

/// Returns the paths of files that are in only one of two lists, or not the same in both.
fn differing(old: &[DiffFile], new: &[DiffFile]) -> BTreeSet<String> {
    let by_path = |files: &'_ [DiffFile]| -> BTreeMap<String, usize> {
        files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect()
    };
    let (before, after) = (by_path(old), by_path(new));
    let get = |files: &'_ [DiffFile], at: Option<&usize>| at.and_then(|at| files.get(*at)).cloned();
    let mut paths = BTreeSet::new();
    for path in before.keys().chain(after.keys()) {
        if get(old, before.get(path)) != get(new, after.get(path)) {
            paths.insert(path.clone());
        }
    }
    paths
}
