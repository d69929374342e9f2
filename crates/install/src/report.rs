//! The report of an installation.

use std::path::Path;

use serde::Serialize;

use super::agent::Scope;
use super::task::PlannedFile;
use super::unified::unified;
use super::write::{Done, EditOutcome};

/// The changes that an installation made or would make.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InstallReport {
    pub dry_run: bool,
    pub changes: Vec<InstallChange>,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// The failures, one line each.
    pub failed: Vec<String>,
    /// Whether the set of files that git ignores has changed.
    #[serde(skip)]
    pub(super) changes_ignored_files: bool,
}

/// The change of a file.
#[derive(Clone, Debug, Serialize)]
pub struct InstallChange {
    pub agent: &'static str,
    pub scope: Scope,
    pub file: String,
    pub action: Action,
    /// Why the file is not changed, or its new name.
    #[serde(rename = "why")]
    pub reason: Option<String>,
    /// The diff, for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Edit,
    Remove,
    Rename,
    /// The file is not changed, although it is out of date.
    Keep,
    /// It is up to date.
    Same,
}

impl InstallReport {
    pub fn changes_anything(&self) -> bool {
        let changes = |one: &InstallChange| !matches!(one.action, Action::Keep | Action::Same);
        self.changes_ignored_files || self.changes.iter().any(changes)
    }

    /// Adds a note about a change of the files that git ignores.
    pub(super) fn note_ignored(&mut self, note: String) {
        self.changes_ignored_files = true;
        self.notes.push(note);
    }

    pub(super) fn new(dry_run: bool) -> Self {
        Self { dry_run, ..Self::default() }
    }

    /// Adds the report of another worktree, without repeating notes.
    pub(super) fn append(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.changes_ignored_files |= other.changes_ignored_files;
        let Self { notes, failed, .. } = other;
        for (own, more) in [(&mut self.notes, notes), (&mut self.failed, failed)] {
            for text in more {
                if !own.contains(&text) {
                    own.push(text);
                }
            }
        }
    }

    /// Adds the change of a file.
    pub(super) fn add(&mut self, task: &PlannedFile, done: &Done) {
        let before = done.before.as_deref();
        let (action, reason, after) = match &done.outcome {
            EditOutcome::Same => (Action::Same, None, before),
            EditOutcome::Keep(reason) => (Action::Keep, Some((*reason).to_owned()), before),
            EditOutcome::Write(bytes) if before.is_none() => {
                (Action::Create, None, Some(bytes.as_slice()))
            }
            EditOutcome::Write(bytes) => (Action::Edit, None, Some(bytes.as_slice())),
            EditOutcome::Remove => (Action::Remove, None, None),
        };
        let differs = self.dry_run && before != after;
        let diff = differs.then(|| unified(&task.path, before, after));
        self.push(task, &task.path, action, reason, diff);
    }

    /// Adds the renaming of a file.
    pub(super) fn rename(&mut self, task: &PlannedFile, from: &Path, to: &Path) {
        let name = to.file_name().unwrap_or_default().display();
        self.push(task, from, Action::Rename, Some(format!("to {name}")), None);
    }

    fn push(
        &mut self,
        task: &PlannedFile,
        path: &Path,
        action: Action,
        reason: Option<String>,
        diff: Option<String>,
    ) {
        let (agent, scope, file) = (task.agent.name, task.scope, path.display().to_string());
        self.changes.push(InstallChange { agent, scope, file, action, reason, diff });
    }
}
