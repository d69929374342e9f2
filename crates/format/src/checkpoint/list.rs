//! The lists of a checkpoint: files and steps, each a text or an object.

use crate::json::{self, JsonKind, Reader, SyntaxError};
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

/// Returns the files of a list.
pub(super) fn files(bytes: &[u8], span: Option<Span>) -> Vec<FileTouched> {
    let mut found = Vec::new();
    each(bytes, span, |reader| {
        found.extend(file(reader)?);
        Ok(())
    });
    found
}

/// Skips an element of the list of files; returns whether it has a path.
pub(super) fn has_path(reader: &mut Reader<'_>) -> Result<bool, SyntaxError> {
    let bytes = reader.bytes();
    let mut found = false;
    match reader.peek()? {
        JsonKind::String => found = !reader.string()?.raw(bytes).is_empty(),
        JsonKind::Object => {
            reader.object(|reader, key| {
                if key.is(bytes, "path") {
                    let path = reader.string_or_skip()?;
                    found |= path.is_some_and(|path| !path.raw(bytes).is_empty());
                }
                Ok(())
            })?;
        }
        _ => {
            reader.skip()?;
        }
    }
    Ok(found)
}

/// Reads an element of the list of files; none if it has no path.
fn file(reader: &mut Reader<'_>) -> Result<Option<FileTouched>, SyntaxError> {
    let bytes = reader.bytes();
    let mut file = FileTouched::default();
    match reader.peek()? {
        JsonKind::String => file.path = reader.string()?.to_text(bytes),
        JsonKind::Object => {
            reader.object(|reader, key| {
                match key.name(bytes).as_ref() {
                    b"path" => {
                        if let Some(path) = text(reader)? {
                            file.path = path;
                        }
                    }
                    b"reason" => file.reason = text(reader)?,
                    b"deleted" => file.deleted |= reader.skip()?.of(bytes) == b"true",
                    b"status" => file.deleted |= text(reader)?.as_deref() == Some("deleted"),
                    _ => {}
                }
                Ok(())
            })?;
        }
        _ => {
            reader.skip()?;
        }
    }
    Ok(Some(file).filter(|file| !file.path.is_empty()))
}

/// Returns the steps of a list.
pub(super) fn steps(bytes: &[u8], span: Option<Span>, thread: &str) -> Vec<Step> {
    let mut found = Vec::new();
    let mut number = 0_usize;
    each(bytes, span, |reader| {
        number += 1;
        found.extend(step(reader, thread, number)?);
        Ok(())
    });
    found
}

/// Reads an element of the list of steps; none if it has no text.
pub(super) fn step(
    reader: &mut Reader<'_>,
    thread: &str,
    number: usize,
) -> Result<Option<Step>, SyntaxError> {
    let bytes = reader.bytes();
    let is_object = reader.peek()? == JsonKind::Object;
    let (mut id, mut step, mut status) = (None, None, StepStatus::Open);
    let (mut closed_at, mut closed_by, mut note) = (None, None, None);
    let span = if is_object {
        reader.object(|reader, key| {
            match key.name(bytes).as_ref() {
                b"id" => id = text(reader)?,
                b"step" | b"text" | b"title" if step.is_none() => step = text(reader)?,
                b"status" => {
                    status = text(reader)?.map(|word| StepStatus::parse(&word)).unwrap_or_default();
                }
                b"closed_at" => closed_at = text(reader)?,
                b"closed_by" => closed_by = text(reader)?,
                b"note" => note = text(reader)?,
                _ => {}
            }
            Ok(())
        })?
    } else {
        let found = reader.string_or_skip()?;
        step = found.map(|text| text.to_text(bytes)).filter(|text| !text.is_empty());
        found.map_or(Span::default(), |text| text.span)
    };
    Ok(step.map(|step| {
        let id = id.unwrap_or_else(|| format!("{thread}#{number}"));
        Step { id, step, status, number, closed_at, closed_by, note, span, is_object }
    }))
}

/// Reads the next value if it is a text that is not empty; any other value is skipped.
fn text(reader: &mut Reader<'_>) -> Result<Option<String>, SyntaxError> {
    let bytes = reader.bytes();
    let found = reader.string_or_skip()?.map(|text| text.to_text(bytes));
    Ok(found.filter(|text| !text.is_empty()))
}

fn each<'a>(
    bytes: &'a [u8],
    span: Option<Span>,
    read: impl FnMut(&mut Reader<'a>) -> Result<(), SyntaxError>,
) {
    let Some(span) = span else { return };
    json::for_each_element(bytes, span, read);
}
