//! Requested comparisons, kept until something changes them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use skein_git::{DiffSide, Objects};
use skein_model::view::{Diff, DiffFile, DiffStatus};
use skein_review::{ChangesError, ChangesQuery, DiffSides, compare, compare_again};
use skein_workspace::Workspace;

use super::locked;
use super::text::{self, FileText};

/// Maximum number of comparisons.
const MAX_DIFFS: usize = 8;
/// A comparison that was not requested for this long is dropped.
const DIFF_LIFETIME: Duration = Duration::from_secs(60);
/// If more files than this have changed, all are compared.
const MAX_COMPARED_ALONE: usize = 64;

/// The comparisons that were requested last.
#[derive(Default)]
pub(super) struct DiffCache(pub(super) Mutex<Vec<Arc<DiffSlot>>>);

pub(super) struct DiffSlot {
    query: ChangesQuery,
    requested: Mutex<Instant>,
    made: Mutex<Option<CachedDiff>>,
}

struct CachedDiff {
    diff: Arc<Diff>,
    sides: DiffSides,
    /// The comparison as it was last reported.
    reported: Arc<Diff>,
    /// The files that have changed since it was made; none if anything may have.
    changed: Option<BTreeSet<String>>,
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
        query: &ChangesQuery,
    ) -> Result<Arc<Diff>, ChangesError> {
        let slot = self.slot(query);
        let mut made = locked(&slot.made);
        Ok(Self::update(&mut made, workspace, query)?.diff.clone())
    }

    /// Returns the new side of a file that differs; none if it is missing, binary or too large.
    pub(super) fn text(
        &self,
        workspace: &Workspace,
        query: &ChangesQuery,
        path: &str,
        of_file: &dyn Fn(&str) -> Option<Arc<FileText>>,
    ) -> Option<Arc<FileText>> {
        let slot = self.slot(query);
        let mut guard = locked(&slot.made);
        let made = Self::update(&mut guard, workspace, query).ok()?;
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
            let made = locked(&slot.made);
            let files = made.iter().flat_map(|made| &made.diff.files);
            paths.extend(files.map(|file| file.path.clone()));
        }
        paths
    }

    /// Marks all comparisons as outdated, because the repository changed.
    pub(super) fn expire(&self) {
        for slot in self.all() {
            locked(&slot.made).iter_mut().for_each(|made| made.changed = None);
        }
    }

    /// Marks comparisons with these files as outdated; none means any file.
    pub(super) fn expire_files(&self, changed: Option<&BTreeSet<String>>) {
        for slot in self.all() {
            let mut made = locked(&slot.made);
            for made in made.iter_mut().filter(|made| made.sides.new == DiffSide::Worktree) {
                match (&mut made.changed, changed) {
                    (Some(known), Some(changed)) => known.extend(changed.iter().cloned()),
                    (known, _) => *known = None,
                }
            }
        }
    }

    /// Makes outdated comparisons again, and returns what changed since the last call.
    ///
    /// Comparisons that are not requested any more are dropped.
    pub(super) fn refresh(&self, workspace: &Workspace) -> RefreshOutcome {
        let mut done = RefreshOutcome::default();
        for slot in self.all() {
            let mut made = locked(&slot.made);
            let reported = made.as_ref().map(|made| made.reported.clone());
            let binaries = made.as_ref().map(changed_binaries).unwrap_or_default();
            if locked(&slot.requested).elapsed() > DIFF_LIFETIME {
                // A page that shows it requests it again after the event.
                done.changed |= made.take().is_some();
                continue;
            }
            let Some(reported) = reported else {
                // A comparison that failed may succeed now.
                done.changed |= Self::update(&mut made, workspace, &slot.query).is_ok();
                continue;
            };
            let Ok(made) = Self::update(&mut made, workspace, &slot.query) else {
                done.changed = true;
                continue;
            };
            done.has_worktree |= made.sides.new == DiffSide::Worktree;
            made.reported = made.diff.clone();
            if !Arc::ptr_eq(&made.diff, &reported) && *made.diff != *reported {
                done.changed = true;
                done.files.append(&mut differing(&reported.files, &made.diff.files));
            }
            done.changed |= !binaries.is_empty();
            done.files.extend(binaries);
        }
        done
    }

    fn slot(&self, query: &ChangesQuery) -> Arc<DiffSlot> {
        let mut slots = locked(&self.0);
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
        // The most recently requested one comes first.
        slots.insert(0, slot.clone());
        slots.truncate(MAX_DIFFS);
        slot
    }

    /// Returns the current comparison; one with the same result keeps its `Arc`.
    fn update<'a>(
        made: &'a mut Option<CachedDiff>,
        workspace: &Workspace,
        query: &ChangesQuery,
    ) -> Result<&'a mut CachedDiff, ChangesError> {
        let is_current = |old: &CachedDiff| old.changed.as_ref().is_some_and(BTreeSet::is_empty);
        let old = match made.take() {
            Some(old) if is_current(&old) => return Ok(made.insert(old)),
            old => old,
        };
        let spliced = old.as_ref().and_then(|old| {
            let diff = splice(workspace, query, &old.sides, &old.diff, old.changed.as_ref()?)?;
            Some((diff, old.sides.clone()))
        });
        let (diff, sides) = match spliced {
            Some(spliced) => spliced,
            None => compare(workspace, query)?,
        };
        let same = |old: &CachedDiff| {
            *old.diff == diff && old.sides == sides && sides.new != DiffSide::Index
        };
        // A change while the files are compared is noted after this, because the comparison is locked.
        let changed = Some(BTreeSet::new());
        let fresh = match old {
            Some(old) if same(&old) => CachedDiff { changed, ..old },
            old => {
                let diff = Arc::new(diff);
                let reported = old.map_or_else(|| diff.clone(), |old| old.reported);
                CachedDiff { diff, sides, reported, changed, objects: None }
            }
        };
        Ok(made.insert(fresh))
    }

    fn all(&self) -> Vec<Arc<DiffSlot>> {
        locked(&self.0).clone()
    }
}

/// Returns the changed binary files of a comparison, which does not have their content.
fn changed_binaries(made: &CachedDiff) -> Vec<String> {
    let changed = made.changed.iter().flatten();
    let is_binary =
        |path: &&String| made.diff.files.iter().any(|file| file.binary && file.path == **path);
    changed.filter(is_binary).cloned().collect()
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

/// Compares only the files that changed; none if the result could differ from comparing all.
///
/// Git finds renames among all files that were added or deleted, so only files that are merely modified are compared alone.
fn splice(
    workspace: &Workspace,
    query: &ChangesQuery,
    sides: &DiffSides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Diff> {
    let is_rule =
        |path: &String| path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
    let is_small =
        (1..=MAX_COMPARED_ALONE).contains(&changed.len()) && !changed.iter().any(is_rule);
    if !is_small || !query.paths.is_empty() || !old.is_worktree || !sides.hold(true) {
        return None;
    }
    let is_changed = |file: &DiffFile| {
        let mut paths = [Some(&file.path), file.old_path.as_ref()].into_iter().flatten();
        paths.any(|path| changed.contains(path))
    };
    // A path may be a folder by now, whose files are others.
    let is_modified =
        |file: &DiffFile| file.status == DiffStatus::Modified && changed.contains(&file.path);
    let mut touched = old.files.iter().filter(|file| is_changed(file));
    touched.all(is_modified).then_some(())?;
    let found = compare_again(workspace, sides, changed)?;
    found.iter().all(is_modified).then_some(())?;
    let rest = old.files.iter().filter(|file| !is_changed(file)).cloned();
    let mut files: Vec<DiffFile> = rest.chain(found).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let title = old.title.clone();
    sides.hold(!files.is_empty()).then(|| Diff {
        files,
        threads: Vec::new(),
        submodules: Vec::new(),
        title,
        ..*old
    })
}
