//! The text of a comment: given, from a file, from stdin, or written in an editor.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use skein_workspace::EditorFile;

use crate::commands::Context;
use crate::commands::stdin::{self, is_stdin};
use crate::error::CliError;
use crate::program;

/// Where the text of a comment comes from.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MessageArgs {
    /// The text, in Markdown; given twice, each is a paragraph. `-` reads it from stdin.
    #[arg(long = "message", short = 'm', value_name = "TEXT", conflicts_with = "file")]
    message: Vec<String>,

    /// Reads the text from a file; `-` is stdin.
    #[arg(long = "message-file", short = 'F', value_name = "FILE")]
    file: Option<PathBuf>,
}

impl MessageArgs {
    /// Returns the text, where one is given.
    pub(crate) fn given(&self, context: &mut Context<'_>) -> Result<Option<String>, CliError> {
        if self.message.as_slice() == ["-"] {
            return stdin::text(context).map(Some);
        }
        if !self.message.is_empty() {
            return Ok(Some(self.message.join("\n\n")));
        }
        match &self.file {
            None => Ok(None),
            Some(path) if is_stdin(path) => stdin::text(context).map(Some),
            Some(path) => {
                let path = context.env.dir.join(path);
                let text = std::fs::read_to_string(&path)
                    .map_err(|source| CliError::Input { path: path.clone(), source })?;
                // What an editor left has the line that ends the comment, and what stands below it.
                let is_comment = |name: &OsStr| name.to_string_lossy().starts_with(COMMENT);
                let kept = path.file_name().is_some_and(is_comment)
                    && EditorFile::is_one(&context.env, &path);
                Ok(Some(if kept { cut(&text).0.trim().to_owned() } else { text }))
            }
        }
    }

    /// Returns whether the text comes from stdin.
    pub(super) fn is_stdin(&self) -> bool {
        self.message.as_slice() == ["-"] || self.file.as_deref().is_some_and(is_stdin)
    }

    /// Reads stdin where the text comes from there, before anything else can fail.
    pub(super) fn read_stdin(&self, context: &mut Context<'_>) -> Result<(), CliError> {
        if self.is_stdin() { stdin::read(context).map(drop) } else { Ok(()) }
    }

    /// Returns the text of a comment that needs not be; one that is given says something.
    pub(super) fn optional(&self, context: &mut Context<'_>) -> Result<Option<String>, CliError> {
        match self.given(context)? {
            Some(text) if text.trim().is_empty() => Err(CliError::EmptyMessage),
            text => Ok(text),
        }
    }

    /// Returns the text, from an editor where none is given.
    ///
    /// `about` is shown below a line that is cut off with all that follows it.
    pub(crate) fn text(
        &self,
        context: &mut Context<'_>,
        start: &str,
        about: &str,
    ) -> Result<Message, CliError> {
        let message = match self.given(context)? {
            Some(text) => Message::given(text),
            None => written(context, start, about)?,
        };
        if !message.text.trim().is_empty() {
            return Ok(message);
        }
        match &message.scratch {
            // Whoever wrote below the line should not have written for nothing.
            Some(scratch) if message.below => Err(CliError::BelowLine.keeping(&scratch.path)),
            _ => message.done().and(Err(CliError::EmptyMessage)),
        }
    }
}

/// The text of a comment; what came from an editor is kept until [`Message::done`].
pub(crate) struct Message {
    pub(crate) text: String,
    scratch: Option<EditorFile>,
    /// Whether something was written where nothing counts.
    below: bool,
}

impl Message {
    pub(crate) fn given(text: String) -> Self {
        Self { text, scratch: None, below: false }
    }

    /// Hands on what a use case gave; if it failed, says where the text is kept.
    pub(crate) fn settle<T>(self, done: Result<T, CliError>) -> Result<T, CliError> {
        match (done, &self.scratch) {
            (Err(error), Some(scratch)) => Err(error.keeping(&scratch.path)),
            (Err(error), None) => Err(error),
            (Ok(value), _) => self.done().map(|()| value),
        }
    }

    fn done(self) -> Result<(), CliError> {
        Ok(self.scratch.map_or(Ok(()), EditorFile::discard)?)
    }
}

/// The start of the names of files in which comments are written.
const COMMENT: &str = "comment";

/// What stands in the middle of the line below which nothing belongs to the comment.
const SCISSORS: &str = " >8 ";

fn written(context: &mut Context<'_>, start: &str, about: &str) -> Result<Message, CliError> {
    let note = "The comment stands above this line; an empty one is not written.";
    let longest = [start, about].iter().flat_map(|text| text.lines()).filter_map(dashes).max();
    let dashes = "-".repeat(longest.map_or(24, |longest| longest + 1));
    let text = format!("{start}\n\n{dashes}{SCISSORS}{dashes}\n{note}\n\n{about}\n");
    let (scratch, edited) = edited(context, (COMMENT, ".md"), &text, CliError::keeping)?;
    let (said, rest) = cut(&edited);
    // Editors take white space off the ends of lines.
    let plain = |text: &str| text.lines().map(str::trim_end).collect::<String>();
    let below = !rest.trim().is_empty() && plain(rest) != plain(cut(&text).1);
    Ok(Message { text: said.trim().to_owned(), scratch: Some(scratch), below })
}

/// Has the user edit a text in a file of this name, and returns the file with what they left in it.
///
/// Where the editor fails, what was written until then is kept.
pub(super) fn edited(
    context: &mut Context<'_>,
    (name, suffix): (&str, &str),
    text: &str,
    keeping: fn(CliError, &Path) -> CliError,
) -> Result<(EditorFile, String), CliError> {
    let editor = program::editor(context.machine)?;
    let scratch = EditorFile::create(&context.env, name, suffix, text)?;
    context.output.finish()?;
    match (program::edit(&editor, &scratch.path, None), scratch.read()) {
        (Ok(()), Ok(left)) => Ok((scratch, left)),
        (Ok(()), Err(error)) => Err(error.into()),
        (Err(error), Ok(left)) if left == text => {
            scratch.discard()?;
            Err(error)
        }
        (Err(error), _) => Err(keeping(error, &scratch.path)),
    }
}

/// Splits a text at the line below which nothing belongs to the comment, the longest one of its kind.
fn cut(text: &str) -> (&str, &str) {
    let longest = text.lines().filter_map(dashes).max();
    let line = text.lines().find(|line| longest.is_some() && dashes(line) == longest);
    line.and_then(|line| text.split_once(line)).unwrap_or((text, ""))
}

/// Returns how many dashes stand on each side of the scissors on such a line.
fn dashes(line: &str) -> Option<usize> {
    let (left, right) = line.trim_end().split_once(SCISSORS)?;
    let only = |side: &str| side.len() >= 8 && side.bytes().all(|byte| byte == b'-');
    (only(left) && left == right).then_some(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_line_of_its_kind_ends_the_comment() {
        let (short, long) = ("-------- >8 --------", "---------- >8 ----------");
        assert_eq!(cut("a\nb"), ("a\nb", ""));
        assert_eq!(cut(&format!("a\n{long}\nb")), ("a\n", "\nb"));
        assert_eq!(
            cut(&format!("{short}\na\n{long}\n{short}")),
            (format!("{short}\na\n").as_str(), format!("\n{short}").as_str())
        );
        assert_eq!(cut("-- >8 --\na"), ("-- >8 --\na", ""));
    }
}
