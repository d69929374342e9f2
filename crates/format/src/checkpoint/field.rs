//! Reads fields of any type, and reports those of the wrong type.

use crate::diagnostic::{Code, DiagnosticList};
use crate::json::{self, JsonKind, Reader, Str, SyntaxError};
use crate::span::Span;
use crate::time::{self, Time};

/// Reads the values of a checkpoint, and reports those that cannot be used.
pub(super) struct Fields<'f> {
    pub(super) findings: &'f mut DiagnosticList,
}

impl Fields<'_> {
    /// Reads a text.
    pub(super) fn text(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<String>, SyntaxError> {
        let bytes = reader.bytes();
        let Some(found) = self.string(reader, name, "a text")? else { return Ok(None) };
        let text = found.decode(bytes);
        if text.lossy {
            let message = format!("`{name}` contains a broken character");
            self.findings.push_at(Code::CheckpointText, (bytes, found.span.start), message);
        }
        Ok(Some(text.text.into_owned()))
    }

    /// Reads a flag.
    pub(super) fn flag(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<bool>, SyntaxError> {
        let bytes = reader.bytes();
        let span = self.value(reader, name, JsonKind::Bool, "true or false")?;
        Ok(span.map(|span| span.of(bytes) == b"true"))
    }

    /// Reads the version; a fraction is rounded up.
    pub(super) fn version(&mut self, reader: &mut Reader<'_>) -> Result<Option<u64>, SyntaxError> {
        let bytes = reader.bytes();
        let raw = self.value(reader, "version", JsonKind::Number, "a number")?;
        let raw = raw.map(|span| span.of(bytes));
        Ok(raw.and_then(|raw| json::as_u64(raw).or_else(|| json::ceiling(raw))))
    }

    /// Reads a time: a text, or a number of seconds or milliseconds.
    pub(super) fn time(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<Time>, SyntaxError> {
        let bytes = reader.bytes();
        let (span, time) = if reader.peek()? == JsonKind::Number {
            let span = reader.skip()?;
            (span, json::as_u64(span.of(bytes)).and_then(time::from_epoch))
        } else {
            let Some(text) = self.string(reader, name, "a time")? else { return Ok(None) };
            let parsed = text.time(bytes);
            if parsed.is_some_and(|parsed| parsed.naive) {
                let message = format!("`{name}` has no time zone; UTC is assumed");
                self.findings.push_at(Code::CheckpointNaiveTime, (bytes, text.span.start), message);
            }
            (text.span, parsed.map(|parsed| parsed.time))
        };
        if time.is_none() {
            let message = format!("`{name}` is not a time");
            self.findings.push_at(Code::CheckpointBadTime, (bytes, span.start), message);
        }
        Ok(time)
    }

    /// Reads a list, calls `each` at every entry, and returns the span of the list.
    ///
    /// `each` returns whether it could read the entry. An entry that it could not is reported, unless it is null or a text:
    /// those are empty entries, which are skipped.
    pub(super) fn list<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        name: &str,
        wanted_entry: &str,
        mut each: impl FnMut(&mut Reader<'a>) -> Result<bool, SyntaxError>,
    ) -> Result<Option<Span>, SyntaxError> {
        if reader.peek()? != JsonKind::Array {
            return self.value(reader, name, JsonKind::Array, "a list");
        }
        let bytes = reader.bytes();
        let mut number = 0_usize;
        let span = reader.array(|reader| {
            number += 1;
            let kind = reader.peek()?;
            let start = reader.position();
            if !each(reader)? && !matches!(kind, JsonKind::Null | JsonKind::String) {
                let message = format!("entry {number} of `{name}` is not {wanted_entry}");
                self.findings.push_at(Code::CheckpointField, (bytes, start), message);
            }
            Ok(())
        })?;
        Ok(Some(span))
    }

    /// Returns whether the next value is an object; any other value is skipped.
    pub(super) fn is_object(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<bool, SyntaxError> {
        if reader.peek()? == JsonKind::Object {
            return Ok(true);
        }
        self.value(reader, name, JsonKind::Object, "an object").map(|_| false)
    }

    /// Reads a string; any other value is skipped, and reported unless it is null.
    fn string(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        wanted: &str,
    ) -> Result<Option<Str>, SyntaxError> {
        if reader.peek()? == JsonKind::String {
            return reader.string().map(Some);
        }
        self.value(reader, name, JsonKind::String, wanted).map(|_| None)
    }

    /// Skips a value, and returns its span if it has the kind; any other kind but null is reported.
    fn value(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        kind: JsonKind,
        wanted: &str,
    ) -> Result<Option<Span>, SyntaxError> {
        let found = reader.peek()?;
        let span = reader.skip()?;
        if found != kind && found != JsonKind::Null {
            let message = format!("`{name}` is not {wanted}");
            self.findings.push_at(Code::CheckpointField, (reader.bytes(), span.start), message);
        }
        Ok((found == kind).then_some(span))
    }
}
