use clap::Args;
use skein_catalog::WorktreeScope;
use skein_doctor::{BugReport, Repair, check, repair};

use super::{Context, ask};
use crate::error::CliError;
use crate::render::findings;
use crate::terminal::one_line;

/// Says what is wrong with which file, and repairs what is safe.
///
/// Looks at every thread and around them: files that cannot be used, a stale index, leftovers of interrupted
/// writes, a corrupt session map, settings, and texts that look like secrets. Ends with 1 while errors remain.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Repairs what can be repaired without losing anything; asks first.
    #[arg(long)]
    fix: bool,

    /// With --fix: does not ask.
    #[arg(long, short, requires = "fix")]
    yes: bool,

    /// Looks at the review threads of every worktree.
    #[arg(long)]
    all_worktrees: bool,

    /// Prints facts for a bug report instead: versions, settings, sizes of stores, codes of findings, the end of the
    /// hooks' log.
    ///
    /// It has no text of a thread. Secrets are redacted, and your home directory, the workspace and the files of threads
    /// have other names. Read it before you send it.
    #[arg(long, conflicts_with = "fix")]
    report: bool,
}

pub(crate) fn run_doctor(context: &mut Context<'_>, args: &DoctorArgs) -> Result<u8, CliError> {
    let scope =
        if args.all_worktrees { WorktreeScope::AllWorktrees } else { WorktreeScope::ThisWorktree };
    let mut report = check(&context.workspace, &context.env, scope);
    if args.report {
        let agents =
            skein_install::states(&context.workspace, &context.env, &context.machine.tools());
        let report = BugReport::new(
            &context.workspace,
            &context.env,
            &report,
            &agents,
            skein_hooks::LOG_FILE,
        );
        print_bug_report(context, &report)?;
        return Ok(crate::EXIT_OK);
    }
    if args.fix && !report.repairs.is_empty() {
        let repairs = std::mem::take(&mut report.repairs);
        if mend(context, args, &repairs)? {
            report = check(&context.workspace, &context.env, scope);
        }
    }
    if context.output.json {
        context.output.document(&report)?;
    } else {
        findings::print(&mut context.output, &report, &context.env)?;
    }
    let errors = report.diagnostics.iter().any(|diag| diag.severity == "error");
    Ok(if errors { crate::EXIT_NEGATIVE } else { crate::EXIT_OK })
}

fn print_bug_report(context: &mut Context<'_>, report: &BugReport) -> Result<(), CliError> {
    if context.output.json {
        return context.output.document(report);
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

/// Carries out the repairs that the user agrees to; true when anything was done.
fn mend(
    context: &mut Context<'_>,
    args: &DoctorArgs,
    repairs: &[Repair],
) -> Result<bool, CliError> {
    let mut failed = Vec::new();
    let mut done = false;
    for one in repairs {
        if !args.yes && !agrees(context, one)? {
            continue;
        }
        match repair(&context.workspace, &context.env, one) {
            Ok(said) => {
                done = true;
                context.output.note(&said)?;
            }
            Err(error) => failed.push(error),
        }
    }
    let count = failed.len();
    match failed.into_iter().next() {
        Some(source) => {
            let source = Box::new(source);
            Err(CliError::Repair { failed: count, all: repairs.len(), source })
        }
        None => Ok(done),
    }
}

fn agrees(context: &mut Context<'_>, one: &Repair) -> Result<bool, CliError> {
    let plan = one.plan();
    if !context.can_ask {
        context.output.note(&format!("Would {plan}; run `skein doctor --fix --yes` to do it."))?;
        return Ok(false);
    }
    ask(context, &format!("Shall I {plan}?"))
}
