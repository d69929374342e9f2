use clap::Args;
use skein_checkpoints::{Cleanup, CleanupOptions};

use crate::commands::Context;
use crate::error::CliError;
use crate::render::{age, table};
use crate::terminal::one_line;

/// How many of those that stay are named.
const MAX_NAMED: usize = 10;

/// Takes away what is old; without --yes it says what would go, and why.
///
/// Automatic checkpoints older than 14 days go to the trash. What a handoff or an open step refers to stays, and so does what
/// cannot be dated. Nothing is lost: the trash is in Skein's state directory, and what is put away can be shown and resumed as before.
///
/// Example: skein checkpoint cleanup --archive 60 --yes
#[derive(Args, Debug)]
pub(crate) struct CleanupArgs {
    /// Does it.
    #[arg(long, short)]
    yes: bool,

    /// Puts full checkpoints that are older than so many days into `archive/YYYY-MM/`.
    #[arg(long, value_name = "DAYS")]
    archive: Option<u32>,
}

pub(super) fn run_cleanup(context: &mut Context<'_>, args: &CleanupArgs) -> Result<u8, CliError> {
    let options = CleanupOptions { archive_days: args.archive, apply: args.yes, expect: None };
    let cleanup = skein_checkpoints::cleanup(&context.workspace, &context.env, &options)?;
    if context.output.json {
        context.output.document(&cleanup)?;
        return Ok(code(&cleanup));
    }
    print(context, &cleanup)?;
    if cleanup.failures > 0 {
        context.output.note("See above why some could not go; the others went")?;
    }
    for diag in &cleanup.diagnostics {
        context.output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    Ok(code(&cleanup))
}

fn code(cleanup: &Cleanup) -> u8 {
    if cleanup.failures > 0 { crate::EXIT_NEGATIVE } else { crate::EXIT_OK }
}

fn print(context: &mut Context<'_>, cleanup: &Cleanup) -> Result<(), CliError> {
    let now = context.output.now;
    let row = |one: &skein_checkpoints::RemovedCheckpoint| {
        let goes = if one.to == "trash" { one.to.clone() } else { format!("archive/{}", one.to) };
        vec![one_line(&one.id), goes, age::short(one.updated_at, now), one_line(&one.why)]
    };
    let rows: Vec<Vec<String>> = cleanup.goes.iter().map(row).collect();
    table::plain(&mut context.output, &["GOES", "TO", "AGE", "WHY"], &rows, &[])?;
    let staying = cleanup.stays.get(..MAX_NAMED).unwrap_or(&cleanup.stays);
    for one in staying {
        let text = format!("stays: {} ({})", one_line(&one.id), one_line(&one.why));
        context.output.note(&text)?;
    }
    if cleanup.stays.len() > MAX_NAMED {
        let more = cleanup.stays.len() - MAX_NAMED;
        context.output.note(&format!("{more} more stay; `--json` names them all"))?;
    }
    let gone = cleanup.goes.len();
    let what = if gone == 1 { "checkpoint" } else { "checkpoints" };
    let text = match (gone, cleanup.applied) {
        (0, _) if cleanup.young == 0 && cleanup.stays.is_empty() => {
            "There are no checkpoints here yet.".to_owned()
        }
        (0, _) => "Nothing is old enough to go.".to_owned(),
        (_, false) => format!("{gone} {what} would go; `--yes` does it"),
        (_, true) => went(cleanup),
    };
    context.output.note(&text)
}

/// Says where what is gone can be found.
fn went(cleanup: &Cleanup) -> String {
    let count = |count: usize| match count {
        1 => "1 checkpoint".to_owned(),
        count => format!("{count} checkpoints"),
    };
    let trashed = cleanup.goes.iter().filter(|one| one.to == "trash").count();
    let archived = cleanup.goes.len() - trashed;
    let mut said = Vec::new();
    if trashed > 0 {
        let trash = &cleanup.trash;
        said.push(format!(
            "{} went to the trash: {trash}; to restore one, copy it to workspace/threads without the time before its name",
            count(trashed)
        ));
    }
    if archived > 0 {
        said.push(format!(
            "{} went to workspace/threads/archive; `skein show` and `skein resume` still find them",
            count(archived)
        ));
    }
    said.join("\n")
}
