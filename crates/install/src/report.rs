//! The report of an installation.

use std::path::Path;

use serde::Serialize;

use super::agent::Scope;
use super::task::PlannedFile;
use super::unified::unified;
use super::write::{Done, EditOutcome};

/// What an installation did, or would do.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InstallReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files.
    pub changes: Vec<InstallChange>,
    /// What else the user should know, each in a line.
    pub notes: Vec<String>,
    /// What could not be done, each in a line.
    pub failed: Vec<String>,
    /// Whether git sees or ignores other files than before.
    #[serde(skip)]
    pub(super) git_sees_else: bool,
}

/// What happens to a file.
#[derive(Clone, Debug, Serialize)]
pub struct InstallChange {
    /// The agent that it belongs to.
    pub agent: &'static str,
    /// Whom it serves.
    pub scope: Scope,
    /// The file.
    pub file: String,
    /// What happens to it.
    pub action: Action,
    /// Why it is left alone, or where it goes.
    pub why: Option<String>,
    /// What changes in it; only where nothing is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made.
    Create,
    /// Something is put in or taken out.
    Edit,
    /// It goes.
    Remove,
    /// It gets another name.
    Rename,
    /// It is left alone, though something of ours belongs there.
    Keep,
    /// It is as it should be.
    Same,
}

impl InstallReport {
    /// Returns whether anything changes.
    #[must_use]
    pub fn changes_anything(&self) -> bool {
        let changes = |one: &InstallChange| !matches!(one.action, Action::Keep | Action::Same);
        self.git_sees_else || self.changes.iter().any(changes)
    }

    /// Adds that git sees or ignores other files than before.
    pub(super) fn shows(&mut self, note: String) {
        self.git_sees_else = true;
        self.notes.push(note);
    }

    pub(super) fn new(dry_run: bool) -> Self {
        Self { dry_run, ..Self::default() }
    }

    /// Adds what was done elsewhere; what is said already is not said again.
    pub(super) fn append(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.git_sees_else |= other.git_sees_else;
        let Self { notes, failed, .. } = other;
        for (own, more) in [(&mut self.notes, notes), (&mut self.failed, failed)] {
            for text in more {
                if !own.contains(&text) {
                    own.push(text);
                }
            }
        }
    }

    /// Adds what was done to a file.
    pub(super) fn add(&mut self, task: &PlannedFile, done: &Done) {
        let path = &task.path;
        let before = done.before.as_deref();
        let (action, why, after) = match &done.outcome {
            EditOutcome::Same => (Action::Same, None, before),
            EditOutcome::Keep(why) => (Action::Keep, Some((*why).to_owned()), before),
            EditOutcome::Write(bytes) if before.is_none() => {
                (Action::Create, None, Some(bytes.as_slice()))
            }
            EditOutcome::Write(bytes) => (Action::Edit, None, Some(bytes.as_slice())),
            EditOutcome::Remove => (Action::Remove, None, None),
        };
        let differs = self.dry_run && before != after;
        let diff = differs.then(|| unified(path, before, after));
        let file = path.display().to_string();
        self.changes.push(InstallChange {
            agent: task.agent.name,
            scope: task.scope,
            file,
            action,
            why,
            diff,
        });
    }

    /// Adds that a file gets another name.
    pub(super) fn rename(&mut self, task: &PlannedFile, from: &Path, to: &Path) {
        let name = to.file_name().unwrap_or_default().display();
        self.changes.push(InstallChange {
            agent: task.agent.name,
            scope: task.scope,
            file: from.display().to_string(),
            action: Action::Rename,
            why: Some(format!("to {name}")),
            diff: None,
        });
    }
}
