use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use skein_workspace::registry;
use skein_workspace::registry::KnownWorkspace;

use super::Context;
use crate::error::CliError;
use crate::progress::ProgressBar;
use crate::render::table;
use crate::terminal::one_line;

/// Lists the workspaces that Skein was used in on this machine.
///
/// A workspace is remembered when a command is used in it and it has review threads or checkpoints; hooks remember none. They are what
/// a search of the whole machine looks into. Forgetting one deletes nothing in it.
#[derive(Args, Debug)]
pub(crate) struct WorkspacesArgs {
    #[command(subcommand)]
    command: Option<WorkspacesCommand>,
}

#[derive(Debug, Subcommand)]
enum WorkspacesCommand {
    /// Lists them, with the number of threads in each.
    List,
    /// Forgets a workspace until a command is used there again.
    Forget {
        /// Its root, as the list shows it.
        #[arg(required_unless_present = "gone")]
        root: Option<PathBuf>,

        /// Forgets all whose root is not there any more.
        #[arg(long, conflicts_with = "root")]
        gone: bool,
    },
}

#[derive(Serialize)]
struct Listed {
    workspaces: Vec<KnownWorkspace>,
}

#[derive(Serialize)]
struct Forgotten {
    forgotten: Vec<String>,
}

pub(crate) fn run_workspaces(
    context: &mut Context<'_>,
    args: &WorkspacesArgs,
) -> Result<u8, CliError> {
    match &args.command {
        None | Some(WorkspacesCommand::List) => list(context)?,
        Some(WorkspacesCommand::Forget { root: Some(root), .. }) => forget(context, root)?,
        Some(WorkspacesCommand::Forget { root: None, .. }) => forget_gone(context)?,
    }
    Ok(crate::EXIT_OK)
}

fn known(context: &Context<'_>) -> Vec<KnownWorkspace> {
    registry::list(&context.env, &ProgressBar::new(context.machine, "Counting"))
}

fn list(context: &mut Context<'_>) -> Result<(), CliError> {
    let workspaces = known(context);
    if context.output.json {
        return context.output.document(&Listed { workspaces });
    }
    let cells = |one: &KnownWorkspace| {
        let count = |count: Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
        let root = one_line(&one.root);
        let state = if one.exists { "" } else { "gone" };
        vec![root, count(one.reviews), count(one.checkpoints), state.to_owned()]
    };
    let rows: Vec<Vec<String>> = workspaces.iter().map(cells).collect();
    table::plain(&mut context.output, &["root", "reviews", "checkpoints", ""], &rows, &[])?;
    let gone = workspaces.iter().filter(|one| !one.exists).count();
    if workspaces.is_empty() {
        context.output.note(
            "No workspace is known yet: one is as soon as a command is used where threads are.",
        )?;
    } else if gone > 0 {
        let is = if gone == 1 { "is" } else { "are" };
        let text =
            format!("{gone} {is} gone; `skein workspaces forget --gone` forgets those that are");
        context.output.note(&text)?;
    }
    Ok(())
}

fn forget(context: &mut Context<'_>, root: &Path) -> Result<(), CliError> {
    match registry::forget(&context.env, root)? {
        Some(root) => say(context, vec![root.display().to_string()]),
        None => Err(CliError::UnknownWorkspace { root: root.to_owned() }),
    }
}

fn forget_gone(context: &mut Context<'_>) -> Result<(), CliError> {
    let mut forgotten = Vec::new();
    for root in registry::gone(&context.env) {
        let root = registry::forget(&context.env, &root)?;
        forgotten.extend(root.map(|root| root.display().to_string()));
    }
    say(context, forgotten)
}

fn say(context: &mut Context<'_>, forgotten: Vec<String>) -> Result<(), CliError> {
    if context.output.json {
        return context.output.document(&Forgotten { forgotten });
    }
    for root in &forgotten {
        context.output.line(&format!("Forgot {}", one_line(root)))?;
    }
    if forgotten.is_empty() {
        return context.output.note("All that are known are still there.");
    }
    if forgotten.iter().any(|root| Path::new(root).exists()) {
        let text = "Nothing in it was changed. It comes back when a command is used there.";
        context.output.note(text)?;
    }
    Ok(())
}
