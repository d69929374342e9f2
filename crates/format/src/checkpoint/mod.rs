//! Checkpoints: the state of a piece of work, so that it can be resumed or handed over.
//!
//! `docs/formats/checkpoint.md` defines the format. Real files rarely follow it exactly, so parsing
//! is tolerant: values of the wrong type are ignored and kept.

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

/// The kind of a checkpoint file.
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

/// A checkpoint: its bytes and its parsed fields.
#[derive(Clone, Debug)]
pub struct CheckpointDoc {
    bytes: Vec<u8>,
    stem: String,
    form: CheckpointFileKind,
    layout: Layout,
}

/// The parsed fields of a checkpoint, without its bytes.
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
    /// Whether there may be values that the format does not define.
    has_others: bool,
    head: Checkpoint,
}

impl CheckpointDoc {
    /// Parses a checkpoint; `stem` is the file's name without `.json`.
    pub fn parse(bytes: Vec<u8>, stem: &str, form: CheckpointFileKind) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = read::read(&bytes, stem, form, &mut findings);
        (Self { bytes, stem: stem.to_owned(), form, layout }, findings.into_list())
    }

    /// Returns the bytes of the document, with its edits.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Consumes the document and returns its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the name of the file without `.json`.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns the fields of the checkpoint, without its lists.
    pub fn head(&self) -> &Checkpoint {
        &self.layout.head
    }

    /// Returns the files that were touched.
    pub fn files(&self) -> Vec<FileTouched> {
        list::files(&self.bytes, self.layout.files)
    }

    /// Returns the next steps, including closed ones.
    pub fn steps(&self) -> Vec<Step> {
        list::steps(&self.bytes, self.layout.steps, &self.stem)
    }

    /// Returns the commits that were made.
    pub fn commits(&self) -> Vec<String> {
        list::strings(&self.bytes, self.layout.commits)
    }
}

impl CheckpointRef {
    /// Parses a checkpoint like [`CheckpointDoc::parse`], without taking the bytes.
    pub fn parse(bytes: &[u8], stem: &str, form: CheckpointFileKind) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = read::read(bytes, stem, form, &mut findings);
        (Self { layout }, findings.into_list())
    }

    /// Consumes the checkpoint and returns its fields, without its lists.
    pub fn into_head(self) -> Checkpoint {
        self.layout.head
    }
}
