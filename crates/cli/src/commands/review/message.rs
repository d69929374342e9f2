//! The text of a comment: given, from a file, from stdin, or written in an editor.

use std::path::PathBuf;

use clap::Args;
use skein_engine::Scratch;

use crate::commands::Context;
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
            return stdin(context).map(Some);
        }
        if !self.message.is_empty() {
            return Ok(Some(self.message.join("\n\n")));
        }
        match &self.file {
            None => Ok(None),
            Some(path) if path.as_os_str() == "-" => stdin(context).map(Some),
            Some(path) => {
                let path = context.env.dir.join(path);
                let read = std::fs::read_to_string(&path);
                read.map(Some).map_err(|source| CliError::Input { path, source })
            }
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
            Some(text) => Message { text, scratch: None },
            None => written(context, start, about)?,
        };
        if message.text.trim().is_empty() {
            message.done()?;
            return Err(CliError::EmptyMessage);
        }
        Ok(message)
    }
}

/// The text of a comment; what came from an editor is kept until [`Message::done`].
pub(crate) struct Message {
    pub(crate) text: String,
    scratch: Option<Scratch>,
}

impl Message {
    pub(crate) fn given(text: String) -> Self {
        Self { text, scratch: None }
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
        Ok(self.scratch.map_or(Ok(()), Scratch::discard)?)
    }
}

/// Below this line nothing belongs to the comment.
const CUT: &str = "------------------------ >8 ------------------------";

fn written(context: &mut Context<'_>, start: &str, about: &str) -> Result<Message, CliError> {
    let note = "The comment stands above this line; an empty one is not written.";
    let text = format!("{start}\n\n{CUT}\n{note}\n\n{about}\n");
    let scratch = Scratch::create(&context.env, "comment", ".md", &text)?;
    context.output.finish()?;
    if let Err(error) = program::edit(context.machine, &scratch.path, None) {
        return Err(error.keeping(&scratch.path));
    }
    let text = scratch.read()?;
    let said = text.split(CUT).next().unwrap_or_default().trim().to_owned();
    Ok(Message { text: said, scratch: Some(scratch) })
}

pub(crate) fn stdin(context: &mut Context<'_>) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = context.input.read_to_end(&mut bytes);
    read.map_err(|source| CliError::Input { path: PathBuf::from("-"), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
