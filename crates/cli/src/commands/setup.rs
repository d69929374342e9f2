//! `share` and `uninstall`: what a repository has of Skein.

use std::path::PathBuf;

use clap::Args;
use skein_install::setup;
use skein_install::setup::Setup;
use skein_workspace::{Workspace, discover_in};

use super::install::{self as install_lines, ScopeArgs};
use super::{Context, ask};
use crate::error::CliError;
use crate::terminal::escape_control;

/// Lets review threads and checkpoints travel with the repository.
///
/// Git sees them from then on, and merges threads comment by comment, checkpoints field by field, instead of leaving conflicts in them.
/// Checkpoints that are saved later are shared too.
#[derive(Args, Debug)]
pub(crate) struct ShareArgs {}

/// Takes back what Skein set up, for one agent or altogether; the threads stay.
///
/// With the name of an agent, what `install` did for it in this repository; `--user` takes back what serves you in every directory. Without a name: everything that `init`, `install` and `share` set up in
/// this repository, in all worktrees of the clone, for every agent. At a terminal it lists what changes and asks first; what stays is listed.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The agent: claude-code, codex, opencode, or git.
    #[arg(value_name = "AGENT", conflicts_with = "purge")]
    agent: Option<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// In every repository on this machine, and for you in every directory.
    #[arg(long, conflicts_with = "agent")]
    everywhere: bool,

    /// Shows what would change, and writes nothing.
    #[arg(long, short = 'n', conflicts_with = "purge")]
    dry_run: bool,

    /// Moves the review threads to the trash too, and removes the store; asks first.
    #[arg(long)]
    purge: bool,

    /// Does not ask.
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run_share(context: &mut Context<'_>, _args: &ShareArgs) -> Result<u8, CliError> {
    let setup = setup::share(&context.workspace, &context.env)?;
    print(context, &setup)
}

pub(crate) fn run_uninstall(
    context: &mut Context<'_>,
    args: &UninstallArgs,
) -> Result<u8, CliError> {
    if let Some(agent) = &args.agent {
        let (workspace, env) = (&context.workspace, &context.env);
        let scope = args.scope.scope();
        let report = skein_install::uninstall(workspace, env, agent, scope, args.dry_run)?;
        return install_lines::print(context, &report);
    }
    if args.purge && !args.yes {
        if !context.can_ask {
            return Err(CliError::CannotAsk { what: "`uninstall --purge`" });
        }
        let store = context.workspace.reviews.store();
        if !ask(context, &format!("Move every review thread of {} to the trash?", store.display()))?
        {
            context.output.note("Nothing was changed.")?;
            return Ok(crate::EXIT_NEGATIVE);
        }
    }
    if context.can_ask && !args.yes && !args.purge && !args.dry_run && !agrees(context, args)? {
        context.output.note("Nothing was changed.")?;
        return Ok(crate::EXIT_NEGATIVE);
    }
    let (setup, report) = take_back(context, args, args.dry_run)?;
    print(context, &setup)?;
    for failed in &report.failed {
        context.output.note(&format!("Not done: {failed}"))?;
    }
    Ok(install_lines::code(&report))
}

/// Lists what would change, and asks; there is nothing to ask where nothing would.
fn agrees(context: &mut Context<'_>, args: &UninstallArgs) -> Result<bool, CliError> {
    let (setup, report) = take_back(context, args, true)?;
    if setup.done.iter().all(|line| is_about_what_stays(line)) && !report.changes_anything() {
        return Ok(true);
    }
    for line in &setup.done {
        context.output.note(line)?;
    }
    ask(context, "Do that?")
}

fn is_about_what_stays(line: &str) -> bool {
    line.contains(" stay: ") || line.contains(" stays: ")
}

/// Takes back what is set up here or everywhere, and says what was done.
fn take_back(
    context: &Context<'_>,
    args: &UninstallArgs,
    dry_run: bool,
) -> Result<(Setup, skein_install::InstallReport), CliError> {
    let (workspace, env) = (&context.workspace, &context.env);
    // A store that was made for hooks can go once nothing of what is shared is in it.
    let taken = setup::uninstall(workspace, env, args.purge, dry_run)?;
    // What is remembered is forgotten with the rest.
    let others = elsewhere(context, args);
    let mut report = match args.everywhere {
        true => skein_install::uninstall_all(workspace, env, dry_run)?,
        false => skein_install::uninstall_here(workspace, env, dry_run)?,
    };
    let (mut done_elsewhere, mut stays_elsewhere) = (Vec::new(), Vec::new());
    for other in others {
        match setup::uninstall(&other, env, false, dry_run) {
            Ok(others) => {
                done_elsewhere.extend(others.done.iter().map(|line| in_root(line, &other)));
            }
            // One workspace must not keep the others from being set free.
            Err(error) => report.failed.push(in_root(&error.to_string(), &other)),
        }
        stays_elsewhere.extend(checkpoints_staying(&other));
    }
    let mut done = install_lines::texts(&report);
    done.extend(taken.done);
    done.extend(done_elsewhere);
    done.extend(stays_elsewhere);
    done.extend(staying(workspace));
    Ok((Setup { done, next: taken.next }, report))
}

/// Returns the other workspaces that are remembered, where they are meant too.
fn elsewhere(context: &Context<'_>, args: &UninstallArgs) -> Vec<Workspace> {
    let roots = skein_workspace::registry::roots(&context.env);
    let here = &context.workspace.reviews.root;
    let others = roots.iter().filter(|root| args.everywhere && *root != here);
    others.map(|root| discover_in(&context.env, root)).collect()
}

/// Says in which workspace something was done, unless the line names it.
fn in_root(line: &str, workspace: &Workspace) -> String {
    let root = workspace.reviews.root.display().to_string();
    if line.contains(&root) { line.to_owned() } else { format!("{line} in {root}") }
}

fn checkpoints_staying(workspace: &Workspace) -> Vec<String> {
    // The workspace was looked at before anything was taken back.
    let holds = |dir: &&PathBuf| dir.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let dirs = [workspace.checkpoints.threads(), workspace.checkpoints.legacy()];
    let dirs = dirs.iter().filter(holds);
    dirs.map(|dir| format!("The checkpoints stay: {}", dir.display())).collect()
}

/// Names the places whose threads are kept, other than the review store.
fn staying(workspace: &Workspace) -> Vec<String> {
    let mut lines = checkpoints_staying(workspace);
    if let Some(file) = workspace.sessions.file().filter(|_| workspace.sessions.exists) {
        lines.push(format!("The session map stays: {}", file.display()));
    }
    lines
}

fn print(context: &mut Context<'_>, setup: &Setup) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(setup)?;
        return Ok(crate::EXIT_OK);
    }
    for line in &setup.done {
        context.output.line(&escape_control(line))?;
    }
    if setup.done.is_empty() {
        context.output.line("There was nothing to do.")?;
    }
    for line in &setup.next {
        context.output.note(line)?;
    }
    Ok(crate::EXIT_OK)
}
