//! Upgrades an auto-checkpoint to a full checkpoint in place.

use std::collections::BTreeSet;

use serde::Serialize;

use super::create::{AUTO_TAG, AUTO_TITLE, NewCheckpoint, clean, pretty};
use super::{CheckpointDoc, CheckpointEditError};
use crate::json::{self, Dialect, JsonKind};
use crate::span::Span;

impl CheckpointDoc {
    /// Takes over the values of a full checkpoint; the id, existing files and steps and unknown members stay.
    ///
    /// The title is replaced if the hook set it or if the full one has its own, and the tag `auto-checkpoint` is removed. The
    /// summary of the hook is kept in `metadata.auto_summary`.
    pub fn upgrade(&mut self, new: &NewCheckpoint) -> Result<(), CheckpointEditError> {
        self.writable()?;
        self.set_json(&["type"], &new.kind.as_str())?;
        self.set_members("git", &new.git_out())?;
        if let Some(worker) = new.worker_out() {
            self.set_json(&["worker"], &worker)?;
        }
        let full = new.file();
        let member = |name: &str| full.get(name).cloned().unwrap_or_default();
        self.keep_summary(&member("conversation_summary"))?;
        self.set_json(&["conversation_summary"], &member("conversation_summary"))?;
        self.add_missing("files_touched", &member("files_touched"))?;
        self.add_missing("next_steps", &member("next_steps"))?;
        if self.head().session_id.is_none() && full.get("session_id").is_some() {
            self.set_json(&["session_id"], &member("session_id"))?;
        }
        if let Some(agent) = new.agent.as_deref().filter(|_| self.head().agent.is_none()) {
            self.set_json(&["metadata", "agent"], &clean(agent))?;
        }
        self.retitle(new)?;
        self.retag(new)?;
        self.touch(new.created_at)
    }

    /// Keeps the summary of a hook, before another one replaces it.
    fn keep_summary(&mut self, new: &serde_json::Value) -> Result<(), CheckpointEditError> {
        let old = self.head().summary.clone().filter(|old| !old.trim().is_empty());
        match old.filter(|old| self.is_automatic() && Some(old.as_str()) != new.as_str()) {
            Some(old) => self.set_json(&["metadata", "auto_summary"], &old),
            None => Ok(()),
        }
    }

    /// Returns whether the checkpoint has the tag of auto-checkpoints.
    fn is_automatic(&self) -> bool {
        self.head().tags.iter().any(|tag| tag == AUTO_TAG)
    }

    fn retitle(&mut self, new: &NewCheckpoint) -> Result<(), CheckpointEditError> {
        let is_hooks =
            self.head().title.as_deref().is_none_or(|title| title.starts_with(AUTO_TITLE));
        match is_hooks || new.title.is_some() {
            true => self.set_json(&["metadata", "title"], &new.title_out()),
            false => Ok(()),
        }
    }

    fn retag(&mut self, new: &NewCheckpoint) -> Result<(), CheckpointEditError> {
        let mut tags = self.head().tags.clone();
        tags.retain(|tag| tag != AUTO_TAG);
        for tag in new.tags_out() {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags == self.head().tags {
            return Ok(());
        }
        self.set_json(&["metadata", "tags"], &tags)
    }

    /// Sets each member of an object, so that its other members stay.
    fn set_members(
        &mut self,
        name: &str,
        object: &impl Serialize,
    ) -> Result<(), CheckpointEditError> {
        let value = serde_json::to_value(object).unwrap_or_default();
        for (key, value) in value.as_object().into_iter().flatten() {
            self.set_json(&[name, key], value)?;
        }
        Ok(())
    }

    /// Adds missing entries to the files or the steps; a value that is not a list is replaced.
    pub(super) fn add_missing(
        &mut self,
        name: &str,
        values: &serde_json::Value,
    ) -> Result<(), CheckpointEditError> {
        let Some(span) = self.list_at(name) else {
            return self.set_json(&[name], values);
        };
        let known: BTreeSet<String> = match name {
            "files_touched" => self.files().into_iter().map(|file| file.path).collect(),
            _ => self.steps().into_iter().map(|step| step.step).collect(),
        };
        let is_fresh = |value: &&serde_json::Value| {
            let member = ["path", "step", "text", "title"].iter().find_map(|key| value.get(key));
            let text = value.as_str().or_else(|| member.and_then(serde_json::Value::as_str));
            !text.is_some_and(|text| known.contains(text))
        };
        let fresh: Vec<Vec<u8>> =
            values.as_array().into_iter().flatten().filter(is_fresh).map(pretty).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        // All are added at once: adding them one by one would parse the whole file each time.
        let many_lines = self.bytes.contains(&b'\n');
        let between: &[u8] = if many_lines { b",\n" } else { b", " };
        json::append(&mut self.bytes, span, Dialect::Json, &fresh.join(between))
            .map_err(|_| CheckpointEditError::Unusable)?;
        self.reload();
        Ok(())
    }

    fn list_at(&self, name: &str) -> Option<Span> {
        let found = json::member(&self.bytes, self.layout.root?, Dialect::Json, name).ok()??;
        (found.kind == JsonKind::Array).then_some(found.value)
    }

    /// Sets a value, unless it is already equal.
    pub(super) fn set_json(
        &mut self,
        path: &[&str],
        value: &impl Serialize,
    ) -> Result<(), CheckpointEditError> {
        let wanted = serde_json::to_value(value).unwrap_or_default();
        if self.value_at(path).as_ref() == Some(&wanted) {
            return Ok(());
        }
        self.set_raw(path, &pretty(value))
    }

    pub(super) fn value_at(&self, path: &[&str]) -> Option<serde_json::Value> {
        let mut span = self.layout.root?;
        for name in path {
            span = json::member(&self.bytes, span, Dialect::Json, name).ok()??.value;
        }
        // A string that cannot be decoded differs from every other value.
        serde_json::from_slice(span.of(&self.bytes)).ok()
    }
}
