use std::path::PathBuf;

use clap::Args;
use skein_model::sanitize::one_line;
use skein_sessions::{MapPath, MapRepair, MapRepairAction, SessionError, repair};

use super::entry_count::EntryCount;
use super::file_option;
use super::id_hints::no_file;
use crate::commands::context::CliContext;
use crate::error::CliResult;

/// Recovers what is readable in a damaged session map; without --yes, shows what that is.
///
/// Every complete entry is kept byte for byte, even if the file was truncated, written twice or has other text after it. The
/// original is kept next to the map as `….corrupt-TIME`. A valid map is not changed.
///
/// Example: skein session repair --yes
#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// Writes the repaired map.
    #[arg(long, short)]
    yes: bool,

    /// Uses this session map instead of the one in the home directory.
    #[arg(long, value_name = "MAP")]
    file: Option<PathBuf>,
}

pub(super) fn run_repair(context: &mut CliContext<'_>, args: &RepairArgs) -> CliResult {
    let named = args.file.as_ref().map(|file| MapPath::named(context.workspace.env.dir.join(file)));
    let map = named.or_else(|| context.workspace.sessions.map.clone());
    let map = map.ok_or(SessionError::NoHome)?;
    let repaired = repair(&map, &context.workspace.env, args.yes).map_err(|error| match error {
        SessionError::NoMap { path } if args.file.is_some() => no_file(&path),
        error => error.into(),
    })?;
    if !context.output.print_json(&repaired)? {
        print(context, args, &repaired)?;
    }
    Ok(())
}

fn print(context: &mut CliContext<'_>, args: &RepairArgs, repaired: &MapRepair) -> CliResult {
    for diag in &repaired.diagnostics {
        let line = diag.line.map_or(String::new(), |line| format!(" in line {line}"));
        context
            .output
            .note(&format!("{}{line}: {} [{}]", diag.severity, diag.message, diag.code))?;
    }
    let file = one_line(&repaired.file);
    let entries = count(repaired.entries, "entry", "entries");
    if repaired.action == MapRepairAction::Sound {
        return context.output.line(&sound(repaired));
    }
    let only_mark = repaired.is_only_marked();
    use MapRepairAction::Repaired;
    let text = match (repaired.action, repaired.entries) {
        (Repaired, _) if only_mark => format!("Removed the byte order mark from {file}"),
        _ if only_mark => format!("The byte order mark can be removed from {file}"),
        (Repaired, 0) => format!("No entry could be recovered; the map is empty: {file}"),
        (Repaired, _) => format!("Recovered {entries} of {file}"),
        (_, 0) => format!("No entry of {file} can be recovered"),
        _ => format!("{entries} of {file} can be recovered"),
    };
    context.output.line(&text)?;
    if !repaired.cut.is_empty() {
        let lines: Vec<String> = repaired.cut.iter().take(10).map(ToString::to_string).collect();
        let more = if repaired.cut.len() > 10 { " and more" } else { "" };
        let what = count(repaired.cut.len(), "entry is", "entries are");
        let text = format!("{what} truncated or unreadable, in line {}{more}", lines.join(", "));
        context.output.note(&text)?;
    }
    if repaired.duplicates > 0 {
        let what = count(repaired.duplicates, "copy", "copies");
        context.output.note(&format!("{what} of entries skipped: each is kept once"))?;
    }
    match &repaired.kept {
        Some(kept) => context.output.note(&format!("The original is kept: {}", kept.display())),
        None => {
            let file = file_option(args.file.as_ref());
            let begins = repaired.entries == 0 && !only_mark;
            let does = if begins { "starts an empty map" } else { "repairs it" };
            context.output.note(&format!(
                "Nothing was changed; `skein session repair{file} --yes` {does} and keeps the original next to the map"
            ))
        }
    }
}

/// Describes a valid map, including entries that are skipped as invalid.
fn sound(repaired: &MapRepair) -> String {
    let invalid = EntryCount::skipped(&repaired.diagnostics);
    let entries = count(repaired.entries, "entry", "entries");
    let breach = match (invalid.is_none(), invalid.is_one()) {
        (true, _) => String::new(),
        (_, true) => ", 1 of which is invalid".to_owned(),
        _ => format!(", {} of which are invalid", invalid.to_string().to_lowercase()),
    };
    let file = one_line(&repaired.file);
    format!("The session map is valid; nothing to repair: {entries} in {file}{breach}")
}

fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
