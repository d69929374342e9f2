use std::path::PathBuf;

use clap::Args;
use skein_sessions::{MapPath, MapRepair, SessionError, repair};

use super::entries::Entries;
use crate::commands::Context;
use crate::error::{CliError, SessionCliError};
use crate::terminal::one_line;

/// Saves what can be saved of a broken session map; without --yes it says what that is.
///
/// Every entry that is whole is kept with the bytes that it has, be the file cut off, written twice or followed by something else. The
/// original stays beside the map as `….corrupt-TIME`. A sound map is left alone.
///
/// Example: skein session repair --yes
#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// Does it.
    #[arg(long, short)]
    yes: bool,

    /// Another session map than the one in the home directory.
    #[arg(long, value_name = "MAP")]
    file: Option<PathBuf>,
}

pub(super) fn run_repair(context: &mut Context<'_>, args: &RepairArgs) -> Result<u8, CliError> {
    let named = args.file.as_ref().map(|file| MapPath::named(context.env.dir.join(file)));
    let map = named.or_else(|| context.workspace.sessions.map.clone());
    let map = map.ok_or(SessionError::NoHome)?;
    let repaired = repair(&map, &context.env, args.yes).map_err(|error| match error {
        SessionError::NoMap { path } if args.file.is_some() => {
            SessionCliError::NoFile { path }.into()
        }
        error => CliError::from(error),
    })?;
    if context.output.json {
        context.output.document(&repaired)?;
    } else {
        print(context, args, &repaired)?;
    }
    Ok(crate::EXIT_OK)
}

fn print(
    context: &mut Context<'_>,
    args: &RepairArgs,
    repaired: &MapRepair,
) -> Result<(), CliError> {
    for diag in &repaired.diagnostics {
        let line = diag.line.map_or(String::new(), |line| format!(" in line {line}"));
        context
            .output
            .note(&format!("{}{line}: {} [{}]", diag.severity, diag.message, diag.code))?;
    }
    let file = one_line(&repaired.file);
    let entries = count(repaired.entries, "entry", "entries");
    if repaired.action == "sound" {
        return context.output.line(&sound(repaired));
    }
    let only_mark = repaired.is_only_marked();
    let text = match (repaired.action, repaired.entries) {
        ("repaired", _) if only_mark => format!("Took the byte order mark away from {file}"),
        _ if only_mark => format!("The byte order mark can be taken away from {file}"),
        ("repaired", 0) => format!("No entry could be saved, and the map begins anew: {file}"),
        ("repaired", _) => format!("Saved {entries} of {file}"),
        (_, 0) => format!("No entry can be saved of {file}"),
        _ => format!("{entries} can be saved of {file}"),
    };
    context.output.line(&text)?;
    if !repaired.cut.is_empty() {
        let lines: Vec<String> = repaired.cut.iter().take(10).map(ToString::to_string).collect();
        let more = if repaired.cut.len() > 10 { " and more" } else { "" };
        let what = count(repaired.cut.len(), "entry is", "entries are");
        let text = format!("{what} cut off or unreadable, in line {}{more}", lines.join(", "));
        context.output.note(&text)?;
    }
    if repaired.duplicates > 0 {
        let what = count(repaired.duplicates, "copy", "copies");
        context.output.note(&format!("{what} of entries left out: each is taken once"))?;
    }
    match &repaired.kept {
        Some(kept) => context.output.note(&format!("The original is kept: {}", kept.display())),
        None => {
            let file = args
                .file
                .as_ref()
                .map_or(String::new(), |file| format!(" --file {}", file.display()));
            let begins = repaired.entries == 0 && !only_mark;
            let does = if begins { "begins an empty map" } else { "does it" };
            context.output.note(&format!(
                "Nothing was changed; `skein session repair{file} --yes` {does}, and keeps the original beside the map"
            ))
        }
    }
}

/// Says of a sound map what is in it, entries that a strict reading leaves out included.
fn sound(repaired: &MapRepair) -> String {
    let odd = Entries::left_out(&repaired.diagnostics);
    let entries = count(repaired.entries, "entry", "entries");
    let breach = match (odd.is_none(), odd.is_one()) {
        (true, _) => String::new(),
        (_, true) => ", 1 of which breaks the contract".to_owned(),
        _ => format!(", {} of which break the contract", odd.to_string().to_lowercase()),
    };
    let file = one_line(&repaired.file);
    format!("The map is sound, nothing is to be repaired: {entries} in {file}{breach}")
}

fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
