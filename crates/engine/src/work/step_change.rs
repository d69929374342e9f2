//! Closes steps, and opens them again.

use std::cell::Cell;
use std::path::PathBuf;

use serde::Serialize;
use skein_format::checkpoint::{CheckpointDoc, Closing, EditError, Form, Step, StepStatus};
use skein_format::time::Time;

use super::error::WorkError;
use super::steps::{StepRow, step_row};
use super::{find, open};
use crate::discover::Workspace;
use crate::env::Env;
use crate::find::FindError;
use crate::handle::Handles;
use crate::ids::{checkpoint_names, stem};
use crate::read::checkpoint::clean;

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
    Ok(StepWritten { action, step: step_row(step, &steps, &row, &names.of(&row)) })
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
            return Ok(doc.reopen_step(index, now).map(|()| true)?);
        }
        let note = wanted.note.clone().map(clean);
        let closing = Closing { status: next, by: clean(wanted.by.clone()), note };
        Ok(doc.close_step(index, &closing, now).map(|()| true)?)
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

/// Finds the step that a handle means.
fn target(workspace: &Workspace, env: &Env, handle: &str) -> Result<Target, WorkError> {
    let none = || WorkError::NoStep { handle: handle.to_owned() };
    let (thread, rest) = handle.rsplit_once('#').ok_or_else(none)?;
    let (form, path) = find::checkpoint(workspace, env, thread).map_err(|error| match error {
        FindError::None { .. } | FindError::NoCheckpoint { .. } => none(),
        error => error.into(),
    })?;
    if form == Form::Legacy {
        return Err(EditError::Legacy.into());
    }
    let doc = open::load(&workspace.checkpoints, &path)?.0;
    let steps = doc.steps();
    let whole = format!("{}#{rest}", stem(&path));
    let found = steps.iter().find(|step| step.id == handle || step.id == whole);
    let found = found.or_else(|| steps.iter().find(|step| step.number.to_string() == rest));
    let step = found.ok_or_else(none)?;
    Ok(Target { path, id: step.id.clone(), number: step.number, shown: None })
}
