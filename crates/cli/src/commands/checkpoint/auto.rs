use clap::Args;
use serde_json::json;
use skein_checkpoints::AutoCheckpoint;

use super::{AgentSessionArgs, CliContext, FilesArgs, message, print};
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::error::CliResult;

/// The trigger for a commit.
const COMMIT: &str = "git-commit";

/// Saves an automatic checkpoint, as hooks do.
///
/// It records what was done, which files were touched and the state of git; `INDEX.md` and `recent.md` are not
/// updated. With the trigger `git-commit` it describes the current commit, and is written once per commit.
#[derive(Args, Debug)]
pub(crate) struct AutoArgs {
    /// The trigger, such as `git-commit`.
    #[arg(long, value_name = "NAME")]
    trigger: String,

    /// What was done; by default the message of the commit, or the trigger. `-` reads it from stdin.
    #[arg(long, short, value_name = "SUMMARY")]
    message: Vec<String>,

    /// A title; by default the start of the summary.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: AgentSessionArgs,

    #[command(flatten)]
    new_store: NewStoreArgs,
}

pub(super) fn run_auto(context: &mut CliContext<'_>, args: &AutoArgs) -> CliResult {
    let git = context.workspace.git.as_ref().filter(|_| args.trigger == COMMIT);
    let commit = git.and_then(|git| git.head_commit());
    let auto = AutoCheckpoint {
        trigger: args.trigger.clone(),
        title: args.title.clone(),
        summary: message(context, &args.message, &args.files)?,
        slug: None,
        files: args.files.read(context)?,
        touched: Vec::new(),
        session: args.session.session.clone(),
        transcript: None,
        commit,
        are_files_unknown: false,
        deadline: None,
        with_changes: false,
        create: true,
    };
    if !args.new_store.consent(context, NewStore::Checkpoints)? {
        return Ok(());
    }
    match skein_checkpoints::save_auto(&context.workspace, &auto)? {
        Some(saved) => {
            // Only an auto-checkpoint of a known session can become a full one.
            let hint = match saved.session_id {
                Some(_) => {
                    "`skein checkpoint save -m SUMMARY` makes it a full checkpoint".to_owned()
                }
                None => format!("`skein show {}` shows it", saved.id),
            };
            print(context, &saved, &hint)
        }
        None if context.output.print_json(&json!({ "action": "none" }))? => Ok(()),
        None => context.output.note("Nothing was written: the commit already has a checkpoint"),
    }
}
