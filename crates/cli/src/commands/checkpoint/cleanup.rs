use clap::Args;
use skein_checkpoints::{Cleanup, CleanupOptions};
use skein_model::sanitize::one_line;

use super::CliContext;
use crate::error::CliResult;
use crate::render::{age, table, text};

/// Maximum number of kept checkpoints that are listed.
const MAX_NAMED: usize = 10;

/// Removes old checkpoints; without --yes, shows which and why.
///
/// Automatic checkpoints older than 14 days are moved to the trash. Checkpoints of handoffs, with open steps, or
/// without a date are kept. Nothing is lost: the trash is in Skein's state directory, and archived checkpoints can be shown and resumed as before.
///
/// Example: skein checkpoint cleanup --archive 60 --yes
#[derive(Args, Debug)]
pub(crate) struct CleanupArgs {
    /// Removes them.
    #[arg(long, short)]
    yes: bool,

    /// Moves full checkpoints older than this many days to `archive/YYYY-MM/`.
    #[arg(long, value_name = "DAYS")]
    archive: Option<u32>,
}

pub(super) fn run_cleanup(context: &mut CliContext<'_>, args: &CleanupArgs) -> CliResult {
    let options = CleanupOptions { archive_days: args.archive, apply: args.yes, expect: None };
    let cleanup = skein_checkpoints::cleanup(&context.workspace, &options)?;
    if !context.output.print_json(&cleanup)? {
        print(context, &cleanup)?;
        if cleanup.failures > 0 {
            context.output.note("Some checkpoints could not be removed (see above)")?;
        }
        context.output.warnings(&cleanup.diagnostics)?;
    }
    context.answer(cleanup.failures == 0)
}

fn print(context: &mut CliContext<'_>, cleanup: &Cleanup) -> CliResult {
    let now = context.output.now;
    let row = |one: &skein_checkpoints::RemovedCheckpoint| {
        let target = if one.to == "trash" { one.to.clone() } else { format!("archive/{}", one.to) };
        vec![one_line(&one.id), target, age::short(one.updated_at, now), one_line(&one.reason)]
    };
    let rows: Vec<Vec<String>> = cleanup.goes.iter().map(row).collect();
    table::plain(&mut context.output, &["CHECKPOINT", "TO", "AGE", "WHY"], &rows, &[])?;
    let kept = cleanup.stays.get(..MAX_NAMED).unwrap_or(&cleanup.stays);
    for one in kept {
        let text = format!("kept: {} ({})", one_line(&one.id), one_line(&one.reason));
        context.output.note(&text)?;
    }
    if cleanup.stays.len() > MAX_NAMED {
        let more = cleanup.stays.len() - MAX_NAMED;
        context.output.note(&format!("{more} more are kept; `--json` lists them all"))?;
    }
    let gone = cleanup.goes.len();
    let what = text::count(gone, "checkpoint");
    let text = match (gone, cleanup.applied) {
        (0, _) if cleanup.young == 0 && cleanup.stays.is_empty() => {
            "There are no checkpoints here yet.".to_owned()
        }
        (0, _) => "Nothing to clean up.".to_owned(),
        (_, false) => format!("{what} would be removed; run again with `--yes`"),
        (_, true) => removed(cleanup),
    };
    context.output.note(&text)
}

/// Returns a line that states where the removed checkpoints are.
fn removed(cleanup: &Cleanup) -> String {
    let count = |number: usize| text::count(number, "checkpoint");
    let trashed = cleanup.goes.iter().filter(|one| one.to == "trash").count();
    let archived = cleanup.goes.len() - trashed;
    let mut lines = Vec::new();
    if trashed > 0 {
        let trash = &cleanup.trash;
        lines.push(format!(
            "{} moved to the trash: {trash}; to restore one, copy it to workspace/threads without the time before its name",
            count(trashed)
        ));
    }
    if archived > 0 {
        lines.push(format!(
            "{} moved to workspace/threads/archive; `skein show` and `skein resume` still find them",
            count(archived)
        ));
    }
    lines.join("\n")
}
