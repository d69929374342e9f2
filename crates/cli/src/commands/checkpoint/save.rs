use std::path::PathBuf;

use clap::Args;
use skein_checkpoints::{Save, WorkerGiven};

use super::input::{bytes_of, check_stdin};
use super::{FilesArgs, SessionArgs, message, print, report};
use crate::commands::Context;
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::commands::stdin::is_stdin;
use crate::error::CliError;

/// Saves where the work stands, so that it can be resumed.
///
/// Branch, commits, files and whether something is not committed are taken from git. An auto-checkpoint that a hook wrote in the
/// same session within the last five minutes becomes the full one, under its id.
///
/// Example: skein checkpoint save -m "Parser done, tests green" --step "Write the docs"
///
/// With `--from` an agent hands over the whole record as a JSON object, in the keys of the format; what is missing is added, from
/// the other options first.
#[derive(Args, Debug)]
pub(crate) struct SaveArgs {
    /// A short name, such as `parser-rewrite`; else it is made of the summary.
    #[arg(value_name = "SLUG")]
    slug: Option<String>,

    /// What was done, in a sentence or two; given twice, each is a paragraph. `-` reads it from stdin.
    #[arg(long, short, value_name = "SUMMARY", required_unless_present = "from")]
    message: Vec<String>,

    /// A title; else it is the start of the summary.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// Something left to do; can be given many times.
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,

    /// A word to find it by; can be given many times.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// The worker that did it.
    #[arg(long, value_name = "ID")]
    worker: Option<String>,

    /// The skill that the worker executed.
    #[arg(long, value_name = "SKILL", requires = "worker")]
    skill: Option<String>,

    /// The worker's state: idle, loading, executing, verifying, completed or error [default: completed].
    #[arg(long, value_name = "STATE", requires = "worker")]
    state: Option<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: SessionArgs,

    #[command(flatten)]
    new_store: NewStoreArgs,

    /// Takes the whole record from a JSON file; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

pub(super) fn run_save(context: &mut Context<'_>, args: &SaveArgs) -> Result<u8, CliError> {
    check_stdin(args.from.as_deref().is_some_and(is_stdin), &args.files)?;
    let summary = message(context, &args.message, &args.files)?;
    let record = args.from.as_deref().map(|from| bytes_of(context, from)).transpose()?;
    let worker = args.worker.clone().map(|id| WorkerGiven {
        id,
        skill: args.skill.clone(),
        state: args.state.clone(),
    });
    let save = Save {
        slug: args.slug.clone(),
        summary,
        title: args.title.clone(),
        steps: args.step.clone(),
        tags: args.tag.clone(),
        worker,
        files: args.files.read(context)?,
        session: args.session.session.clone(),
        record,
    };
    if !args.new_store.consent(context, NewStore::Checkpoints)? {
        return Ok(crate::EXIT_NEGATIVE);
    }
    let saved = skein_checkpoints::save(&context.workspace, &context.env, &save)?;
    if context.output.json {
        context.output.document(&saved)?;
        report::notes(context, &saved)?;
        return Ok(crate::EXIT_OK);
    }
    let hint = format!("`skein resume {}` goes on from here", saved.id);
    print(context, &saved, &hint)
}
