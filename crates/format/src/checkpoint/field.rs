//! Fields that are read whatever they hold, and say so when it is not what they should.

use crate::diagnostic::{Code, DiagnosticList};
use crate::json::{self, Kind, Reader, SyntaxError};
use crate::span::{Span, line_of};
use crate::time::{self, Time};

/// Reads one value after another of a checkpoint, noting what cannot be used.
pub(super) struct Fields<'f> {
    pub(super) findings: &'f mut DiagnosticList,
}

impl Fields<'_> {
    /// Reads a text; null is none.
    pub(super) fn text(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<String>, SyntaxError> {
        match reader.peek()? {
            Kind::String => {
                let bytes = reader.bytes();
                let found = reader.string()?;
                let text = found.decode(bytes);
                if text.lossy {
                    let line = self.line(bytes, found.span);
                    let message = format!("`{name}` holds a broken character");
                    self.findings.push(Code::CheckpointText, line, message);
                }
                Ok(Some(text.text.into_owned()))
            }
            Kind::Null => reader.skip().map(|_| None),
            _ => self.wrong(reader, name, "a text").map(|()| None),
        }
    }

    /// Reads a yes or no; null is none.
    pub(super) fn flag(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<bool>, SyntaxError> {
        match reader.peek()? {
            Kind::Bool => {
                let bytes = reader.bytes();
                Ok(Some(reader.skip()?.of(bytes) == b"true"))
            }
            Kind::Null => reader.skip().map(|_| None),
            _ => self.wrong(reader, name, "true or false").map(|()| None),
        }
    }

    /// Reads the version of the format, a fraction rounded up; null is none.
    pub(super) fn version(&mut self, reader: &mut Reader<'_>) -> Result<Option<u64>, SyntaxError> {
        match reader.peek()? {
            Kind::Number => {
                let bytes = reader.bytes();
                let raw = reader.skip()?.of(bytes);
                Ok(json::as_u64(raw).or_else(|| json::ceiling(raw)))
            }
            Kind::Null => reader.skip().map(|_| None),
            _ => self.wrong(reader, "version", "a number").map(|()| None),
        }
    }

    /// Reads a time, as text in any known form or as a number.
    pub(super) fn time(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<Time>, SyntaxError> {
        let bytes = reader.bytes();
        match reader.peek()? {
            Kind::String => {
                let text = reader.string()?;
                let parsed = text.time(bytes);
                let (code, message) = match parsed {
                    Some(parsed) if !parsed.naive => return Ok(Some(parsed.time)),
                    Some(_) => {
                        (Code::CheckpointNaiveTime, format!("`{name}` names no zone; taken as UTC"))
                    }
                    None => (Code::CheckpointBadTime, format!("`{name}` is not a time")),
                };
                let line = self.line(bytes, text.span);
                self.findings.push(code, line, message);
                Ok(parsed.map(|parsed| parsed.time))
            }
            Kind::Number => {
                let span = reader.skip()?;
                let time = json::as_u64(span.of(bytes)).and_then(time::from_epoch);
                if time.is_none() {
                    let message = format!("`{name}` is not a time");
                    let line = self.line(bytes, span);
                    self.findings.push(Code::CheckpointBadTime, line, message);
                }
                Ok(time)
            }
            Kind::Null => reader.skip().map(|_| None),
            _ => self.wrong(reader, name, "a time").map(|()| None),
        }
    }

    /// Passes over an array and returns where it stands; null is none.
    pub(super) fn array(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<Option<Span>, SyntaxError> {
        match reader.peek()? {
            Kind::Array => reader.skip().map(Some),
            Kind::Null => reader.skip().map(|_| None),
            _ => self.wrong(reader, name, "a list").map(|()| None),
        }
    }

    /// Returns whether an object comes next; anything else is passed over.
    pub(super) fn is_object(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
    ) -> Result<bool, SyntaxError> {
        match reader.peek()? {
            Kind::Object => Ok(true),
            Kind::Null => reader.skip().map(|_| false),
            _ => self.wrong(reader, name, "an object").map(|()| false),
        }
    }

    fn wrong(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        wanted: &str,
    ) -> Result<(), SyntaxError> {
        let bytes = reader.bytes();
        let span = reader.skip()?;
        let line = self.line(bytes, span);
        self.findings.push(Code::CheckpointField, line, format!("`{name}` is not {wanted}"));
        Ok(())
    }

    fn line(&self, bytes: &[u8], span: Span) -> Option<u32> {
        (!self.findings.is_full()).then(|| line_of(bytes, span.start))
    }
}
