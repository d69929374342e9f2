use clap::Args;
use skein_review::CommentError;

use super::{AuthorArgs, CliContext, report};
use crate::commands::message::MessageArgs;
use crate::error::{CliError, CliResult};

/// Changes the text of your own comment.
#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    /// The comment; your last one by default.
    #[arg(value_name = "COMMENT")]
    comment: Option<String>,

    /// The text of the comment that you edit; refused if the comment has changed.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    was: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_edit(context: &mut CliContext<'_>, args: &EditArgs) -> CliResult {
    args.message.read_stdin(context)?;
    let actor = args.author.actor(context);
    let workspace = &context.workspace;
    let thread = skein_review::find(workspace, &args.id).map_err(CommentError::from)?;
    let mut old = skein_review::editable(workspace, &actor, &thread, args.comment.as_deref())?;
    if let Some(was) = &args.was {
        old.body.clone_from(was);
    }
    let message = args.message.text(context, &old.body, "")?;
    let workspace = &context.workspace;
    let done = skein_review::edit(workspace, &actor, &thread, &old, &message.text);
    let written = message.settle(done.map_err(CliError::from))?;
    report::print(context, &[written], &[])
}
