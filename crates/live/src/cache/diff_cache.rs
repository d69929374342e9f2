//! Requested comparisons, kept until something changes them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use skein_git::{DiffSide, Objects};
use skein_model::view::{Diff, DiffFile, DiffStatus};
use skein_review::{ChangesError, ChangesQuery, DiffSides, compare};
use skein_workspace::{Env, Workspace};

use super::change_history::ChangeHistory;
use super::incremental_diff::splice;
use super::locked;
use super::text::{self, FileText};

/// Maximum number of comparisons.
const CAPACITY: usize = 8;
/// A comparison that was not requested for this long is dropped.
const CURRENT: Duration = Duration::from_secs(60);

/// The comparisons that were requested last.
#[derive(Default)]
pub(super) struct DiffCache {
    slots: Mutex<Vec<Arc<DiffSlot>>>,
    /// Which files have changed.
    files: Mutex<ChangeHistory>,
    /// How often the repository has changed.
    repository: AtomicU64,
}

struct DiffSlot {
    query: ChangesQuery,
    requested: Mutex<Instant>,
    made: Mutex<Option<CachedDiff>>,
}

struct CachedDiff {
    diff: Arc<Diff>,
    sides: DiffSides,
    /// The comparison as it was last reported.
    reported: Arc<Diff>,
    /// How often files and the repository had changed when it was made.
    age: (u64, u64),
    objects: Option<Objects>,
}

/// The result of refreshing comparisons.
#[derive(Debug, Default)]
pub(super) struct RefreshOutcome {
    /// Whether a comparison with the worktree was made again, so that `files` is complete.
    pub(super) has_worktree: bool,
    /// Whether any comparison is another one.
    pub(super) changed: bool,
    /// The files that differ in another way than before, from the root of the reviews.
    pub(super) files: BTreeSet<String>,
}

impl DiffCache {
    /// Returns a comparison, which is made if it is outdated.
    pub(super) fn get(
        &self,
        workspace: &Workspace,
        env: &Env,
        query: &ChangesQuery,
    ) -> Result<Arc<Diff>, ChangesError> {
        let slot = self.slot(query);
        let mut made = slot.made();
        Ok(self.made_anew(&mut made, workspace, env, query)?.diff.clone())
    }

    /// Returns the new side of a file that differs; none if it is missing, binary or too large.
    pub(super) fn text(
        &self,
        workspace: &Workspace,
        env: &Env,
        query: &ChangesQuery,
        path: &str,
        of_file: &dyn Fn(&str) -> Option<Arc<FileText>>,
    ) -> Option<Arc<FileText>> {
        let slot = self.slot(query);
        let mut guard = slot.made();
        let made = self.made_anew(&mut guard, workspace, env, query).ok()?;
        let file = made.diff.files.iter().find(|file| file.path == path);
        file.filter(|file| !file.binary && file.status != DiffStatus::Deleted)?;
        if made.sides.new == DiffSide::Worktree {
            drop(guard);
            return of_file(path);
        }
        text::of_side(workspace, &mut made.objects, &made.sides.new, path).map(Arc::new)
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

    /// Marks all comparisons as outdated, because the repository changed.
    pub(super) fn expire(&self) {
        self.repository.fetch_add(1, Ordering::SeqCst);
    }

    /// Marks comparisons with these files as outdated; none means any file.
    pub(super) fn expire_files(&self, changed: Option<BTreeSet<String>>) {
        locked(&self.files).add(changed);
    }

    /// Makes outdated comparisons again, and returns what changed since the last call.
    ///
    /// Comparisons that are not requested any more are dropped.
    pub(super) fn refresh(&self, workspace: &Workspace, env: &Env) -> RefreshOutcome {
        let mut done = RefreshOutcome::default();
        for slot in self.all() {
            let mut made = slot.made();
            let reported = made.as_ref().map(|made| made.reported.clone());
            if locked(&slot.requested).elapsed() > CURRENT {
                // A page that shows it requests it again after the event.
                done.changed |= made.take().is_some();
                continue;
            }
            let Some(reported) = reported else {
                // A comparison that failed may succeed now.
                done.changed |= self.made_anew(&mut made, workspace, env, &slot.query).is_ok();
                continue;
            };
            let Ok(made) = self.made_anew(&mut made, workspace, env, &slot.query) else {
                done.changed = true;
                continue;
            };
            done.has_worktree |= made.sides.new == DiffSide::Worktree;
            made.reported = made.diff.clone();
            if !Arc::ptr_eq(&made.diff, &reported) && *made.diff != *reported {
                done.changed = true;
                done.files.append(&mut differing(&reported.files, &made.diff.files));
            }
        }
        done
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    fn slot(&self, query: &ChangesQuery) -> Arc<DiffSlot> {
        let mut slots = self.lock();
        let at = slots.iter().position(|slot| slot.query == *query);
        let slot = match at {
            Some(at) => slots.remove(at),
            None => Arc::new(DiffSlot {
                query: query.clone(),
                requested: Mutex::new(Instant::now()),
                made: Mutex::new(None),
            }),
        };
        *locked(&slot.requested) = Instant::now();
        // The one that was requested for last comes first.
        slots.insert(0, slot.clone());
        slots.truncate(CAPACITY);
        slot
    }

    /// Returns the current comparison; one with the same result keeps its `Arc`.
    fn made_anew<'a>(
        &self,
        made: &'a mut Option<CachedDiff>,
        workspace: &Workspace,
        env: &Env,
        query: &ChangesQuery,
    ) -> Result<&'a mut CachedDiff, ChangesError> {
        // Later changes make this comparison outdated.
        let age = (locked(&self.files).count(), self.repository.load(Ordering::SeqCst));
        let old = match made.take() {
            Some(old) if old.is_current(age) => return Ok(made.insert(old)),
            old => old,
        };
        let spliced = old.as_ref().filter(|old| old.age.1 == age.1).and_then(|old| {
            let changed = locked(&self.files).since(old.age.0)?;
            let diff = splice(workspace, query, &old.sides, &old.diff, &changed)?;
            Some((diff, old.sides.clone()))
        });
        let (diff, sides) = match spliced {
            Some(spliced) => spliced,
            None => compare(workspace, env, query)?,
        };
        let same = |old: &CachedDiff| {
            *old.diff == diff && old.sides == sides && sides.new != DiffSide::Index
        };
        let fresh = match old {
            Some(old) if same(&old) => CachedDiff { age, ..old },
            old => {
                let diff = Arc::new(diff);
                let reported = old.map_or_else(|| diff.clone(), |old| old.reported);
                CachedDiff { diff, sides, reported, age, objects: None }
            }
        };
        Ok(made.insert(fresh))
    }

    fn all(&self) -> Vec<Arc<DiffSlot>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<DiffSlot>>> {
        locked(&self.slots)
    }
}

impl CachedDiff {
    fn is_current(&self, (files, repository): (u64, u64)) -> bool {
        let worktree = self.sides.new == DiffSide::Worktree;
        self.age.1 == repository && (!worktree || self.age.0 == files)
    }
}

impl DiffSlot {
    fn made(&self) -> MutexGuard<'_, Option<CachedDiff>> {
        locked(&self.made)
    }
}

/// Returns the paths of files that are in only one of two lists, or differ.
fn differing(old: &[DiffFile], new: &[DiffFile]) -> BTreeSet<String> {
    fn by_path(files: &[DiffFile]) -> BTreeMap<&str, &DiffFile> {
        files.iter().map(|file| (file.path.as_str(), file)).collect()
    }
    let (old, new) = (by_path(old), by_path(new));
    let paths = old.keys().chain(new.keys()).filter(|path| old.get(*path) != new.get(*path));
    paths.map(|path| (*path).to_owned()).collect()
}
