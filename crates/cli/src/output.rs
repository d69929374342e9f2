use std::io::Write;

use anstyle::Style;
use serde::Serialize;
use skein_format::time::Time;
use skein_model::LocalClock;
use skein_model::sanitize::{escape_control, one_line, write_json};
use skein_model::view::FileDiagnostic;

use crate::error::{CliError, CliResult};
use crate::style::paint;
use crate::wrap::wrap;

/// The output streams of a command, and their options.
pub(crate) struct Output<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    pub(crate) color: bool,
    /// The columns of the terminal; none if the output is not a terminal, so that lines are not truncated.
    pub(crate) width: Option<usize>,
    pub(crate) is_json: bool,
    pub(crate) now: Time,
    /// Formats times in the time zone of the user.
    pub(crate) clock: LocalClock,
}

impl Output<'_> {
    /// Prints a line of data.
    pub(crate) fn line(&mut self, text: &str) -> CliResult {
        writeln!(self.out, "{text}").map_err(CliError::from_output)
    }

    /// Prints a line for a person; on a terminal it is wrapped between its words.
    pub(crate) fn prose(&mut self, text: &str) -> CliResult {
        match self.width {
            Some(width) => wrap(text, width).iter().try_for_each(|line| self.line(line)),
            None => self.line(text),
        }
    }

    /// Prints a line for a person in a style.
    pub(crate) fn styled(&mut self, style: Style, text: &str) -> CliResult {
        self.prose(&self.paint(style, text))
    }

    /// Prints `ID: text` or similar, with the id in colour.
    pub(crate) fn line_with_id(&mut self, before: &str, id: &str, after: &str) -> CliResult {
        let id = self.paint(crate::style::HANDLE, &one_line(id));
        self.prose(&format!("{before}{id}{after}"))
    }

    /// Prints a message for a person, on stderr.
    pub(crate) fn note(&mut self, text: &str) -> CliResult {
        self.finish()?;
        writeln!(self.err, "{}", escape_control(text)).map_err(CliError::from_output)
    }

    pub(crate) fn notes<'t>(&mut self, notes: impl IntoIterator<Item = &'t String>) -> CliResult {
        notes.into_iter().try_for_each(|note| self.note(note))
    }

    pub(crate) fn warnings<'t>(
        &mut self,
        diagnostics: impl IntoIterator<Item = &'t FileDiagnostic>,
    ) -> CliResult {
        let warning = |diag: &FileDiagnostic| format!("Warning: {} [{}]", diag.message, diag.code);
        diagnostics.into_iter().try_for_each(|diag| self.note(&warning(diag)))
    }

    /// Prints a value as JSON if `--json` is given, and returns whether it was printed.
    pub(crate) fn print_json(&mut self, value: &impl Serialize) -> CliResult<bool> {
        if self.is_json {
            self.document(value)?;
        }
        Ok(self.is_json)
    }

    /// Prints one JSON document, with invisible characters escaped.
    pub(crate) fn document(&mut self, value: &impl Serialize) -> CliResult {
        write_json(&mut self.out, value).map_err(|error| CliError::from_output(error.into()))?;
        self.line("")
    }

    /// Applies a style to a text, if colour is used.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        paint(self.color, style, text)
    }

    /// Returns what a function prints, in the format of this output.
    pub(crate) fn capture(
        &mut self,
        print: impl FnOnce(&mut Output<'_>) -> CliResult,
    ) -> CliResult<String> {
        let mut bytes = Vec::new();
        let Self { color, width, is_json, now, clock, .. } = *self;
        let (out, err) = (&mut bytes, &mut *self.err);
        print(&mut Output { out, err, color, width, is_json, now, clock })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Flushes the buffered output.
    pub(crate) fn finish(&mut self) -> CliResult {
        self.out.flush().map_err(CliError::from_output)
    }
}
