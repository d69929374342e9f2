use clap::Args;
use skein_catalog::ShortIds;
use skein_model::view::{Listing, RowDetail, SessionRow, ThreadRow};
use skein_sessions::{SessionFilter, session_handles, session_list};

use super::explain::explain;
use super::remarks::remarks;
use super::{MapArgs, fields};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::{age, table, text};
use crate::terminal::one_line;

/// The columns of a terminal from which on no cell is cut.
const WIDE: usize = 120;
/// How wide a cell may be on a terminal that has fewer.
const NARROW: usize = 12;

/// Lists the sessions that are bound to chat, the last active first.
///
/// Each line has the session, its status, its project, how long ago it was last active, its thread and its title. A session whose
/// directory does not exist any more is marked, and with `*` one whose entry breaks the contract of the map.
///
/// Example: skein session list --status active --project kiln
#[derive(Args, Debug)]
pub(crate) struct SessionListArgs {
    /// With this status: active, disconnected, orphaned or ended.
    #[arg(long)]
    status: Option<String>,

    /// Of this project.
    #[arg(long)]
    pub(super) project: Option<String>,

    /// Of this user of the chat.
    #[arg(long)]
    pub(super) user: Option<String>,

    #[command(flatten)]
    pub(super) map: MapArgs,
}

impl SessionListArgs {
    pub(super) fn is_narrowed(&self) -> bool {
        self.status.is_some() || self.project.is_some() || self.user.is_some()
    }
}

pub(super) fn run_session_list(
    context: &mut Context<'_>,
    args: &SessionListArgs,
) -> Result<u8, CliError> {
    check_status(context, args)?;
    let filter = SessionFilter {
        status: args.status.clone(),
        project: args.project.clone(),
        user: args.user.clone(),
        file: args.map.file(context),
        lenient: args.map.lenient,
    };
    let listing = session_list(&context.workspace, &context.env, &filter)
        .map_err(|error| explain(context, &args.map, error))?;
    if context.output.json {
        context.output.document(&listing)?;
    } else {
        print(context, args, &listing)?;
        remarks(context, args, &listing)?;
    }
    let broken = listing.diagnostics.iter().any(|diag| diag.severity == "error");
    // The program ends here, and taking a long list apart would keep its user waiting.
    std::mem::forget(listing);
    Ok(if broken { crate::EXIT_ERROR } else { crate::EXIT_OK })
}

/// Refuses a status that the contract does not have, unless an entry that breaks it has it.
fn check_status(context: &Context<'_>, args: &SessionListArgs) -> Result<(), CliError> {
    let Some(Err(unknown)) = args.status.as_deref().map(fields::status) else { return Ok(()) };
    let lenient = args.map.lenient || context.workspace.settings.lenient();
    let filter = SessionFilter {
        status: args.status.clone(),
        file: args.map.file(context),
        lenient,
        ..Default::default()
    };
    let occurs = lenient
        && session_list(&context.workspace, &context.env, &filter)
            .is_ok_and(|listing| !listing.threads.is_empty());
    if occurs { Ok(()) } else { Err(unknown.into()) }
}

fn print(
    context: &mut Context<'_>,
    args: &SessionListArgs,
    listing: &Listing<Box<ThreadRow>>,
) -> Result<(), CliError> {
    // A name must be the only one among all sessions, not just among those that are listed.
    let handles = if args.is_narrowed() {
        let file = args.map.file(context);
        session_handles(&context.workspace, file.as_deref(), args.map.lenient)
    } else {
        ShortIds::of_sessions(listing.threads.iter().map(|row| row.id.clone()).collect())
    };
    let now = context.output.now;
    // On a narrow terminal the title is worth more than the end of a long id.
    let room = context.output.width.filter(|width| *width < WIDE).map(|_| NARROW);
    let cell = |text: &str| text::cut(&one_line(text), room);
    let gone = |detail: &SessionRow| match table::gone(detail) {
        "" => "",
        _ if room.is_some() => " (gone)",
        mark => mark,
    };
    let cells = |row: &ThreadRow| {
        let RowDetail::Session(detail) = &row.detail else { return Vec::new() };
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
