//! The text of a comment: from an option, a file, stdin, or an editor.

use std::ffi::OsStr;
use std::path::Path;

use clap::Args;
use skein_workspace::{EditorFile, scissors};

use super::context::CliContext;
use super::stdin::{self, InputFile};
use crate::error::{CliError, CliResult};
use crate::program;

/// Where the text of a comment comes from.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MessageArgs {
    /// The text, in Markdown; repeat for more paragraphs. `-` reads it from stdin.
    #[arg(long = "message", short = 'm', value_name = "TEXT", conflicts_with = "file")]
    message: Vec<String>,

    /// Reads the text from a file; `-` is stdin.
    #[arg(long = "message-file", short = 'F', value_name = "FILE")]
    file: Option<InputFile>,
}

impl MessageArgs {
    /// Returns the text, if one is given.
    pub(crate) fn given(&self, context: &mut CliContext<'_>) -> CliResult<Option<String>> {
        if self.message.as_slice() == ["-"] {
            return stdin::text(context).map(Some);
        }
        if !self.message.is_empty() {
            return Ok(Some(self.message.join("\n\n")));
        }
        match &self.file {
            None => Ok(None),
            Some(file) if file.is_stdin() => stdin::text(context).map(Some),
            Some(file) => {
                let text = stdin::read_text(context, file)?;
                let path = file.path(context);
                // A kept editor file has the scissors line, and text below it.
                let is_comment = |name: &OsStr| name.to_string_lossy().starts_with(COMMENT);
                let kept = path.file_name().is_some_and(is_comment)
                    && EditorFile::is_one(&context.workspace.env, &path);
                Ok(Some(if kept { scissors::split(&text).0.trim().to_owned() } else { text }))
            }
        }
    }

    /// Returns whether no text is given, so that an editor must be opened.
    pub(crate) fn needs_editor(&self) -> bool {
        self.message.is_empty() && self.file.is_none()
    }

    /// Returns whether the text comes from stdin.
    pub(crate) fn is_stdin(&self) -> bool {
        self.message.as_slice() == ["-"] || self.file.as_ref().is_some_and(InputFile::is_stdin)
    }

    /// Reads stdin if the text comes from there, before another step can fail.
    pub(crate) fn read_stdin(&self, context: &mut CliContext<'_>) -> CliResult {
        if self.is_stdin() { stdin::read(context).map(drop) } else { Ok(()) }
    }

    /// Returns the text of an optional comment, which must not be empty if it is given.
    pub(crate) fn optional(&self, context: &mut CliContext<'_>) -> CliResult<Option<String>> {
        match self.given(context)? {
            Some(text) if text.trim().is_empty() => Err(empty_comment()),
            text => Ok(text),
        }
    }

    /// Returns the text, from an editor if none is given.
    ///
    /// `about` is shown below the scissors line, where text is ignored.
    pub(crate) fn text(
        &self,
        context: &mut CliContext<'_>,
        start: &str,
        about: &str,
    ) -> CliResult<Message> {
        let message = match self.given(context)? {
            Some(text) => Message::given(text),
            None => written(context, start, about)?,
        };
        if !message.text.trim().is_empty() {
            return Ok(message);
        }
        match &message.scratch {
            Some(scratch) if message.below => {
                let path = scratch.path.display();
                let message = "your text is below the scissors line and was ignored";
                Err(CliError::Refused { message: message.to_owned(), hint: None }.hinting(
                    format!("what you wrote is kept in {path}"),
                    format!("move it above the line, then reuse your text with `-F {path}`"),
                ))
            }
            _ => message.done().and(Err(empty_comment())),
        }
    }
}

/// The text of a comment; the editor's file is kept until [`Message::done`].
pub(crate) struct Message {
    pub(crate) text: String,
    scratch: Option<EditorFile>,
    /// Whether text was added below the scissors line.
    below: bool,
}

impl Message {
    pub(crate) fn given(text: String) -> Self {
        Self { text, scratch: None, below: false }
    }

    /// Returns the result of a use case; on an error, adds where the text is kept.
    pub(crate) fn settle<T>(self, done: CliResult<T>) -> CliResult<T> {
        match (done, &self.scratch) {
            (Err(error), Some(scratch)) => Err(error.keeping(&scratch.path)),
            (Err(error), None) => Err(error),
            (Ok(value), _) => self.done().map(|()| value),
        }
    }

    fn done(self) -> CliResult {
        Ok(self.scratch.map_or(Ok(()), EditorFile::discard)?)
    }
}

fn empty_comment() -> CliError {
    CliError::new("the comment is empty, so nothing was written", "enter a text with `-m TEXT`")
}

/// The prefix of the names of files in which comments are written.
const COMMENT: &str = "comment";

fn written(context: &mut CliContext<'_>, start: &str, about: &str) -> CliResult<Message> {
    let note = "Write the comment above this line. An empty comment is discarded.";
    let text = scissors::join(start, note, about);
    let (scratch, edited) = edited(context, (COMMENT, ".md"), &text, CliError::keeping)?;
    let (comment, rest) = scissors::split(&edited);
    // Editors remove white space at the ends of lines.
    let plain = |text: &str| text.lines().map(str::trim_end).collect::<String>();
    let below = !rest.trim().is_empty() && plain(rest) != plain(scissors::split(&text).1);
    Ok(Message { text: comment.trim().to_owned(), scratch: Some(scratch), below })
}

/// Opens a text in the user's editor, and returns the file and its new content.
///
/// If the editor fails, changed text is kept.
pub(crate) fn edited(
    context: &mut CliContext<'_>,
    (name, suffix): (&str, &str),
    text: &str,
    keeping: fn(CliError, &Path) -> CliError,
) -> CliResult<(EditorFile, String)> {
    let editor = program::editor(context.machine)?;
    let scratch = EditorFile::create(&context.workspace.env, name, suffix, text)?;
    context.output.finish()?;
    match (program::edit(context.machine, &editor, &scratch, None), scratch.read()) {
        (Ok(()), Ok(left)) => Ok((scratch, left)),
        (Ok(()), Err(error)) => Err(error.into()),
        (Err(error), Ok(left)) if left == text => {
            scratch.discard()?;
            Err(error)
        }
        (Err(error), _) => Err(keeping(error, &scratch.path)),
    }
}
