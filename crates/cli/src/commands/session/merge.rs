use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use skein_format::session::{MergeReason, MergeSide, Verdict};
use skein_model::sanitize::{one_line, safe_json};
use skein_sessions::{MapWriteAction, MergeReport, MergeStep, SessionError, merge_files};

use super::id_hints::no_file;
use crate::commands::context::CliContext;
use crate::error::{CliError, CliResult};

/// Merges two or more session maps into one, and shows which side won and why.
///
/// MEMORY is the state of a program, DISK the file on disk. For each session the more recent activity wins, on a tie memory; ended sessions stay
/// ended; sessions that only one side has are kept. The merged map goes to stdout, everything else to stderr.
///
/// Example: skein session merge memory.json disk.json -o merged.json
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// The map that wins a tie.
    #[arg(value_name = "MEMORY")]
    memory: PathBuf,

    /// The maps to merge with it, one after the other; the result has the order and layout of the last one.
    #[arg(value_name = "DISK", required = true)]
    disks: Vec<PathBuf>,

    /// Writes the map to this file: one that does not exist, or one of those that are merged.
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a MergeReport,
    map: &'a str,
}

pub(super) fn run_merge(context: &mut CliContext<'_>, args: &MergeArgs) -> CliResult {
    let here = |path: &PathBuf| context.workspace.env.dir.join(path);
    let disks: Vec<PathBuf> = args.disks.iter().map(here).collect();
    let out = args.output.as_ref().map(here);
    let report = merge_files(&here(&args.memory), &disks, out.as_deref(), &context.workspace.env)
        .map_err(named)?;
    if context.output.is_json {
        let map = String::from_utf8_lossy(&report.bytes);
        context.output.document(&Document { report: &report, map: &map })?;
        return Ok(());
    }
    for (number, step) in report.steps.iter().enumerate() {
        print_step(context, number, step)?;
    }
    for diag in &report.diagnostics {
        context
            .output
            .note(&format!("Warning: {}: {} [{}]", diag.path, diag.message, diag.code))?;
    }
    match &report.out {
        Some(out) => {
            let what = if report.action == Some(MapWriteAction::Unchanged) {
                "Unchanged"
            } else {
                "Wrote"
            };
            context.output.line(&format!("{what}: {}", one_line(out)))?;
        }
        None => put(context, &report.bytes)?,
    }
    Ok(())
}

/// Explains that a given file does not exist.
fn named(error: SessionError) -> CliError {
    match error {
        SessionError::NoMap { path } => no_file(&path),
        error => error.into(),
    }
}

/// Prints the map; control characters are escaped for a terminal.
fn put(context: &mut CliContext<'_>, bytes: &[u8]) -> CliResult {
    if context.output.width.is_some() {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<Cow<'_, str>> = text.lines().map(safe_json).collect();
        return context.output.line(&lines.join("\n"));
    }
    context.output.out.write_all(bytes).map_err(CliError::from_output)
}

/// Prints the decision for each session that differs, and the number of those that do not.
fn print_step(context: &mut CliContext<'_>, number: usize, step: &MergeStep) -> CliResult {
    let dir = format!("{}/", context.workspace.env.dir.display());
    let short = |path: &str| path.strip_prefix(&dir).unwrap_or(path).to_owned();
    // After the first step, the result so far is merged with the next map.
    let memory = if number == 0 { short(&step.memory) } else { "the merge so far".to_owned() };
    let disk = short(&step.disk);
    let [mut differ, mut same, mut only_memory, mut only_disk] = [0_usize; 4];
    for verdict in &step.verdicts {
        match (verdict.reason, verdict.won) {
            (MergeReason::Equal, _) => same += 1,
            (MergeReason::OnlyOne, MergeSide::Memory) => only_memory += 1,
            (MergeReason::OnlyOne, MergeSide::Disk) => only_disk += 1,
            _ => {
                differ += 1;
                context.output.note(&words(verdict, &memory, &disk))?;
            }
        }
    }
    let parts = [
        (differ, "differ".to_owned()),
        (same, "the same".to_owned()),
        (only_memory, format!("only in {memory}")),
        (only_disk, format!("only in {disk}")),
        (step.restored, format!("of {memory} without a session or a thread")),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    let sum = if parts.is_empty() { "no entries".to_owned() } else { parts.join(", ") };
    context.output.note(&format!("{memory} with {disk}: {sum}"))
}

/// Returns the winning side, the reason, and which fields of the other side are kept.
fn words(verdict: &Verdict, memory: &str, disk: &str) -> String {
    let (winner, loser) = match verdict.won {
        MergeSide::Memory => (memory, disk),
        MergeSide::Disk => (disk, memory),
    };
    let reason = match verdict.reason {
        MergeReason::Tie => "same time; memory wins ties",
        _ => "more recent activity",
    };
    let mut parts = vec![format!("{}: {winner} wins, {reason}", verdict.session_id)];
    if verdict.ended_kept {
        parts.push(format!("it stays ended, as in {loser}"));
    }
    if let Some(root) = &verdict.other_root {
        parts.push(format!("{loser} had it in another thread: {root}"));
    }
    if !verdict.filled.is_empty() {
        parts.push(format!("kept from {loser}: {}", verdict.filled.join(", ")));
    }
    parts.join("; ")
}
