use std::collections::HashSet;
use std::path::Path;

use clap::Args;
use skein_catalog::ShortIds;
use skein_model::sanitize::one_line;
use skein_model::view::{FileDiagnostic, Listing, SessionRow, ThreadRow};
use skein_sessions::advice::OTHER_VERSION;
use skein_sessions::{SessionFilter, session_handles, session_list};

use super::entry_count::EntryCount;
use super::id_hints::{detail, with_hint};
use super::{CliContext, MapArgs, fields};
use crate::error::CliResult;
use crate::render::{age, table, text};

/// The minimum width of a terminal on which no cell is truncated.
const WIDE: usize = 120;
/// Maximum width of a cell on a narrower terminal.
const MAX_CELL: usize = 12;

/// Lists the sessions that are bound to chat, most recently active first.
///
/// Each line has the session, its status, its project, how long ago it was last active, its thread and its title. A session whose
/// directory does not exist any more is marked, and with `*` one whose entry in the map is invalid.
///
/// Example: skein session list --status active --project kiln
#[derive(Args, Debug)]
pub(crate) struct SessionListArgs {
    /// Sessions with this status: active, disconnected, orphaned or ended.
    #[arg(long)]
    status: Option<String>,

    /// Sessions of this project.
    #[arg(long)]
    project: Option<String>,

    /// Sessions of this chat user.
    #[arg(long)]
    user: Option<String>,

    #[command(flatten)]
    map: MapArgs,
}

impl SessionListArgs {
    fn is_narrowed(&self) -> bool {
        self.status.is_some() || self.project.is_some() || self.user.is_some()
    }
}

pub(super) fn run_session_list(context: &mut CliContext<'_>, args: &SessionListArgs) -> CliResult {
    check_status(context, args)?;
    let filter = SessionFilter {
        status: args.status.clone(),
        project: args.project.clone(),
        user: args.user.clone(),
        ..args.map.filter(context)
    };
    let listing = session_list(&context.workspace, &filter)
        .map_err(|error| with_hint(context, &args.map, error))?;
    if !context.output.print_json(&listing)? {
        print(context, args, &listing)?;
        remarks(context, args, &listing)?;
    }
    if listing.diagnostics.iter().any(|diag| diag.is_error()) {
        context.exit_code = crate::EXIT_ERROR;
    }
    // The process ends here, and freeing a long list would delay that.
    std::mem::forget(listing);
    Ok(())
}

/// Refuses a status that is not defined, unless an invalid entry has it.
fn check_status(context: &CliContext<'_>, args: &SessionListArgs) -> CliResult {
    let Some(Err(unknown)) = args.status.as_deref().map(fields::check_status) else {
        return Ok(());
    };
    let lenient = args.map.lenient || context.workspace.settings.lenient();
    let filter = SessionFilter { status: args.status.clone(), lenient, ..args.map.filter(context) };
    let occurs = lenient
        && session_list(&context.workspace, &filter)
            .is_ok_and(|listing| !listing.threads.is_empty());
    if occurs { Ok(()) } else { Err(unknown) }
}

fn print(
    context: &mut CliContext<'_>,
    args: &SessionListArgs,
    listing: &Listing<Box<ThreadRow>>,
) -> CliResult {
    // A short id must be unique among all sessions, not only among the listed ones.
    let handles = if args.is_narrowed() {
        let file = args.map.file(context);
        session_handles(&context.workspace, file.as_deref(), args.map.lenient)
    } else {
        ShortIds::of_sessions(listing.threads.iter().map(|row| row.id.clone()).collect())
    };
    let now = context.output.now;
    // On a narrow terminal the title is more useful than the end of a long id.
    let room = context.output.width.filter(|width| *width < WIDE).map(|_| MAX_CELL);
    let cell = |text: &str| text::cut(&one_line(text), room);
    let gone = |detail: &SessionRow| match table::gone(detail) {
        "" => "",
        _ if room.is_some() => " (gone)",
        mark => mark,
    };
    let cells = |row: &ThreadRow| {
        let Some(detail) = detail(row) else { return Vec::new() };
        let handle = handles.of_session(&row.id, &detail.short_id);
        let short = if handle == detail.short_id { "" } else { &detail.short_id };
        vec![
            one_line(&handle),
            cell(short),
            cell(row.status.as_deref().unwrap_or_default()),
            cell(&detail.project_name) + table::breach(detail) + gone(detail),
            age::short(row.effective_time(now), now),
            cell(&detail.thread_root_post_id),
            one_line(detail.session_title.as_deref().unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<String>> = listing.threads.iter().map(|row| cells(row)).collect();
    let head = ["ID", "SHORT", "STATUS", "PROJECT", "ACTIVE", "THREAD", "TITLE"];
    table::plain(&mut context.output, &head, &rows, &["THREAD", "PROJECT", "SHORT", "ACTIVE"])
}

/// Prints notes about sessions that the table does not show.
fn remarks(
    context: &mut CliContext<'_>,
    args: &SessionListArgs,
    listing: &Listing<Box<ThreadRow>>,
) -> CliResult {
    let errors = listing.diagnostics.iter().filter(|diag| diag.is_error());
    let has_errors = errors.clone().next().is_some();
    for diag in errors {
        context.output.note(&format!("Error: {}: {} [{}]", diag.path, diag.message, diag.code))?;
        let hint = match diag.code {
            "session-bad-json" | "session-bad-shape" => {
                format!("{} shows what can be recovered", args.map.repair())
            }
            "session-version" => OTHER_VERSION.to_owned(),
            _ => format!("`ls -l {}` shows what it is, and its permissions", diag.path),
        };
        context.output.note(&format!("Hint: {hint}"))?;
    }
    let skips = !EntryCount::skipped(&listing.diagnostics).is_none();
    let is_empty = listing.threads.is_empty() && !has_errors;
    // If entries are skipped, the map is not empty.
    if is_empty && (args.is_narrowed() || !skips) {
        let text = nothing(context, args);
        context.output.note(&text)?;
    }
    let always = context.workspace.settings.lenient();
    if let Some(text) = invalid_entries(args, &listing.diagnostics, always) {
        context.output.note(&text)?;
    }
    if skips && !always && listing.threads.iter().any(|row| table::is_marked(row)) {
        context.output.note(table::MARK_MEANS)?;
    }
    if is_empty && skips && !(always || args.map.lenient || args.is_narrowed()) {
        context
            .output
            .note("To always include invalid entries: `skein config set session.lenient true`")?;
    }
    Ok(())
}

/// Returns the reason why a list is empty.
fn nothing(context: &CliContext<'_>, args: &SessionListArgs) -> String {
    if args.is_narrowed() && (args.map.file.is_some() || context.workspace.sessions.exists) {
        let all = || format!(". `skein session list{}` shows all of them.", args.map.options());
        return format!("No sessions match{}", available(context, args).unwrap_or_else(all));
    }
    let file =
        args.map.file(context).or_else(|| context.workspace.sessions.file().map(Path::to_owned));
    let place = file.map_or_else(String::new, |file| {
        let is = if file.exists() { "is" } else { "would be" };
        format!("\nThe map {is} {}", file.display())
    });
    format!(
        "No session is bound to chat. `skein bridge run` or an agent's chat plugin binds one by giving it a thread: messages in the thread go to the session.{place}"
    )
}

/// Lists the available projects or users, if no session has the requested one.
fn available(context: &CliContext<'_>, args: &SessionListArgs) -> Option<String> {
    const MAX_SUGGESTIONS: usize = 5;
    let all = session_list(&context.workspace, &args.map.filter(context)).ok()?;
    let values = |of: fn(&SessionRow) -> &str| -> Vec<&str> {
        let mut seen = HashSet::new();
        let values = all.threads.iter().filter_map(|row| detail(row)).map(of);
        values.filter(|value| seen.insert(*value)).collect()
    };
    let asked = [
        ("projects", &args.project, values(|detail| &detail.project_name)),
        ("users", &args.user, values(|detail| &detail.mattermost_user_id)),
    ];
    let is_missing = |value: &Option<String>, available: &[&str]| {
        value.as_deref().is_some_and(|value| !available.contains(&value))
    };
    let (what, _, available) = asked
        .into_iter()
        .find(|(_, value, available)| is_missing(value, available) && !available.is_empty())?;
    let names = available.iter().take(MAX_SUGGESTIONS);
    let names: Vec<String> = names.map(|value| format!("`{}`", one_line(value))).collect();
    let more = if available.len() > MAX_SUGGESTIONS { ", ..." } else { "" };
    Some(format!("; the map has these {what}: {}{more}", names.join(", ")))
}

/// Summarises the invalid entries, or else the warnings; entries that the settings include are not reported as shown.
fn invalid_entries(
    args: &SessionListArgs,
    diagnostics: &[FileDiagnostic],
    always: bool,
) -> Option<String> {
    let skipped = EntryCount::skipped(diagnostics);
    let shown = EntryCount::shown(diagnostics);
    let command = args.map.doctor();
    let entries = |number: EntryCount| match number.is_one() {
        true => "1 entry of the map is invalid and".to_owned(),
        false => format!("{number} entries of the map are invalid and"),
    };
    if skipped.is_none() && shown.is_none() {
        let count = EntryCount::warnings(diagnostics);
        let warnings = if count.is_one() { "warning" } else { "warnings" };
        return (!count.is_none())
            .then(|| format!("{count} {warnings} about the session map; see {command}"));
    }
    if skipped.is_none() {
        return (!always).then(|| {
            format!("{} still shown, marked `*`; {command} shows the problem", entries(shown))
        });
    }
    let text = format!("{} skipped", entries(skipped));
    if args.map.lenient || always {
        return Some(format!("{text}, without a session or a thread; {command} shows the problem"));
    }
    let it = if skipped.is_one() { "it" } else { "them" };
    Some(format!("{text}; `--lenient` shows {it}, {command} shows the problem"))
}
