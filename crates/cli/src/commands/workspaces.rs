use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use skein_model::sanitize::one_line;
use skein_workspace::registry;
use skein_workspace::registry::KnownWorkspace;

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::progress::ProgressBar;
use crate::render::table;

/// Lists the workspaces on this machine in which Skein was used.
///
/// A workspace is added when you run a command in it and it has review threads or checkpoints; hooks add none. A search with
/// `--everywhere` covers these workspaces. Forgetting one deletes nothing in it.
#[derive(Args, Debug)]
pub(crate) struct WorkspacesArgs {
    #[command(subcommand)]
    command: Option<WorkspacesCommand>,
}

#[derive(Debug, Subcommand)]
enum WorkspacesCommand {
    /// Lists them, with the number of threads in each.
    List,
    /// Removes a workspace from the list until you run a command there again.
    Forget {
        /// Its root, as listed.
        #[arg(required_unless_present = "gone")]
        root: Option<PathBuf>,

        /// Removes all whose root does not exist any more.
        #[arg(long, conflicts_with = "root")]
        gone: bool,
    },
}

pub(crate) fn run_workspaces(context: &mut CliContext<'_>, args: &WorkspacesArgs) -> CliResult {
    match &args.command {
        None | Some(WorkspacesCommand::List) => list(context)?,
        Some(WorkspacesCommand::Forget { root: Some(root), .. }) => forget(context, root)?,
        Some(WorkspacesCommand::Forget { root: None, .. }) => forget_gone(context)?,
    }
    Ok(())
}

fn list(context: &mut CliContext<'_>) -> CliResult {
    let workspaces =
        registry::list(&context.workspace.env, &ProgressBar::new(context.machine, "Counting"));
    if context.output.print_json(&json!({ "workspaces": workspaces }))? {
        return Ok(());
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
            "No workspaces yet. A workspace is added when you run a command where threads exist.",
        )?;
    } else if gone > 0 {
        let is = if gone == 1 { "is" } else { "are" };
        let text = format!(
            "{gone} {is} gone; `skein workspaces forget --gone` removes them from the list"
        );
        context.output.note(&text)?;
    }
    Ok(())
}

fn forget(context: &mut CliContext<'_>, root: &Path) -> CliResult {
    match registry::forget(&context.workspace.env, root)? {
        Some(root) => print_forgotten(context, &[root.display().to_string()]),
        None => Err(CliError::new(
            format!("unknown workspace: {}", root.display()),
            "run `skein workspaces list` to see every workspace",
        )),
    }
}

fn forget_gone(context: &mut CliContext<'_>) -> CliResult {
    let mut forgotten = Vec::new();
    for root in registry::gone(&context.workspace.env) {
        let root = registry::forget(&context.workspace.env, &root)?;
        forgotten.extend(root.map(|root| root.display().to_string()));
    }
    print_forgotten(context, &forgotten)
}

fn print_forgotten(context: &mut CliContext<'_>, forgotten: &[String]) -> CliResult {
    if context.output.print_json(&json!({ "forgotten": forgotten }))? {
        return Ok(());
    }
    for root in forgotten {
        context.output.line(&format!("Forgot {}", one_line(root)))?;
    }
    if forgotten.is_empty() {
        return context.output.note("Every workspace in the list still exists.");
    }
    if forgotten.iter().any(|root| Path::new(root).exists()) {
        let text = "Nothing in it was changed. It is added again when you run a command there.";
        context.output.note(text)?;
    }
    Ok(())
}
