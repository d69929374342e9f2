use clap::Args;
use skein_engine::work::{self, Handoff};

use super::Context;
use super::checkpoint::{FilesArgs, SessionArgs, message, print};
use crate::error::CliError;

/// Hands the work over: to another session, another agent or a colleague.
///
/// Saves a checkpoint of the type `handoff` and lets `handoff.json` lead to it; `skein resume` follows it. What was handed over
/// before stays in the list.
///
/// Example: skein handoff -m "Parser done; the docs are next" --step "Write docs/parser.md"
#[derive(Args, Debug)]
pub(crate) struct HandoffArgs {
    /// What the next one should know first; given twice, each is a paragraph. `-` reads it from stdin.
    #[arg(long, short, value_name = "MESSAGE", required = true)]
    message: Vec<String>,

    /// A title; else it is the start of the message.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// Something left to do; can be given many times.
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,

    /// A word to find it by; can be given many times.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: SessionArgs,
}

pub(crate) fn run_handoff(context: &mut Context<'_>, args: &HandoffArgs) -> Result<u8, CliError> {
    let handoff = Handoff {
        message: message(context, &args.message, &args.files)?,
        title: args.title.clone(),
        steps: args.step.clone(),
        tags: args.tag.clone(),
        files: args.files.read(context)?,
        session: args.session.session.clone(),
    };
    let over = work::handoff(&context.workspace, &context.env, &handoff)?;
    if context.output.json {
        context.output.document(&over)?;
        return super::checkpoint::notes(context, &over.saved).map(|()| crate::DONE);
    }
    let before = over.previous.map(|id| format!("; before it was {id}"));
    let hint = format!("`skein resume` goes on from here{}", before.unwrap_or_default());
    print(context, &over.saved, &hint)
}
