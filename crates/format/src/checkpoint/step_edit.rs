//! Edits of steps: only the steps and `updated_at` change.

use std::collections::BTreeSet;

use super::list::{Step, StepStatus};
use super::{CheckpointDoc, CheckpointEditError};
use crate::json::{self, Dialect};
use crate::span::Span;
use crate::splices::Splices;
use crate::time::Time;

/// How a step is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The new status.
    pub status: StepStatus,
    /// The person or agent that closes it.
    pub by: String,
    /// A note about it.
    pub note: Option<String>,
}

impl CheckpointDoc {
    /// Sets the status of the step at `index`; a step that is a plain text becomes an object.
    pub fn set_step(
        &mut self,
        index: usize,
        status: &StepStatus,
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        self.edit_steps(&[index], &[("status", status.as_str())], &[], now)
    }

    /// Closes the steps at these indices, and writes when and by whom.
    pub fn close_steps(
        &mut self,
        indices: &[usize],
        closing: &Closing,
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        let at = now.to_string();
        let mut members = vec![
            ("status", closing.status.as_str()),
            ("closed_at", &at),
            ("closed_by", &closing.by),
        ];
        members.extend(closing.note.as_deref().map(|note| ("note", note)));
        self.edit_steps(indices, &members, &[], now)
    }

    /// Reopens the steps at these indices; their notes stay.
    pub fn reopen_steps(
        &mut self,
        indices: &[usize],
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        let open = [("status", StepStatus::Open.as_str())];
        self.edit_steps(indices, &open, &["closed_at", "closed_by"], now)
    }

    /// Sets members of steps, and removes others.
    ///
    /// The file is rebuilt once for all steps, so that the time stays linear.
    fn edit_steps(
        &mut self,
        indices: &[usize],
        members: &[(&str, &str)],
        removed: &[&str],
        now: Time,
    ) -> Result<(), CheckpointEditError> {
        self.writable()?;
        let steps = self.steps();
        let mut splices = Splices::default();
        for index in indices.iter().copied().collect::<BTreeSet<usize>>() {
            let step = steps.get(index).ok_or(CheckpointEditError::NoStep { index })?;
            splices.replace(step.span, &self.edited(step, members, removed)?);
        }
        self.bytes = splices.apply(&self.bytes);
        self.reload();
        self.touch(now)
    }

    /// Returns the text of a step with changed members; a step that is a plain text becomes an object.
    fn edited(
        &self,
        step: &Step,
        members: &[(&str, &str)],
        removed: &[&str],
    ) -> Result<Vec<u8>, CheckpointEditError> {
        if !step.is_object {
            let named = [("id", step.id.as_str()), ("step", &step.step)];
            let members = named
                .iter()
                .chain(members)
                .map(|(key, text)| [json::quote(key), b": ".to_vec(), json::quote(text)].concat());
            let members: Vec<Vec<u8>> = members.collect();
            return Ok([b"{ ".as_slice(), &members.join(b", ".as_slice()), b" }"].concat());
        }
        // An edit needs this from outside of the step: the line ending and the indent of its line.
        let mut text = match memchr::memchr(b'\n', &self.bytes) {
            Some(_) => json::eol_of(&self.bytes).to_vec(),
            None => Vec::new(),
        };
        text.extend(json::indent_at(&self.bytes, step.span.start));
        let start = text.len();
        text.extend_from_slice(step.span.of(&self.bytes));
        for (key, value) in members {
            let span = Span::new(start, text.len());
            json::set(&mut text, span, Dialect::Json, &[key], &json::quote(value))
                .map_err(|_| CheckpointEditError::Unusable)?;
        }
        for key in removed {
            let span = Span::new(start, text.len());
            json::remove(&mut text, span, Dialect::Json, &[key])
                .map_err(|_| CheckpointEditError::Unusable)?;
        }
        Ok(text.split_off(start))
    }
}
