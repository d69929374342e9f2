//! The lists of a checkpoint: files and steps, each a text or an object.

use crate::json::{self, JsonKind, Reader, Str, SyntaxError};
use crate::span::Span;

/// A file that was created, changed or deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTouched {
    /// Its path as written.
    pub path: String,
    /// The reason, if there is one.
    pub reason: Option<String>,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// The state of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StepStatus {
    /// Not done yet.
    #[default]
    Open,
    /// Done.
    Done,
    /// Abandoned.
    Dropped,
    /// Any other status, as written.
    Other(String),
}

impl StepStatus {
    /// Parses the value of `status`.
    pub fn parse(word: &str) -> Self {
        match word {
            "open" => Self::Open,
            "done" => Self::Done,
            "dropped" => Self::Dropped,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the value of `status`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Dropped => "dropped",
            Self::Other(word) => word,
        }
    }

    /// Returns whether something is left to do.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Done | Self::Dropped)
    }
}

/// An entry of `next_steps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its id, or else the checkpoint's id with its number.
    pub id: String,
    /// The text of the step.
    pub step: String,
    pub status: StepStatus,
    /// Its position among the entries of the list, from 1.
    pub number: usize,
    /// When it was closed, as written.
    pub closed_at: Option<String>,
    /// The person or agent that closed it.
    pub closed_by: Option<String>,
    /// A note about it.
    pub note: Option<String>,
    /// Its location in the file.
    pub span: Span,
    /// Whether it is an object, rather than a plain text.
    pub is_object: bool,
}

/// Returns the texts of a list; other values are left out.
pub(super) fn strings(bytes: &[u8], span: Option<Span>) -> Vec<String> {
    let mut found = Vec::new();
    each(bytes, span, |reader| {
        found.extend(reader.string_or_skip()?.map(|text| text.to_text(bytes)));
        Ok(())
    });
    found
}

/// Skips an element of a list of texts; returns whether it is one.
pub(super) fn is_text(reader: &mut Reader<'_>) -> Result<bool, SyntaxError> {
    Ok(reader.string_or_skip()?.is_some())
}

/// Returns the files of a list.
pub(super) fn files(bytes: &[u8], span: Option<Span>) -> Vec<FileTouched> {
    let mut found = Vec::new();
    each(bytes, span, |reader| {
        let FileParts { path, reason, deleted } = file(reader)?;
        let text = |part: Str| part.to_text(bytes);
        found.extend(path.map(|path| FileTouched {
            path: text(path),
            reason: reason.map(text),
            deleted,
        }));
        Ok(())
    });
    found
}

/// Skips an element of the list of files; returns whether it has a path.
pub(super) fn has_path(reader: &mut Reader<'_>) -> Result<bool, SyntaxError> {
    Ok(file(reader)?.path.is_some())
}

/// The parts of an element of the list of files.
#[derive(Default)]
struct FileParts {
    path: Option<Str>,
    reason: Option<Str>,
    deleted: bool,
}

/// Reads an element of the list of files.
fn file(reader: &mut Reader<'_>) -> Result<FileParts, SyntaxError> {
    let bytes = reader.bytes();
    let mut file = FileParts::default();
    if reader.peek()? != JsonKind::Object {
        file.path = text(reader)?;
        return Ok(file);
    }
    reader.object(|reader, key| {
        match key.name(bytes).as_ref() {
            b"path" => file.path = text(reader)?.or(file.path),
            b"reason" => file.reason = text(reader)?,
            b"deleted" => file.deleted |= reader.skip()?.of(bytes) == b"true",
            b"status" => {
                file.deleted |= text(reader)?.is_some_and(|status| status.is(bytes, "deleted"));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(file)
}

/// Returns the steps of a list.
pub(super) fn steps(bytes: &[u8], span: Option<Span>, thread: &str) -> Vec<Step> {
    let mut found = Vec::new();
    let mut number = 0_usize;
    each(bytes, span, |reader| {
        number += 1;
        found.extend(step(reader)?.into_step(bytes, thread, number));
        Ok(())
    });
    found
}

/// Skips an element of the list of steps; returns whether it is open, or none if it has no text.
pub(super) fn is_open_step(reader: &mut Reader<'_>) -> Result<Option<bool>, SyntaxError> {
    let step = step(reader)?;
    Ok(step.step.map(|_| step.status(reader.bytes()).is_open()))
}

/// The parts of an element of the list of steps.
#[derive(Default)]
struct StepParts {
    id: Option<Str>,
    step: Option<Str>,
    status: Option<Str>,
    closed_at: Option<Str>,
    closed_by: Option<Str>,
    note: Option<Str>,
    span: Span,
    is_object: bool,
}

impl StepParts {
    fn status(&self, bytes: &[u8]) -> StepStatus {
        self.status.map(|word| StepStatus::parse(&word.decode(bytes).text)).unwrap_or_default()
    }

    /// Returns the step; none if it has no text.
    fn into_step(self, bytes: &[u8], thread: &str, number: usize) -> Option<Step> {
        let text = |part: Str| part.to_text(bytes);
        Some(Step {
            step: text(self.step?),
            id: self.id.map_or_else(|| format!("{thread}#{number}"), text),
            status: self.status(bytes),
            number,
            closed_at: self.closed_at.map(text),
            closed_by: self.closed_by.map(text),
            note: self.note.map(text),
            span: self.span,
            is_object: self.is_object,
        })
    }
}

/// Reads an element of the list of steps.
fn step(reader: &mut Reader<'_>) -> Result<StepParts, SyntaxError> {
    let bytes = reader.bytes();
    let mut step = StepParts::default();
    if reader.peek()? != JsonKind::Object {
        step.step = text(reader)?;
        step.span = step.step.map_or(Span::default(), |text| text.span);
        return Ok(step);
    }
    step.is_object = true;
    step.span = reader.object(|reader, key| {
        match key.name(bytes).as_ref() {
            b"id" => step.id = text(reader)?,
            b"step" | b"text" | b"title" if step.step.is_none() => step.step = text(reader)?,
            b"status" => step.status = text(reader)?,
            b"closed_at" => step.closed_at = text(reader)?,
            b"closed_by" => step.closed_by = text(reader)?,
            b"note" => step.note = text(reader)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(step)
}

/// Reads the next value if it is a text that is not empty; any other value is skipped.
fn text(reader: &mut Reader<'_>) -> Result<Option<Str>, SyntaxError> {
    let bytes = reader.bytes();
    Ok(reader.string_or_skip()?.filter(|text| !text.raw(bytes).is_empty()))
}

fn each<'a>(
    bytes: &'a [u8],
    span: Option<Span>,
    read: impl FnMut(&mut Reader<'a>) -> Result<(), SyntaxError>,
) {
    let Some(span) = span else { return };
    json::for_each_element(bytes, span, read);
}
