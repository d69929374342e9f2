//! A checkpoint that an agent wrote itself; only missing fields are added.

use super::create::{NewCheckpoint, clean, pretty};
use super::{CheckpointDoc, CheckpointEditError, CheckpointFileKind, CheckpointType, WorkerState};
use crate::diagnostic::{Code, Diagnostic};
use crate::id::{CheckpointId, is_plain_name};
use crate::json::{self, Dialect, JsonKind, Member};
use crate::redact::{redact_json, redact_url};
use crate::span::Span;
use crate::time::Time;

/// Why a record was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    NotText,
    /// It is not a JSON object.
    #[error("it is not a JSON object: {reason}")]
    NotObject {
        /// What is wrong with it.
        reason: String,
    },
    /// The format does not have its type.
    #[error("there is no type `{word}` of checkpoints")]
    Type {
        /// The type.
        word: String,
    },
    /// Its version is not 1.
    #[error("unsupported format version; expected 1")]
    Version,
    /// The format does not have the state of its worker.
    #[error("a worker has no state `{word}`")]
    WorkerState {
        /// The state.
        word: String,
    },
    /// A field has an invalid value.
    #[error("line {line}: {message}")]
    Field {
        /// The line, counted from 1; 0 if unknown.
        line: u32,
        /// What is wrong with it.
        message: String,
    },
    /// Its `thread_id` is not a valid id.
    #[error("the id cannot be the name of a checkpoint: {id}")]
    Id {
        /// The id.
        id: String,
    },
    /// It has no summary.
    #[error("it has no `conversation_summary`")]
    NoSummary,
}

/// A valid record.
#[derive(Clone, Debug)]
pub struct Record {
    doc: CheckpointDoc,
}

impl Record {
    /// Parses a record and redacts its secrets.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let bytes = bytes.get(json::bom_len(bytes)..).unwrap_or_default();
        let text = std::str::from_utf8(bytes).map_err(|_| RecordError::NotText)?;
        json::validate(bytes, Dialect::Json).map_err(|error| RecordError::NotObject {
            reason: format!("line {}: expected {}", error.line(bytes), error.expected),
        })?;
        let clean = redact_json(text.trim().as_bytes()).into_owned();
        let (doc, found) = CheckpointDoc::parse(clean, "", CheckpointFileKind::Legacy);
        let record = Self { doc };
        record.check(&found)?;
        Ok(record.laid_out())
    }

    fn check(&self, found: &[Diagnostic]) -> Result<(), RecordError> {
        let head = self.doc.head();
        if !head.usable {
            return Err(RecordError::NotObject { reason: "it is another value".to_owned() });
        }
        if let CheckpointType::Other(word) = &head.kind {
            return Err(RecordError::Type { word: word.clone() });
        }
        if head.version.is_some_and(|version| version != 1) {
            return Err(RecordError::Version);
        }
        // `task_id`, the older key of the id, is not checked: it has another meaning here.
        let id = self.doc.value_at(&["thread_id"]);
        if let Some(id) = id
            .as_ref()
            .and_then(|id| id.as_str())
            .filter(|id| !(id.is_empty() || CheckpointId::is_one(id) && is_plain_name(id)))
        {
            return Err(RecordError::Id { id: id.to_owned() });
        }
        let state = head.worker.as_ref().and_then(|worker| worker.state.as_ref());
        if let Some(WorkerState::Other(word)) = state {
            return Err(RecordError::WorkerState { word: word.clone() });
        }
        if let Some(wrong) = found.iter().find(|one| is_wrong(one)) {
            let line = wrong.line.unwrap_or_default();
            return Err(RecordError::Field { line, message: wrong.message.clone() });
        }
        Ok(())
    }

    /// Breaks a record on a single line into one line for each member.
    fn laid_out(self) -> Self {
        if self.doc.to_bytes().contains(&b'\n') {
            return self;
        }
        let bytes = json::lay_out(self.doc.to_bytes());
        Self { doc: CheckpointDoc::parse(bytes, "", CheckpointFileKind::Legacy).0 }
    }

    /// Returns the id in the record, if it is valid.
    pub fn id(&self) -> Option<CheckpointId> {
        self.doc.head().id.as_deref().and_then(CheckpointId::parse)
    }

    /// Returns the fields of the record.
    pub fn head(&self) -> &super::Checkpoint {
        self.doc.head()
    }

    /// Returns the type, if the record has one.
    pub fn kind(&self) -> Option<CheckpointType> {
        self.is_given(&["type"]).then(|| self.doc.head().kind.clone())
    }

    /// Adds missing fields, sets the id and redacts the URL of the remote; all other values stay.
    pub fn complete(mut self, new: &NewCheckpoint) -> Result<CheckpointDoc, RecordError> {
        let has_no_summary =
            self.doc.head().summary.as_deref().is_none_or(|summary| summary.trim().is_empty());
        if has_no_summary && new.summary.trim().is_empty() {
            return Err(RecordError::NoSummary);
        }
        self.set(&["thread_id"], &new.id.as_str().into());
        if let Some(url) = self.doc.head().git.as_ref().and_then(|git| git.remote_url.clone()) {
            self.set(&["git", "remote_url"], &clean(&redact_url(&url)).into());
        }
        let file = new.file();
        for (key, value) in file.as_object().into_iter().flatten() {
            match (key.as_str(), value.as_object()) {
                // The summary may have an older key.
                ("conversation_summary", _) if !has_no_summary => {}
                ("conversation_summary", _) => self.set(&[key], value),
                ("git" | "metadata", Some(members)) => {
                    for (name, value) in members {
                        self.fill(&[key, name], value);
                    }
                }
                _ => self.fill(&[key], value),
            }
        }
        let mut bytes = self.doc.into_bytes();
        bytes.push(b'\n');
        Ok(CheckpointDoc::parse(bytes, new.id.as_str(), CheckpointFileKind::Thread).0)
    }

    /// Writes the fields of the record to an existing checkpoint; lists are merged.
    ///
    /// The id, the version, the type, the session and the time of creation of the checkpoint stay.
    pub fn put_over(&self, doc: &mut CheckpointDoc, now: Time) -> Result<(), CheckpointEditError> {
        doc.writable()?;
        for (key, found) in self.members(self.doc.layout.root) {
            match (key.as_str(), found.kind) {
                (_, JsonKind::Null) | ("thread_id" | "version" | "type" | "session_id", _) => {}
                ("created_at" | "updated_at", _) => {}
                ("git" | "worker" | "metadata", _) => {
                    for (name, found) in self.members(Some(found.value)) {
                        self.put(doc, &[&key, &name], found)?;
                    }
                }
                ("files_touched" | "next_steps", _) => {
                    let list = found.value.of(self.doc.to_bytes());
                    doc.add_missing(&key, &serde_json::from_slice(list).unwrap_or_default())?;
                }
                _ => self.put(doc, &[&key], found)?,
            }
        }
        doc.touch(now)
    }

    fn put(
        &self,
        doc: &mut CheckpointDoc,
        path: &[&str],
        found: Member,
    ) -> Result<(), CheckpointEditError> {
        if found.kind == JsonKind::Null {
            return Ok(());
        }
        if let (["git", "remote_url"], Some(git)) = (path, &self.doc.head().git) {
            let url = git.remote_url.as_deref().unwrap_or_default();
            return doc.set_json(path, &redact_url(url));
        }
        doc.set_raw(path, found.value.of(self.doc.to_bytes()))
    }

    /// Returns the members of an object with their names; of duplicates only the last one.
    fn members(&self, object: Option<Span>) -> Vec<(String, Member)> {
        let bytes = self.doc.to_bytes();
        let Some(object) = object else { return Vec::new() };
        let mut found: Vec<(String, Member)> = Vec::new();
        json::for_each_member(bytes, object, |reader, key| {
            let kind = reader.peek()?;
            let value = reader.skip()?;
            let name = key.to_text(bytes);
            found.retain(|(known, _)| *known != name);
            found.push((name, Member { key: key.span, value, kind }));
            Ok(())
        });
        found
    }

    fn fill(&mut self, path: &[&str], value: &serde_json::Value) {
        if !self.is_given(path) {
            self.set(path, value);
        }
    }

    fn set(&mut self, path: &[&str], value: &serde_json::Value) {
        // This cannot fail: the document was parsed as an object.
        let set = self.doc.set_raw(path, &pretty(value));
        debug_assert!(set.is_ok());
    }

    /// Returns whether there is a value other than null.
    fn is_given(&self, path: &[&str]) -> bool {
        let bytes = self.doc.to_bytes();
        let mut place = self.doc.layout.root.map(|root| (root, JsonKind::Object));
        for name in path {
            let found = place.and_then(|(span, _)| {
                json::member(bytes, span, Dialect::Json, name).ok().flatten()
            });
            place = found.map(|found| (found.value, found.kind));
        }
        place.is_some_and(|(_, kind)| kind != JsonKind::Null)
    }
}

/// Returns whether a diagnostic is about an invalid value rather than a missing one.
fn is_wrong(found: &Diagnostic) -> bool {
    match found.code {
        Code::CheckpointField | Code::CheckpointText => true,
        Code::CheckpointBadTime => found.line.is_some(),
        _ => false,
    }
}
