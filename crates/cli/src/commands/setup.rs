//! `share` and `uninstall`.

use std::path::PathBuf;

use clap::Args;
use skein_delivery::consent;
use skein_install::Scope;
use skein_install::setup;
use skein_install::setup::Setup;
use skein_model::sanitize::escape_control;
use skein_workspace::agent_names::title_of;
use skein_workspace::{Workspace, discover_in};

use super::context::CliContext;
use super::install::{self as install_report, ScopeArgs};
use crate::error::CliResult;

/// Lets git track and merge review threads and checkpoints.
///
/// Git merges threads comment by comment and checkpoints field by field, instead of leaving conflicts in them.
/// Checkpoints that are saved later are shared too.
#[derive(Args, Debug)]
pub(crate) struct ShareArgs {}

/// Removes what Skein set up, for one agent or all of them. Threads are kept.
///
/// With the name of an agent, removes what `install` set up for it in this repository; with `--user`, what it set up for you in every directory. Without a name, removes everything that `init`, `install` and `share` set up in
/// this repository, in all worktrees of the clone, for every agent. At a terminal it lists the changes and asks first; what is kept is listed.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The agent: claude-code, codex, opencode, gemini-cli, cursor, or git; also vscode or zed, which have tools only.
    #[arg(value_name = "AGENT", conflicts_with = "purge")]
    agent: Option<String>,

    /// Removes only the tools of `skein mcp`, and keeps hooks and commands.
    #[arg(long, requires = "agent")]
    mcp: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Removes it from every repository on this machine, and for you from every directory.
    #[arg(long, conflicts_with = "agent")]
    everywhere: bool,

    /// Shows what would change, without writing.
    #[arg(long, short = 'n', conflicts_with = "purge")]
    dry_run: bool,

    /// Also moves the review threads to the trash and removes the store; asks first.
    #[arg(long)]
    purge: bool,

    /// Does not ask.
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run_share(context: &mut CliContext<'_>) -> CliResult {
    let setup = setup::share(&context.workspace)?;
    print(context, &setup)
}

pub(crate) fn run_uninstall(context: &mut CliContext<'_>, args: &UninstallArgs) -> CliResult {
    if let Some(agent) = &args.agent {
        let agent = &if args.mcp { skein_install::server_name(agent) } else { agent.clone() };
        let workspace = &context.workspace;
        let scope = args.scope.scope();
        let mut report = skein_install::uninstall(workspace, agent, scope, args.dry_run)?;
        if scope != Some(Scope::User) {
            report.notes.extend(revoke_deliveries(workspace, Some(agent), args.dry_run)?);
        }
        return install_report::print(context, &report);
    }
    if args.purge && !args.yes {
        let store = context.workspace.reviews.store();
        let question = format!("Move every review thread of {} to the trash?", store.display());
        if !context.confirm("`uninstall --purge`", &question)? {
            return context.decline("Nothing was changed.");
        }
    }
    let may_ask = context.can_ask || args.everywhere;
    if may_ask && !args.yes && !args.purge && !args.dry_run && !agrees(context, args)? {
        return context.decline("Nothing was changed.");
    }
    let (setup, report) = remove(context, args, args.dry_run)?;
    print(context, &setup)?;
    for failed in &report.failed {
        context.output.note(&format!("Not done: {failed}"))?;
    }
    context.answer(report.failed.is_empty())
}

/// Lists the changes and asks; true without a question if nothing would change.
fn agrees(context: &mut CliContext<'_>, args: &UninstallArgs) -> CliResult<bool> {
    let (setup, report) = remove(context, args, true)?;
    if !setup.has_changed && !report.changes_anything() {
        return Ok(true);
    }
    context.output.notes(&setup.done)?;
    context.confirm("`uninstall`", "Continue?")
}

/// Removes the setup of this workspace, or of all; returns the changes.
fn remove(
    context: &CliContext<'_>,
    args: &UninstallArgs,
    dry_run: bool,
) -> CliResult<(Setup, skein_install::InstallReport)> {
    let workspace = &context.workspace;
    // First, because a store that was created for hooks can be removed only if nothing shared is left in it.
    let taken = setup::uninstall(workspace, args.purge, dry_run)?;
    // Before the next step, which also removes the list of workspaces.
    let others = elsewhere(context, args);
    let mut report = skein_install::uninstall_agents(workspace, args.everywhere, dry_run)?;
    let (mut done_elsewhere, mut stays_elsewhere) = (Vec::new(), Vec::new());
    let mut revoked = revoke_deliveries(workspace, None, dry_run)?;
    for other in &others {
        revoked.extend(revoke_deliveries(other, None, dry_run)?);
    }
    let mut has_changed = taken.has_changed || !revoked.is_empty();
    for other in others {
        match setup::uninstall(&other, false, dry_run) {
            Ok(others) => {
                done_elsewhere.extend(others.done.iter().map(|line| in_root(line, &other)));
                has_changed |= others.has_changed;
            }
            // A failure in one workspace does not stop the others.
            Err(error) => report.failed.push(in_root(&error.to_string(), &other)),
        }
        stays_elsewhere.extend(checkpoints_staying(&other));
    }
    let mut done = install_report::texts(&report);
    done.extend(revoked);
    done.extend(taken.done);
    done.extend(done_elsewhere);
    done.extend(stays_elsewhere);
    done.extend(staying(workspace));
    Ok((Setup { done, has_changed, next: taken.next }, report))
}

/// Revokes that `skein deliver` may start one agent, or all; returns a line for each.
fn revoke_deliveries(
    workspace: &Workspace,
    agent: Option<&str>,
    dry_run: bool,
) -> CliResult<Vec<String>> {
    let mut lines = Vec::new();
    for name in consent::allowed(workspace).into_keys() {
        if agent.is_some_and(|agent| agent != name) {
            continue;
        }
        if !dry_run {
            consent::deny(workspace, &name)?;
        }
        let (verb, title) = (if dry_run { "would not" } else { "does not" }, title_of(&name));
        let root = workspace.reviews.root.display();
        lines.push(format!("`skein deliver` {verb} start {title} in {root} any more"));
    }
    Ok(lines)
}

/// Returns the other known workspaces if `--everywhere` is given.
fn elsewhere(context: &CliContext<'_>, args: &UninstallArgs) -> Vec<Workspace> {
    let roots = skein_workspace::registry::roots(&context.workspace.env);
    let here = &context.workspace.reviews.root;
    let others = roots.iter().filter(|root| args.everywhere && *root != here);
    others.map(|root| discover_in(&context.workspace.env, root)).collect()
}

/// Adds the root of the workspace to a line that does not contain it.
fn in_root(line: &str, workspace: &Workspace) -> String {
    let root = workspace.reviews.root.display().to_string();
    if line.contains(&root) { line.to_owned() } else { format!("{line} in {root}") }
}

fn checkpoints_staying(workspace: &Workspace) -> Vec<String> {
    // The state of the workspace was read before anything was removed.
    let holds = |dir: &&PathBuf| dir.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let dirs = [workspace.checkpoints.threads(), workspace.checkpoints.legacy()];
    let dirs = dirs.iter().filter(holds);
    dirs.map(|dir| format!("The checkpoints stay: {}", dir.display())).collect()
}

/// Lists the kept stores, other than the review store.
fn staying(workspace: &Workspace) -> Vec<String> {
    let mut lines = checkpoints_staying(workspace);
    if let Some(file) = workspace.sessions.file().filter(|_| workspace.sessions.exists) {
        lines.push(format!("The session map stays: {}", file.display()));
    }
    lines
}

fn print(context: &mut CliContext<'_>, setup: &Setup) -> CliResult {
    if context.output.print_json(setup)? {
        return Ok(());
    }
    for line in &setup.done {
        context.output.line(&escape_control(line))?;
    }
    if setup.done.is_empty() {
        context.output.line("Nothing to do.")?;
    }
    context.output.notes(&setup.next)?;
    Ok(())
}
