use std::io::Write;

use anstyle::Style;
use serde::Serialize;
use skein_format::time::Time;
use skein_model::LocalClock;
use skein_model::sanitize::write_json;

use crate::error::CliError;
use crate::terminal::escape_control;

/// Where a command prints, and how.
pub(crate) struct Output<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    pub(crate) color: bool,
    /// The columns of the terminal; none where the output goes elsewhere and lines are not fitted to a width.
    pub(crate) width: Option<usize>,
    pub(crate) json: bool,
    pub(crate) now: Time,
    /// What times are written by.
    pub(crate) clock: LocalClock,
}

impl Output<'_> {
    /// Prints a line of data.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), CliError> {
        writeln!(self.out, "{text}").map_err(CliError::from_output)
    }

    /// Prints a line for the person, beside the data.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), CliError> {
        self.out.flush().map_err(CliError::from_output)?;
        writeln!(self.err, "{}", escape_control(text)).map_err(CliError::from_output)
    }

    /// Prints one JSON document, with escapes for characters that cannot be seen.
    pub(crate) fn document(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        write_json(&mut self.out, value).map_err(|error| CliError::from_output(error.into()))?;
        self.line("")
    }

    /// Puts a style around a text, where colour is used.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        paint(self.color, style, text)
    }
}

/// Puts a style around a text, where colour is used.
pub(crate) fn paint(color: bool, style: Style, text: &str) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
