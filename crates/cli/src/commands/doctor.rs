use clap::Args;
use skein_catalog::WorktreeScope;
use skein_doctor::{BugReport, Repair, check, repair};
use skein_model::sanitize::one_line;

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::render::findings;

/// Checks all files and repairs what can be repaired safely.
///
/// Finds unusable files, an outdated index, leftovers of interrupted
/// writes, a damaged session map, wrong settings, and text that looks like secrets. Exits with 1 while errors remain.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Repairs what can be repaired without losing data; asks first.
    #[arg(long)]
    fix: bool,

    /// With --fix: does not ask.
    #[arg(long, short, requires = "fix")]
    yes: bool,

    /// Checks the review threads of every worktree.
    #[arg(long)]
    all_worktrees: bool,

    /// Prints facts for a bug report instead: versions, settings, sizes of stores, codes of findings, the end of the
    /// hooks' log.
    ///
    /// It has no text of a thread. Secrets are redacted, and your home directory, the workspace and the files of threads
    /// are replaced by placeholders. Read it before you send it.
    #[arg(long, conflicts_with = "fix")]
    report: bool,
}

pub(crate) fn run_doctor(context: &mut CliContext<'_>, args: &DoctorArgs) -> CliResult {
    let scope =
        if args.all_worktrees { WorktreeScope::AllWorktrees } else { WorktreeScope::ThisWorktree };
    let mut report = check(&context.workspace, scope);
    if args.report {
        let workspace = &context.workspace;
        let agents = skein_install::states(workspace, &context.machine.tools());
        let report = BugReport::new(workspace, &report, &agents, skein_hooks::LOG_FILE);
        return print_bug_report(context, &report);
    }
    if args.fix && !report.repairs.is_empty() {
        let repairs = std::mem::take(&mut report.repairs);
        if repair_all(context, args, &repairs)? {
            report = check(&context.workspace, scope);
        }
    }
    if !context.output.print_json(&report)? {
        findings::print(&mut context.output, &report, &context.workspace.env)?;
    }
    let errors = report.diagnostics.iter().any(|diag| diag.is_error());
    context.answer(!errors)
}

fn print_bug_report(context: &mut CliContext<'_>, report: &BugReport) -> CliResult {
    if context.output.print_json(report)? {
        return Ok(());
    }
    let versions = [&format!("skein {}", report.skein), &report.system, &report.git];
    context.output.line(&versions.map(|one| one_line(one)).join(", "))?;
    let sections = [
        ("Stores", &report.stores),
        ("Settings", &report.settings),
        ("Agents", &report.agents),
        ("Findings", &report.diagnostics),
        ("Log of hooks", &report.hook_log),
    ];
    for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        context.output.line(&format!("\n{title}:"))?;
        for line in *lines {
            context.output.line(&format!("  {}", one_line(line)))?;
        }
    }
    Ok(())
}

/// Carries out the repairs that the user confirms; returns whether anything was repaired.
fn repair_all(
    context: &mut CliContext<'_>,
    args: &DoctorArgs,
    repairs: &[Repair],
) -> CliResult<bool> {
    let mut failed = Vec::new();
    let mut done = false;
    for one in repairs {
        if !args.yes && !agrees(context, one)? {
            continue;
        }
        match repair(&context.workspace, one) {
            Ok(message) => {
                done = true;
                context.output.note(&message)?;
            }
            Err(error) => failed.push(error),
        }
    }
    let count = failed.len();
    match failed.into_iter().next() {
        Some(error) => Err(CliError::from(error)
            .context(format!("{count} of {} repairs failed; the first one", repairs.len()))),
        None => Ok(done),
    }
}

fn agrees(context: &mut CliContext<'_>, one: &Repair) -> CliResult<bool> {
    let plan = one.plan();
    if !context.can_ask {
        context.output.note(&format!("Would {plan}; run `skein doctor --fix --yes` to do it."))?;
        return Ok(false);
    }
    context.ask(&format!("Repair: {plan}?"))
}
