//! Checkpoints: the state of a piece of work, so that it can be resumed or handed over.
//!
//! `docs/formats/checkpoint.md` defines the format. Files found in the wild rarely follow it, so
//! reading is tolerant: values of another type are ignored and kept.

mod create;
mod edit;
mod examine;
mod field;
mod handoff;
mod list;
mod merge;
mod other;
mod read;
mod record;
mod step_edit;
mod upgrade;
mod worker;
mod worker_edit;

pub use create::{KnowledgeRepo, NewCheckpoint, NewGit, PreviousHandoff, title_of};
pub use edit::CheckpointEditError;
pub use examine::examine;
pub use handoff::{HandoffDoc, Pointer};
pub use list::{FileTouched, Step, StepStatus};
pub use merge::merge;
pub use other::{Other, OtherValue};
pub use read::{Checkpoint, CheckpointType, GitState, Worker, is_final};
pub use record::{Record, RecordError};
pub use step_edit::Closing;
pub use worker::{IllegalMove, WorkerState};
pub use worker_edit::{MoveError, WorkerMove};

use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::id::CheckpointId;
use crate::span::Span;

/// Which of the two kinds of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointFileKind {
    /// `workspace/threads/<id>.json`
    Thread,
    /// `workspace/checkpoints/<task>.json`, which is read and never written.
    Legacy,
}

/// Returns whether a file in the directory of threads is a checkpoint, by its name.
pub fn is_thread_file(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or_default();
    !stem.ends_with(".changeset") && CheckpointId::is_one(stem)
}

/// Returns whether a file in the legacy directory is a checkpoint, by its name.
pub fn is_legacy_file(name: &str) -> bool {
    !name.starts_with('.') && name != HandoffDoc::FILE_NAME
}

/// A checkpoint: its bytes, and what was understood of them.
#[derive(Clone, Debug)]
pub struct CheckpointDoc {
    bytes: Vec<u8>,
    stem: String,
    form: CheckpointFileKind,
    layout: Layout,
}

/// A checkpoint that is read and not edited, over bytes that stay with the caller.
#[derive(Debug)]
pub struct CheckpointRef {
    layout: Layout,
}

/// The locations of the parts in the bytes.
#[derive(Clone, Debug, Default)]
struct Layout {
    root: Option<Span>,
    files: Option<Span>,
    steps: Option<Span>,
    commits: Option<Span>,
    head: Checkpoint,
}

impl CheckpointDoc {
    /// Reads a checkpoint; `stem` is the file's name without `.json`.
    pub fn parse(bytes: Vec<u8>, stem: &str, form: CheckpointFileKind) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = read::read(&bytes, stem, form, &mut findings);
        (Self { bytes, stem: stem.to_owned(), form, layout }, findings.into_list())
    }

    /// Returns the bytes of the document: those it was read from, but for its edits.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives up the document for its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the name of the file without `.json`.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns what the checkpoint says, but for its lists.
    pub fn head(&self) -> &Checkpoint {
        &self.layout.head
    }

    /// Returns the files that were touched.
    pub fn files(&self) -> Vec<FileTouched> {
        list::files(&self.bytes, self.layout.files)
    }

    /// Returns what is left to do.
    pub fn steps(&self) -> Vec<Step> {
        list::steps(&self.bytes, self.layout.steps, &self.stem)
    }

    /// Returns the commits that were made.
    pub fn commits(&self) -> Vec<String> {
        list::strings(&self.bytes, self.layout.commits)
    }
}

impl CheckpointRef {
    /// Reads a checkpoint as [`CheckpointDoc::parse`] does, without taking the bytes.
    pub fn parse(bytes: &[u8], stem: &str, form: CheckpointFileKind) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = read::read(bytes, stem, form, &mut findings);
        (Self { layout }, findings.into_list())
    }

    /// Takes what the checkpoint says, but for its lists.
    pub fn into_head(self) -> Checkpoint {
        self.layout.head
    }
}
