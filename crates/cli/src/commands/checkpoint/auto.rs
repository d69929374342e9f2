use clap::Args;
use serde::Serialize;
use skein_checkpoints::AutoCheckpoint;

use super::{FilesArgs, SessionArgs, message, print, report};
use crate::commands::Context;
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::error::CliError;

/// The trigger that is about a commit.
const COMMIT: &str = "git-commit";

/// Saves a light checkpoint, as hooks do by themselves.
///
/// It says what was done, which files were touched and what is checked out, and nothing else; `INDEX.md` and `recent.md` stay as
/// they are. With the trigger `git-commit` it is about the commit that is checked out, and written once for each.
#[derive(Args, Debug)]
pub(crate) struct AutoArgs {
    /// What set it off, such as `git-commit`.
    #[arg(long, value_name = "NAME")]
    trigger: String,

    /// What was done; else the commit says it, or the trigger. `-` reads it from stdin.
    #[arg(long, short, value_name = "SUMMARY")]
    message: Vec<String>,

    /// A title; else it is the start of the summary.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    #[command(flatten)]
    files: FilesArgs,

    #[command(flatten)]
    session: SessionArgs,

    #[command(flatten)]
    new_store: NewStoreArgs,
}

#[derive(Serialize)]
struct Nothing {
    action: &'static str,
}

pub(super) fn run_auto(context: &mut Context<'_>, args: &AutoArgs) -> Result<u8, CliError> {
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
        deadline: None,
        with_changes: false,
        create: true,
    };
    if !args.new_store.consent(context, NewStore::Checkpoints)? {
        return Ok(crate::EXIT_NEGATIVE);
    }
    match skein_checkpoints::save_auto(&context.workspace, &context.env, &auto)? {
        Some(saved) if context.output.json => {
            context.output.document(&saved)?;
            report::notes(context, &saved)?;
            Ok(crate::EXIT_OK)
        }
        Some(saved) => {
            // Only that of a known session is found again.
            let hint = match saved.session_id {
                Some(_) => "`skein checkpoint save -m SUMMARY` makes a full one of it".to_owned(),
                None => format!("`skein show {}` shows it", saved.id),
            };
            print(context, &saved, &hint)
        }
        None if context.output.json => {
            context.output.document(&Nothing { action: "none" })?;
            Ok(crate::EXIT_OK)
        }
        None => {
            context.output.note("Nothing was written: the commit has its checkpoint already")?;
            Ok(crate::EXIT_OK)
        }
    }
}
