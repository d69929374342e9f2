//! Edits of one step: it alone and `updated_at` change.

use super::list::{Step, StepStatus};
use super::{CheckpointDoc, EditError};
use crate::json::{self, Dialect};
use crate::span::splice;
use crate::time::Time;

/// How a step is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// What became of it.
    pub status: StepStatus,
    /// Who says so.
    pub by: String,
    /// What is to be said about it.
    pub note: Option<String>,
}

impl CheckpointDoc {
    /// Sets the status of the step at `index`; a step that is a plain text becomes an object.
    pub fn set_step(
        &mut self,
        index: usize,
        status: &StepStatus,
        now: Time,
    ) -> Result<(), EditError> {
        self.edit_step(index, &[("status", status.as_str())], &[], now)
    }

    /// Closes the step at `index`, and says when and by whom.
    pub fn close_step(
        &mut self,
        index: usize,
        closing: &Closing,
        now: Time,
    ) -> Result<(), EditError> {
        let at = now.to_string();
        let mut members = vec![
            ("status", closing.status.as_str()),
            ("closed_at", &at),
            ("closed_by", &closing.by),
        ];
        members.extend(closing.note.as_deref().map(|note| ("note", note)));
        self.edit_step(index, &members, &[], now)
    }

    /// Opens the step at `index` again; what was said about it stays.
    pub fn reopen_step(&mut self, index: usize, now: Time) -> Result<(), EditError> {
        let open = [("status", StepStatus::Open.as_str())];
        self.edit_step(index, &open, &["closed_at", "closed_by"], now)
    }

    fn edit_step(
        &mut self,
        index: usize,
        members: &[(&str, &str)],
        gone: &[&str],
        now: Time,
    ) -> Result<(), EditError> {
        self.writable()?;
        let step = self.step(index)?;
        if !step.is_object {
            let named = [("id", step.id.as_str()), ("step", &step.step)];
            let members = named
                .iter()
                .chain(members)
                .map(|(key, text)| [json::quote(key), b": ".to_vec(), json::quote(text)].concat());
            let members: Vec<Vec<u8>> = members.collect();
            let object = [b"{ ".as_slice(), &members.join(b", ".as_slice()), b" }"].concat();
            splice(&mut self.bytes, step.span, &object);
            self.reload();
            return self.touch(now);
        }
        for (key, text) in members {
            let span = self.step(index)?.span;
            json::set(&mut self.bytes, span, Dialect::Json, &[key], &json::quote(text))
                .map_err(|_| EditError::Unusable)?;
            self.reload();
        }
        for key in gone {
            let span = self.step(index)?.span;
            json::remove(&mut self.bytes, span, Dialect::Json, &[key])
                .map_err(|_| EditError::Unusable)?;
            self.reload();
        }
        self.touch(now)
    }

    fn step(&self, index: usize) -> Result<Step, EditError> {
        self.steps().into_iter().nth(index).ok_or(EditError::NoStep { index })
    }
}
