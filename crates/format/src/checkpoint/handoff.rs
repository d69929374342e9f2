//! `handoff.json`: a pointer to the checkpoint to resume.

use super::create::{clean, pretty};
use super::field::Fields;
use super::read::{GitState, is_final};
use crate::diagnostic::{Code, Diagnostic, DiagnosticList};
use crate::id::CheckpointId;
use crate::json::{self, Dialect, JsonKind, Reader, SyntaxError};
use crate::time::Time;

/// The pointer: its bytes and its parsed fields.
#[derive(Clone, Debug, Default)]
pub struct HandoffDoc {
    bytes: Vec<u8>,
    /// Whether the file names a checkpoint.
    pub usable: bool,
    /// The time of the handoff.
    pub created_at: Option<Time>,
    /// The message of the author of the handoff.
    pub message: Option<String>,
    /// The id of the checkpoint; in the oldest files that of a legacy checkpoint.
    pub last_thread: Option<String>,
    /// The path of the checkpoint, relative to the root.
    pub thread_path: Option<String>,
    /// Additional notes.
    pub context_notes: Option<String>,
    /// The status of the handoff, if it cannot be stored in the checkpoint.
    pub status: Option<String>,
}

/// The values to write to the pointer.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// The current time.
    pub created_at: Time,
    /// The message of the author of the handoff.
    pub message: String,
    /// The checkpoint.
    pub thread: CheckpointId,
    /// Additional notes.
    pub context_notes: String,
    /// The state of the repository; written only to a file that already has `git`.
    pub git: Option<GitState>,
}

impl Pointer {
    /// Returns the keys of the pointer with their values, in order and without secrets.
    fn members(&self) -> [(&'static str, String); 5] {
        [
            ("created_at", self.created_at.to_string()),
            ("message", clean(&self.message)),
            ("last_thread", self.thread.to_string()),
            ("thread_path", format!("workspace/threads/{}.json", self.thread)),
            ("context_notes", clean(&self.context_notes)),
        ]
    }

    /// Returns the content of a new file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let members = self.members().map(|(key, value)| (key.to_owned(), value.into()));
        let object: serde_json::Map<String, serde_json::Value> = members.into_iter().collect();
        [pretty(&object), b"\n".to_vec()].concat()
    }

    /// Returns the content of an existing file with the pointer set; all other members but `status` stay.
    ///
    /// None if `bytes` are not a JSON object.
    pub fn set_in(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        for (key, value) in self.members() {
            let mut reader = Reader::document(&bytes);
            let is_object = reader.peek().ok()? == JsonKind::Object;
            let root = reader.skip().ok().filter(|_| is_object)?;
            reader.finish().ok()?;
            json::set(&mut bytes, root, Dialect::Json, &[key], &json::quote(&value)).ok()?;
        }
        // The status is that of the previous handoff.
        let root = json::content(&bytes);
        json::remove(&mut bytes, root, Dialect::Json, &["status"]).ok()?;
        self.set_git_in(&mut bytes)?;
        Some(bytes)
    }

    /// Sets or removes each member of an existing `git`, because the old values would be wrong.
    fn set_git_in(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let root = json::content(bytes);
        let has_git = json::member(bytes, root, Dialect::Json, "git").ok()?.is_some();
        let Some(git) = self.git.clone().filter(|_| has_git) else { return Some(()) };
        let members = [
            ("branch", git.branch),
            ("current_commit", git.current_commit),
            ("remote_url", git.remote_url),
        ];
        for (name, value) in members {
            let root = json::content(bytes);
            match value {
                Some(value) => {
                    let value = json::quote(&clean(&value));
                    json::set(bytes, root, Dialect::Json, &["git", name], &value).ok()?;
                }
                None => drop(json::remove(bytes, root, Dialect::Json, &["git", name]).ok()?),
            }
        }
        Some(())
    }
}

impl HandoffDoc {
    /// The name of the file in its directory.
    pub const FILE_NAME: &str = "handoff.json";

    /// Reads a pointer.
    pub fn parse(bytes: Vec<u8>) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let mut doc = Self { bytes, ..Self::default() };
        let bytes = std::mem::take(&mut doc.bytes);
        if let Err(error) = doc.read(&bytes, &mut findings) {
            findings.push_syntax(Code::CheckpointBadJson, &bytes, error);
            doc = Self::default();
        }
        doc.bytes = bytes;
        (doc, findings.into_list())
    }

    /// Returns whether the status means that nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.status.as_deref().is_some_and(is_final)
    }

    /// Returns the bytes of the file with another status, and nothing else changed.
    pub fn with_status(&self, status: &str) -> Option<Vec<u8>> {
        let mut bytes = self.bytes.clone();
        let root = json::content(&bytes);
        json::set(&mut bytes, root, Dialect::Json, &["status"], &json::quote(status)).ok()?;
        Some(bytes)
    }

    /// Returns the name of the file that `thread_path` points to, without its extension.
    pub fn path_stem(&self) -> Option<&str> {
        self.thread_path.as_deref().map(stem_of)
    }

    /// Returns the bytes that the document was read from.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8], findings: &mut DiagnosticList) -> Result<(), SyntaxError> {
        let mut reader = Reader::document(bytes);
        let mut fields = Fields { findings };
        if reader.peek()? != JsonKind::Object {
            reader.skip()?;
            reader.finish()?;
            let message = "the file is JSON, but not an object";
            fields.findings.push(Code::CheckpointNotObject, Some(1), message);
            return Ok(());
        }
        reader.object(|reader, key| {
            match key.name(bytes).as_ref() {
                b"created_at" => self.created_at = fields.time(reader, "created_at")?,
                b"message" => self.message = fields.text(reader, "message")?,
                b"last_thread" => {
                    let thread = fields.text(reader, "last_thread")?;
                    let thread = thread.map(|text| stem_of(&text).to_owned());
                    self.last_thread = thread.or(self.last_thread.take());
                }
                b"last_checkpoint" if self.last_thread.is_none() => {
                    let thread = fields.text(reader, "last_checkpoint")?;
                    self.last_thread = thread.map(|text| stem_of(&text).to_owned());
                }
                b"thread_path" => self.thread_path = fields.text(reader, "thread_path")?,
                b"status" => self.status = fields.text(reader, "status")?,
                b"context_notes" => self.context_notes = fields.text(reader, "context_notes")?,
                _ => {}
            }
            Ok(())
        })?;
        reader.finish()?;
        self.usable = self.last_thread.is_some();
        if !self.usable {
            let message = "`last_thread` is missing";
            fields.findings.push(Code::CheckpointField, None, message);
        }
        Ok(())
    }
}

/// Returns the id in a text: the text itself, or the stem of a path that ends in `.json`.
fn stem_of(text: &str) -> &str {
    let name = text.rsplit('/').next().unwrap_or(text);
    match name.strip_suffix(".json") {
        Some(stem) => stem,
        // Any other path is returned unchanged, so that it does not match a checkpoint.
        None => text,
    }
}
