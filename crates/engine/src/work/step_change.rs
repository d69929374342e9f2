//! Closes steps, and opens them again.

use std::cell::Cell;
use std::path::PathBuf;

use serde::Serialize;
use skein_format::checkpoint::{
    CheckpointDoc, CheckpointType, Closing, EditError, Form, Step, StepStatus,
};
use skein_format::time::Time;

use super::error::WorkError;
use super::find::{self, Place};
use super::steps::{StepRow, UsedNumbers, step_row};
use super::{index_files, open};
use crate::discover::Workspace;
use crate::env::Env;
use crate::find::FindError;
use crate::handle::{Handles, slug_of};
use crate::ids::{checkpoint_names, stem};
use crate::kind::Kind;
use crate::read::checkpoint::{clean, read_heads};
use crate::view::Diag;

/// What becomes of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepChange {
    /// They are done.
    Done,
    /// They are given up.
    Drop,
    /// They are open again.
    Reopen,
}

/// What is to be done with steps.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What becomes of them.
    pub change: StepChange,
    /// Who says so.
    pub by: String,
    /// What is to be said about them.
    pub note: Option<String>,
}

/// A step as somebody saw it.
#[derive(Clone, Debug)]
pub struct ShownStep {
    /// Its id.
    pub id: String,
    /// What was to be done.
    pub step: String,
    /// What had become of it.
    pub status: String,
}

/// A step that was changed.
#[derive(Clone, Debug, Serialize)]
pub struct StepWritten {
    /// What was done: `done`, `dropped`, `reopened` or `unchanged`.
    pub action: &'static str,
    /// The step afterwards.
    #[serde(flatten)]
    pub step: StepRow,
    /// What went wrong with the tables that list the checkpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diag>,
}

/// A step that a handle means.
struct Target {
    path: PathBuf,
    /// What its id is, which tells it from the others when the file has changed meanwhile.
    id: String,
    number: usize,
    /// What it must be at the moment of writing, where somebody chose it by sight.
    shown: Option<ShownStep>,
}

/// Closes or opens the steps that the handles mean; each changes alone, and all of them exist before one is changed.
///
/// A handle is the id of a step, or a checkpoint, `#` and the number of the step.
pub fn change_steps(
    workspace: &Workspace,
    env: &Env,
    handles: &[String],
    wanted: &Wanted,
) -> Result<Vec<StepWritten>, WorkError> {
    let mut targets: Vec<Target> = Vec::new();
    for handle in handles {
        let target = target(workspace, env, handle)?;
        if !targets.iter().any(|one| one.path == target.path && one.id == target.id) {
            targets.push(target);
        }
    }
    change(workspace, env, targets, wanted)
}

/// Closes or opens a step of the checkpoint with this very id, if it is still what somebody saw.
///
/// One that was changed as wanted already stays as it is.
pub fn change_shown_step(
    workspace: &Workspace,
    env: &Env,
    checkpoint: &str,
    shown: &ShownStep,
    wanted: &Wanted,
) -> Result<StepWritten, WorkError> {
    let none = || WorkError::NoStep { handle: shown.id.clone() };
    let (form, path) = find::exact(&workspace.checkpoints, checkpoint).ok_or_else(none)?;
    if form == Form::Legacy {
        return Err(EditError::Legacy.into());
    }
    let steps = open::load(&workspace.checkpoints, &path)?.0.steps();
    let with_id = || steps.iter().filter(|step| clean(step.id.clone()) == shown.id);
    let same = with_id().find(|step| clean(step.step.clone()) == shown.step);
    let step = same.or_else(|| with_id().next()).ok_or_else(none)?;
    let (id, number) = (step.id.clone(), step.number);
    let target = Target { path, id, number, shown: Some(shown.clone()) };
    change(workspace, env, vec![target], wanted)?.pop().ok_or_else(none)
}

fn change(
    workspace: &Workspace,
    env: &Env,
    targets: Vec<Target>,
    wanted: &Wanted,
) -> Result<Vec<StepWritten>, WorkError> {
    let guard = open::existing(env, &workspace.checkpoints)?;
    for target in &targets {
        open::load(&workspace.checkpoints, &target.path)?.0.may_be_edited()?;
    }
    let names = Handles::new(&checkpoint_names(&workspace.checkpoints));
    let mut done = Vec::new();
    for target in targets {
        let changed = Cell::new(false);
        let doc = open::update(env, &workspace.checkpoints, &guard, &target.path, &|doc| {
            changed.set(target.change(doc, wanted, env.clock.now())?);
            Ok(())
        })?;
        done.push(written(&doc, &target, &wanted.change, changed.get(), &names)?);
    }
    drop(guard);
    let stale = index_files::refresh_existing(&workspace.checkpoints, env);
    if let Some(last) = done.last_mut() {
        last.diagnostics.extend(stale);
    }
    Ok(done)
}

fn written(
    doc: &CheckpointDoc,
    target: &Target,
    change: &StepChange,
    changed: bool,
    names: &Handles,
) -> Result<StepWritten, WorkError> {
    let id = stem(&target.path);
    let file = target.path.display().to_string();
    let row = crate::read::checkpoint::row(doc.to_bytes(), &id, file, Form::Thread);
    let steps = doc.steps();
    let step = steps.get(target.index(doc)?).ok_or(EditError::NoStep { index: target.number })?;
    let action = match change {
        _ if !changed => "unchanged",
        StepChange::Done => "done",
        StepChange::Drop => "dropped",
        StepChange::Reopen => "reopened",
    };
    let used = UsedNumbers::new(&steps, &row.id);
    let step = step_row(step, &used, &row, &names.of(&row));
    Ok(StepWritten { action, step, diagnostics: Vec::new() })
}

impl Target {
    /// Changes the step; false where it is as wanted already.
    fn change(
        &self,
        doc: &mut CheckpointDoc,
        wanted: &Wanted,
        now: Time,
    ) -> Result<bool, WorkError> {
        let index = self.index(doc)?;
        let step = doc.steps().into_iter().nth(index);
        let status = step.as_ref().map(|step| step.status.clone());
        let next = match wanted.change {
            StepChange::Done => StepStatus::Done,
            StepChange::Drop => StepStatus::Dropped,
            StepChange::Reopen => StepStatus::Open,
        };
        self.check(step, &next)?;
        if status.as_ref() == Some(&next) && wanted.note.is_none() {
            return Ok(false);
        }
        if next == StepStatus::Open {
            doc.reopen_step(index, now)?;
            // What has something left to do again is not done.
            if doc.head().status.is_some() && doc.head().is_over() {
                doc.set_text(&["status"], "open", now)?;
            }
            return Ok(true);
        }
        let note = wanted.note.clone().map(clean);
        let closing = Closing { status: next, by: clean(wanted.by.clone()), note };
        doc.close_step(index, &closing, now)?;
        let head = doc.head();
        let is_open = head.status.as_deref().is_none_or(|status| status == "open");
        if head.kind == CheckpointType::Handoff && head.open_steps == 0 && is_open {
            doc.set_text(&["status"], "done", now)?;
        }
        Ok(true)
    }

    /// Makes sure that the step is the one that was shown, unless it is as wanted already.
    fn check(&self, step: Option<Step>, next: &StepStatus) -> Result<(), WorkError> {
        let (Some(shown), Some(step)) = (&self.shown, step) else { return Ok(()) };
        let (text, is_done) = (clean(step.step), step.status == *next);
        if text == shown.step && (is_done || clean(step.status.as_str().to_owned()) == shown.status)
        {
            return Ok(());
        }
        let now = format!("{} ({})", text, step.status.as_str());
        Err(WorkError::StepChanged { id: shown.id.clone(), now })
    }

    /// Returns where the step is in the list, by its id; else by its number.
    fn index(&self, doc: &CheckpointDoc) -> Result<usize, EditError> {
        let steps = doc.steps();
        let by_id = steps.iter().position(|step| step.id == self.id);
        let by_number = || steps.iter().position(|step| step.number == self.number);
        by_id.or_else(by_number).ok_or(EditError::NoStep { index: self.number })
    }
}

/// Finds the step that a handle means: a checkpoint, `#` and the step's id or number; else the id of a step alone.
///
/// Either of both may contain `#` itself.
fn target(workspace: &Workspace, env: &Env, handle: &str) -> Result<Target, WorkError> {
    let mut by_prefix = None;
    for (thread, rest) in handle.match_indices('#').map(|(at, _)| handle.split_at(at)) {
        let place = match find::checkpoint(workspace, env, thread) {
            Ok(place) => place,
            Err(FindError::None { .. } | FindError::NoCheckpoint { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let id = stem(&place.1);
        let is_exact = id == thread || slug_of(Kind::Checkpoint, &id).as_deref() == Some(thread);
        let rest = rest.strip_prefix('#').unwrap_or(rest);
        match target_in(workspace, place, (handle, rest))? {
            Some(target) if is_exact => return Ok(target),
            found => by_prefix = by_prefix.or(found),
        }
    }
    // The start of a checkpoint's id must not stand in for the whole id of a step.
    let by_id = target_with_id(workspace, handle)?.or(by_prefix);
    by_id.ok_or_else(|| WorkError::NoStep { handle: handle.to_owned() })
}

/// Finds the step that has this id, in whichever checkpoint.
fn target_with_id(workspace: &Workspace, id: &str) -> Result<Option<Target>, WorkError> {
    let places = read_heads(&workspace.checkpoints, &|_, place, head| {
        (place.0 == Form::Thread && head.step_count > 0).then_some(place.1)
    });
    for path in places.into_iter().flatten() {
        let bytes = skein_store::read(&path)?.bytes;
        let doc = CheckpointDoc::parse(bytes, &stem(&path), Form::Thread).0;
        if let Some(step) = doc.steps().into_iter().find(|step| step.id == id) {
            return Ok(Some(Target { path, id: step.id, number: step.number, shown: None }));
        }
    }
    Ok(None)
}

/// Finds the step of a checkpoint by its whole id, by what follows the checkpoint in the handle, or by its number.
fn target_in(
    workspace: &Workspace,
    (form, path): Place,
    (handle, rest): (&str, &str),
) -> Result<Option<Target>, WorkError> {
    if form == Form::Legacy {
        return Err(EditError::Legacy.into());
    }
    let doc = open::load(&workspace.checkpoints, &path)?.0;
    let steps = doc.steps();
    let whole = format!("{}#{rest}", stem(&path));
    let is_named = |step: &&Step| [handle, rest, &whole].contains(&step.id.as_str());
    let found = steps.iter().find(is_named);
    let found = found.or_else(|| steps.iter().find(|step| step.number.to_string() == rest));
    Ok(found.map(|step| Target { path, id: step.id.clone(), number: step.number, shown: None }))
}
