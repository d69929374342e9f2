//! Edits of a checkpoint: only the given value and `updated_at` change.

use super::{CheckpointDoc, CheckpointFileKind, read};
use crate::diagnostic::DiagnosticList;
use crate::id::CheckpointId;
use crate::json::{self, Dialect};
use crate::redact::redact;
use crate::time::Time;

/// Why an edit was refused; the document is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointEditError {
    /// The file is not a checkpoint.
    #[error("the file is not a usable checkpoint")]
    Unusable,
    /// Legacy checkpoints are never written.
    #[error("a legacy checkpoint is never written")]
    Legacy,
    /// The version is newer than Skein supports.
    #[error("the checkpoint has version {version}, which is newer than 1")]
    Newer {
        /// The version.
        version: u64,
    },
    /// There is no such step.
    #[error("no such step: {index}")]
    NoStep {
        /// Its position, from 0.
        index: usize,
    },
}

impl CheckpointDoc {
    /// Sets the text at `path`.
    pub fn set_text(
        &mut self,
        path: &[&str],
        text: &str,
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        self.set(path, &json::quote(text), now)
    }

    /// Sets the value at `path`, given as JSON indented by two spaces from column zero.
    pub fn set(
        &mut self,
        path: &[&str],
        value: &[u8],
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        self.writable()?;
        self.set_raw(path, value)?;
        self.touch(now)
    }

    /// Returns the checkpoint with another id; the old one is kept in `metadata.upgraded_from`.
    pub fn renamed(mut self, id: &CheckpointId) -> Result<Self, CheckpointEditError> {
        self.writable()?;
        let old = json::quote(&self.stem);
        self.set_raw(&["thread_id"], &json::quote(id.as_str()))?;
        self.set_raw(&["metadata", "upgraded_from"], &old)?;
        Ok(Self::parse(self.bytes, id.as_str(), self.form).0)
    }

    /// Returns the checkpoint with another id, for a file that is not written yet.
    pub fn with_id(mut self, id: &CheckpointId) -> Result<Self, CheckpointEditError> {
        self.set_raw(&["thread_id"], &json::quote(id.as_str()))?;
        Ok(Self::parse(self.bytes, id.as_str(), self.form).0)
    }

    /// Adds what git says about the state in which the checkpoint was made. A value that it already has stays.
    ///
    /// `updated_at` stays too: the checkpoint describes the same moment as before.
    pub fn add_git_facts(
        &mut self,
        dirty: Option<bool>,
        files: &[String],
    ) -> Result<(), CheckpointEditError> {
        self.writable()?;
        let is_known = self.head().git.as_ref().is_some_and(|git| git.dirty.is_some());
        if !is_known && let Some(dirty) = dirty {
            self.set_json(&["git", "dirty"], &dirty)?;
        }
        if files.is_empty() {
            return Ok(());
        }
        let files: Vec<_> = files.iter().map(|file| redact(file)).collect();
        self.add_missing("files_touched", &serde_json::json!(files))
    }

    /// Returns an error if the document cannot be edited.
    pub fn may_be_edited(&self) -> Result<(), CheckpointEditError> {
        self.writable()
    }

    pub(super) fn touch(&mut self, now: Time) -> Result<(), CheckpointEditError> {
        self.set_raw(&["updated_at"], &json::quote(&now.to_string()))
    }

    pub(super) fn set_raw(
        &mut self,
        path: &[&str],
        value: &[u8],
    ) -> Result<(), CheckpointEditError> {
        let root = self.layout.root.ok_or(CheckpointEditError::Unusable)?;
        json::set(&mut self.bytes, root, Dialect::Json, path, value)
            .map_err(|_| CheckpointEditError::Unusable)?;
        self.reload();
        Ok(())
    }

    pub(super) fn writable(&self) -> Result<(), CheckpointEditError> {
        match self.layout.head.version {
            _ if !self.layout.head.usable => Err(CheckpointEditError::Unusable),
            _ if self.form == CheckpointFileKind::Legacy => Err(CheckpointEditError::Legacy),
            Some(version) if version > 1 => Err(CheckpointEditError::Newer { version }),
            _ => Ok(()),
        }
    }

    pub(super) fn reload(&mut self) {
        self.layout =
            read::read(&self.bytes, &self.stem, self.form, &mut DiagnosticList::default());
    }
}
