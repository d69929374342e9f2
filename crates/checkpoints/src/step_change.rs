//! Closes and reopens steps.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::find::find_checkpoint;
use skein_catalog::rows::checkpoint::{read_heads, row};
use skein_catalog::thread_names::{checkpoint_names, slug_of};
use skein_catalog::{FindError, ShortIds, checkpoint_lookup};
use skein_format::checkpoint::{
    CheckpointDoc, CheckpointEditError, CheckpointFileKind, CheckpointType, Closing, Step,
    StepStatus, is_final,
};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;
use skein_workspace::Workspace;

use super::error::CheckpointError;
use super::select::WorkViewer;
use super::steps::{StepRow, UsedNumbers, step_row};
use super::{acquire_lock, index_files, open, store_lock};

/// The change requested for steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepChange {
    /// They are done.
    Done,
    /// They are given up.
    Drop,
    /// They are open again.
    Reopen,
}

/// A request to change steps.
#[derive(Clone, Debug)]
pub struct StepRequest {
    pub change: StepChange,
    /// The name of the person or agent that changes them.
    pub by: String,
    /// A note about them.
    pub note: Option<String>,
}

/// A step as it was shown.
#[derive(Clone, Debug)]
pub struct ExpectedStep {
    /// Its id.
    pub id: String,
    /// Its text.
    pub step: String,
    /// Its status; without one, the step must not have been closed in another way.
    pub status: Option<String>,
}

skein_model::word_enum! {
    /// The change that was made to a step.
    StepResult {
        Done = "done",
        Dropped = "dropped",
        Reopened = "reopened",
        Unchanged = "unchanged",
    }
}

/// A step that was changed.
#[derive(Clone, Debug, Serialize)]
pub struct StepWritten {
    pub action: StepResult,
    /// The step afterwards.
    #[serde(flatten)]
    pub step: StepRow,
    /// Problems with updating the tables of checkpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A step that was found by its handle.
struct Target {
    path: PathBuf,
    /// The id, which identifies the step even if the file changes in between.
    id: String,
    number: usize,
    /// The step as the caller knows it, if that is to be checked.
    shown: Option<ExpectedStep>,
}

/// Closes or reopens the steps with these handles. All must exist before one is changed, and those of one checkpoint are written at once.
///
/// A handle is the id of a step, or a checkpoint, `#` and the number of the step.
pub fn change_steps(
    workspace: &Workspace,
    handles: &[String],
    wanted: &StepRequest,
) -> Result<Vec<StepWritten>, CheckpointError> {
    let mut finder = StepFinder::new(workspace);
    let (mut targets, mut seen) = (Vec::new(), HashSet::new());
    for handle in handles {
        let target = finder.target(handle)?;
        if seen.insert((target.path.clone(), target.id.clone())) {
            targets.push(target);
        }
    }
    change(workspace, &targets, wanted)
}

/// Closes or reopens the step with this handle, if its text is still `was` and it was not closed in another way.
///
/// A step that already has the requested status is unchanged.
pub fn change_step_with_text(
    workspace: &Workspace,
    handle: &str,
    was: &str,
    wanted: &StepRequest,
) -> Result<Vec<StepWritten>, CheckpointError> {
    let target = StepFinder::new(workspace).target(handle)?;
    let shown = ExpectedStep { id: handle.to_owned(), step: was.to_owned(), status: None };
    change(workspace, &[Target { shown: Some(shown), ..target }], wanted)
}

/// Closes or reopens a step of the checkpoint with exactly this id, if it is still as it was shown.
///
/// A step that already has the requested status is unchanged.
pub fn change_shown_step(
    workspace: &Workspace,
    checkpoint: &str,
    shown: &ExpectedStep,
    wanted: &StepRequest,
) -> Result<StepWritten, CheckpointError> {
    let none = || CheckpointError::NoStep { handle: shown.id.clone() };
    let (form, path) =
        checkpoint_lookup::exact(&workspace.checkpoints, checkpoint).ok_or_else(none)?;
    if form == CheckpointFileKind::Legacy {
        return Err(CheckpointEditError::Legacy.into());
    }
    let steps = open::load(&workspace.checkpoints, &path)?.0.steps();
    let with_id = || steps.iter().filter(|step| redacted(step.id.clone()) == shown.id);
    let same = with_id().find(|step| redacted(step.step.clone()) == shown.step);
    let step = same.or_else(|| with_id().next()).ok_or_else(none)?;
    let (id, number) = (step.id.clone(), step.number);
    let target = Target { path, id, number, shown: Some(shown.clone()) };
    change(workspace, &[target], wanted)?.pop().ok_or_else(none)
}

fn change(
    workspace: &Workspace,
    targets: &[Target],
    wanted: &StepRequest,
) -> Result<Vec<StepWritten>, CheckpointError> {
    let env = &workspace.env;
    let guard = store_lock::existing(workspace)?;
    let mut files: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (position, target) in targets.iter().enumerate() {
        files.entry(&target.path).or_default().push(position);
    }
    for path in files.keys() {
        open::load(&workspace.checkpoints, path)?.0.may_be_edited()?;
        if wanted.change != StepChange::Reopen {
            WorkViewer::new(workspace, None).check_may_end(&stem(path))?;
        }
    }
    let names = ShortIds::new(&checkpoint_names(&workspace.checkpoints));
    let (mut done, mut ended) = (BTreeMap::new(), Vec::new());
    for (path, positions) in files {
        let of_file: Vec<&Target> =
            positions.iter().filter_map(|position| targets.get(*position)).collect();
        let changed = RefCell::new(Vec::new());
        let doc = open::update(workspace, &guard, path, &|doc| {
            changed.replace(change_doc(doc, &of_file, wanted, env.clock.now())?);
            Ok(())
        })?;
        let changed = changed.into_inner();
        ended.extend(
            doc.head().status.as_deref().filter(|status| is_final(status)).map(|_| stem(path)),
        );
        let written = written(&doc, path, &changed, &wanted.change, &names)?;
        done.extend(positions.into_iter().zip(written));
    }
    drop(guard);
    for id in ended {
        acquire_lock::end(workspace, &id)?;
    }
    let mut done: Vec<StepWritten> = done.into_values().collect();
    let stale = index_files::refresh_existing(workspace);
    if let Some(last) = done.last_mut() {
        last.diagnostics.extend(stale);
    }
    Ok(done)
}

/// Changes steps of a checkpoint; returns the index of each, and whether it changed.
fn change_doc(
    doc: &mut CheckpointDoc,
    targets: &[&Target],
    wanted: &StepRequest,
    now: Time,
) -> Result<Vec<(usize, bool)>, CheckpointError> {
    let next = match wanted.change {
        StepChange::Done => StepStatus::Done,
        StepChange::Drop => StepStatus::Dropped,
        StepChange::Reopen => StepStatus::Open,
    };
    let steps = doc.steps();
    let places = StepPlaces::new(&steps);
    let mut changed = Vec::new();
    for target in targets {
        let index = places.find(&target.id, target.number);
        let index = index.ok_or(CheckpointEditError::NoStep { index: target.number })?;
        let step = steps.get(index).ok_or(CheckpointEditError::NoStep { index })?;
        target.check(step, &next)?;
        changed.push((index, step.status != next || wanted.note.is_some()));
    }
    let due: Vec<usize> =
        changed.iter().filter(|(_, changes)| *changes).map(|(index, _)| *index).collect();
    if due.is_empty() {
        return Ok(changed);
    }
    if next == StepStatus::Open {
        doc.reopen_steps(&due, now)?;
        // A checkpoint with an open step is not over.
        if doc.head().status.is_some() && doc.head().is_over() {
            doc.set_text(&["status"], "open", now)?;
        }
        return Ok(changed);
    }
    let note = wanted.note.clone().map(redacted);
    let closing = Closing { status: next, by: redacted(wanted.by.clone()), note };
    doc.close_steps(&due, &closing, now)?;
    let head = doc.head();
    let is_open = head.status.as_deref().is_none_or(|status| status == "open");
    if head.kind == CheckpointType::Handoff && head.open_steps == 0 && is_open {
        doc.set_text(&["status"], "done", now)?;
    }
    Ok(changed)
}

/// Describes the changed steps of a checkpoint.
fn written(
    doc: &CheckpointDoc,
    path: &Path,
    changed: &[(usize, bool)],
    change: &StepChange,
    names: &ShortIds,
) -> Result<Vec<StepWritten>, CheckpointError> {
    let row = row(doc.to_bytes(), path, CheckpointFileKind::Thread);
    let steps = doc.steps();
    let used = UsedNumbers::new(&steps, &row.id);
    let handle = names.short_id(&row);
    let one = |&(index, changed): &(usize, bool)| {
        let step = steps.get(index).ok_or(CheckpointEditError::NoStep { index })?;
        let action = match change {
            _ if !changed => StepResult::Unchanged,
            StepChange::Done => StepResult::Done,
            StepChange::Drop => StepResult::Dropped,
            StepChange::Reopen => StepResult::Reopened,
        };
        let step = step_row(step, &used, &row, &handle);
        Ok(StepWritten { action, step, diagnostics: Vec::new() })
    };
    changed.iter().map(one).collect()
}

/// The indexes of the steps of a checkpoint.
struct StepPlaces {
    by_id: HashMap<String, usize>,
    by_number: HashMap<usize, usize>,
}

impl StepPlaces {
    /// If several steps have the same id or number, the first counts.
    fn new(steps: &[Step]) -> Self {
        let (mut by_id, mut by_number) = (HashMap::new(), HashMap::new());
        for (index, step) in steps.iter().enumerate() {
            by_id.entry(step.id.clone()).or_insert(index);
            by_number.entry(step.number).or_insert(index);
        }
        Self { by_id, by_number }
    }

    /// Returns the index of a step by its id, else by its number.
    fn find(&self, id: &str, number: usize) -> Option<usize> {
        self.by_id.get(id).or_else(|| self.by_number.get(&number)).copied()
    }
}

impl Target {
    /// Checks that the step is as it was shown, or already has the requested status.
    fn check(&self, step: &Step, next: &StepStatus) -> Result<(), CheckpointError> {
        let Some(shown) = &self.shown else { return Ok(()) };
        let text = redacted(step.step.clone());
        let has_status = match &shown.status {
            Some(status) => redacted(step.status.as_str().to_owned()) == *status,
            None => step.status.is_open() || *next == StepStatus::Open,
        };
        if text == shown.step && (has_status || step.status == *next) {
            return Ok(());
        }
        let now = format!("{} ({})", text, step.status.as_str());
        Err(CheckpointError::StepChanged { id: shown.id.clone(), now })
    }
}

/// Finds steps by their handles, and reads each checkpoint once.
struct StepFinder<'a> {
    workspace: &'a Workspace,
    places: HashMap<String, Result<CheckpointFile, FindError>>,
    files: HashMap<PathBuf, (Vec<Step>, StepPlaces)>,
}

impl<'a> StepFinder<'a> {
    fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, places: HashMap::new(), files: HashMap::new() }
    }

    /// Finds a step by its handle: a checkpoint, `#` and the step's id or number; else the id of a step alone.
    ///
    /// Both parts may contain `#`.
    fn target(&mut self, handle: &str) -> Result<Target, CheckpointError> {
        let mut by_prefix = None;
        for (thread, rest) in handle.match_indices('#').map(|(at, _)| handle.split_at(at)) {
            let place = match self.checkpoint(thread) {
                Ok(place) => place,
                Err(FindError::None { .. } | FindError::NoCheckpoint { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let id = stem(&place.1);
            let is_exact =
                id == thread || slug_of(Kind::Checkpoint, &id).as_deref() == Some(thread);
            let rest = rest.strip_prefix('#').unwrap_or(rest);
            match self.target_in(place, (handle, rest))? {
                Some(target) if is_exact => return Ok(target),
                found => by_prefix = by_prefix.or(found),
            }
        }
        // The id of a step takes precedence over a checkpoint that was found by a prefix.
        let by_id = target_with_id(self.workspace, handle)?.or(by_prefix);
        by_id.ok_or_else(|| CheckpointError::NoStep { handle: handle.to_owned() })
    }

    fn checkpoint(&mut self, text: &str) -> Result<CheckpointFile, FindError> {
        if let Some(place) = self.places.get(text) {
            return place.clone();
        }
        let place = find_checkpoint(self.workspace, text);
        self.places.insert(text.to_owned(), place.clone());
        place
    }

    /// Finds the step of a checkpoint by its whole id, by the part of the handle after the checkpoint, or by its number.
    fn target_in(
        &mut self,
        (form, path): CheckpointFile,
        (handle, rest): (&str, &str),
    ) -> Result<Option<Target>, CheckpointError> {
        if form == CheckpointFileKind::Legacy {
            return Err(CheckpointEditError::Legacy.into());
        }
        if !self.files.contains_key(&path) {
            let steps = open::load(&self.workspace.checkpoints, &path)?.0.steps();
            let places = StepPlaces::new(&steps);
            self.files.insert(path.clone(), (steps, places));
        }
        let Some((steps, places)) = self.files.get(&path) else { return Ok(None) };
        let full_id = format!("{}#{rest}", stem(&path));
        let named = [handle, rest, &full_id].into_iter().filter_map(|id| places.by_id.get(id));
        let numbered = || {
            let number = rest.parse::<usize>().ok().filter(|number| number.to_string() == rest)?;
            places.by_number.get(&number)
        };
        let step = named.min().or_else(numbered).and_then(|index| steps.get(*index));
        Ok(step.map(|step| Target { path, id: step.id.clone(), number: step.number, shown: None }))
    }
}

/// Finds the step with this id in any checkpoint.
fn target_with_id(workspace: &Workspace, id: &str) -> Result<Option<Target>, CheckpointError> {
    let places = read_heads(&workspace.checkpoints, &|_, place, head| {
        (place.0 == CheckpointFileKind::Thread && head.step_count > 0).then_some(place.1)
    });
    for path in places.into_iter().flatten() {
        let bytes = skein_store::read(&path)?.bytes;
        let doc = CheckpointDoc::parse(bytes, &stem(&path), CheckpointFileKind::Thread).0;
        if let Some(step) = doc.steps().into_iter().find(|step| step.id == id) {
            return Ok(Some(Target { path, id: step.id, number: step.number, shown: None }));
        }
    }
    Ok(None)
}
