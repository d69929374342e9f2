use clap::Args;
use skein_checkpoints::{Save, WorkerGiven};

use super::input::check_stdin;
use super::{AgentSessionArgs, CliContext, FilesArgs, message, print};
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::commands::stdin::{self, InputFile};
use crate::error::CliResult;

/// Saves the state of the work, so that it can be resumed.
///
/// Branch, commits, files and uncommitted changes are read from git. An auto-checkpoint that a hook wrote in the
/// same session within the last five minutes becomes the full one, under a new id; the old id still finds it.
///
/// Example: skein checkpoint save -m "Parser done, tests green" --step "Write the docs"
///
/// With `--from` an agent passes the whole record as a JSON object, with the keys of the format; missing values are added, from
/// the other options first.
#[derive(Args, Debug)]
pub(crate) struct SaveArgs {
    /// A short name, such as `parser-rewrite`; by default made from the summary.
    #[arg(value_name = "SLUG")]
    slug: Option<String>,

    /// What was done, in a sentence or two; repeat for more paragraphs. `-` reads it from stdin.
    #[arg(long, short, value_name = "SUMMARY", required_unless_present = "from")]
    message: Vec<String>,

    /// A title; by default the start of the summary.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// A next step; can be repeated.
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,

    /// A tag to find it by; can be repeated.
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
    session: AgentSessionArgs,

    #[command(flatten)]
    new_store: NewStoreArgs,

    /// Reads the whole record from a JSON file; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    from: Option<InputFile>,
}

pub(super) fn run_save(context: &mut CliContext<'_>, args: &SaveArgs) -> CliResult {
    check_stdin(args.from.as_ref().is_some_and(InputFile::is_stdin), &args.files)?;
    let summary = message(context, &args.message, &args.files)?;
    let record = args.from.as_ref().map(|from| stdin::read_file(context, from)).transpose()?;
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
        return Ok(());
    }
    let saved = skein_checkpoints::save(&context.workspace, &save)?;
    let hint = format!("`skein resume {}` continues from here", saved.id);
    print(context, &saved, &hint)
}
