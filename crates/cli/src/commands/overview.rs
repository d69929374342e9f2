use std::path::Path;

use skein_catalog::placed::place_rows;
use skein_catalog::{OtherWorktree, ShortIds, names};
use skein_model::view::{RowDetail, ThreadRow};
use skein_summary::{Overview, WorkRow, overview};
use skein_workspace::Actor;

use super::Context;
use super::session::Entries;
use crate::error::CliError;
use crate::render::text::count;
use crate::render::{age, style, table, text};
use crate::terminal::one_line;

/// How many threads of each group are shown.
const MAX_SHOWN: usize = 5;
/// The columns that a title gets at least.
const MIN_TITLE_WIDTH: usize = 16;

/// Shows what waits on whom.
pub(crate) fn run_overview(context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut sum = overview(&context.workspace, &context.env);
    if !context.output.json {
        // What is not shown need not be placed.
        let groups = [&mut sum.waiting_on_reviewer, &mut sum.waiting_on_agent, &mut sum.drafts];
        let shown = groups.into_iter().flat_map(|group| group.iter_mut().take(MAX_SHOWN));
        place_rows(&context.workspace, &context.env, shown);
    }
    if context.output.json {
        context.output.document(&sum)?;
    } else if sum.fresh
        && sum.diagnostics.is_empty()
        && sum.drafts.is_empty()
        && sum.other_worktrees.is_empty()
    {
        fresh(context)?;
    } else {
        print(context, &sum)?;
    }
    Ok(crate::EXIT_OK)
}

/// Tells a newcomer what to try.
fn fresh(context: &mut Context<'_>) -> Result<(), CliError> {
    let lines = [
        "There are no threads here yet. Skein keeps review threads in .code-review/ and checkpoints in",
        "workspace/threads/. What to try:",
        "",
        "  skein serve --demo                     look at a review in the browser",
        "  skein review add FILE:LINE -m TEXT     comment on a line of code",
        "  skein review --help                    see how a review goes",
        "  skein checkpoint save -m TEXT          save the state of the work, for the next session",
        "  skein init                             set up the agents that are found here",
        "",
        UNBOUND,
    ];
    lines.iter().try_for_each(|line| context.output.line(line))
}

/// Says what is meant by sessions where there are none.
const UNBOUND: &str =
    "No agent session is bound to chat, that is, steered from a chat thread: skein session --help";

fn print(context: &mut Context<'_>, sum: &Overview) -> Result<(), CliError> {
    let handles = ShortIds::new(&names(&context.workspace));
    head(context, sum)?;
    let (own, others) = by_person(context, &sum.waiting_on_reviewer);
    group(context, "Waiting on the reviewer", &own, &handles, "skein list --waiting reviewer")?;
    group(context, "Waiting on others", &others, &handles, "skein list --waiting reviewer")?;
    group(
        context,
        "Waiting on an agent",
        &sum.waiting_on_agent,
        &handles,
        "skein list --waiting agent",
    )?;
    group(
        context,
        "Drafts, not submitted yet",
        &sum.drafts,
        &handles,
        "skein review list --drafts",
    )?;
    if !sum.drafts.is_empty() {
        hint(context, "skein review submit")?;
    }
    elsewhere(context, sum)?;
    handoffs(context, sum, &handles)?;
    to_resume(context, sum, &handles)?;
    sessions(context, sum, &handles)?;
    idle(context, sum)?;
    foot(context, sum)
}

/// Parts the threads that wait on a person into those of the user and those of others who were asked.
fn by_person(context: &Context<'_>, rows: &[ThreadRow]) -> (Vec<ThreadRow>, Vec<ThreadRow>) {
    let actor = Actor::find(&context.workspace, &context.env, None);
    let is_own = |row: &ThreadRow| match &row.detail {
        RowDetail::Review(detail) => actor.agent || detail.waits_on(&actor.name),
        _ => true,
    };
    rows.iter().cloned().partition(is_own)
}

/// Says where else in the repository threads are open.
fn elsewhere(context: &mut Context<'_>, sum: &Overview) -> Result<(), CliError> {
    if sum.other_worktrees.is_empty() {
        return Ok(());
    }
    title(context, "In other worktrees", 1)?;
    for one in sum.other_worktrees.iter().take(MAX_SHOWN) {
        context.output.line(&format!("  {}", one.summary()))?;
    }
    let commands = OtherWorktree::command(&sum.other_worktrees);
    rest(context, sum.other_worktrees.len(), commands)?;
    hint(context, commands)
}

/// Shows the work that was handed over and is not ended: what is offered first, then the others with their places.
fn handoffs(context: &mut Context<'_>, sum: &Overview, handles: &ShortIds) -> Result<(), CliError> {
    if sum.handoffs.is_empty() {
        return Ok(());
    }
    title(context, "Handed over", sum.handoffs.len())?;
    if let Some(message) = sum.handoff_message.as_deref().filter(|message| !message.is_empty()) {
        let message = text::title(message);
        context.output.line(&format!("  \u{201c}{message}\u{201d}"))?;
    }
    let first = sum.handoff.as_ref().map(|row| row.id.as_str());
    let (offered, others): (Vec<_>, Vec<_>) =
        sum.handoffs.iter().partition(|handoff| Some(handoff.row.id.as_str()) == first);
    let all: Vec<&WorkRow<ThreadRow>> = offered.into_iter().chain(others).collect();
    let shown = all.get(..MAX_SHOWN).unwrap_or(&all);
    work(context, &all, handles, "skein list type:handoff status:open")?;
    let is_near = shown.iter().any(|handoff| handoff.origin.place != "elsewhere");
    hint(
        context,
        match is_near {
            true => "skein resume; skein handoff done",
            false => "skein resume ID; skein handoff done ID",
        },
    )
}

/// Shows the other work that has something left to do.
fn to_resume(
    context: &mut Context<'_>,
    sum: &Overview,
    handles: &ShortIds,
) -> Result<(), CliError> {
    if sum.to_resume.is_empty() {
        return Ok(());
    }
    title(context, "Work to resume", sum.to_resume.len())?;
    let all: Vec<&WorkRow<ThreadRow>> = sum.to_resume.iter().collect();
    work(context, &all, handles, "skein steps")?;
    hint(context, "skein resume ID; skein steps")
}

/// Prints work, each with its place where that is another worktree, and with the one that has taken it.
fn work(
    context: &mut Context<'_>,
    all: &[&WorkRow<ThreadRow>],
    handles: &ShortIds,
    more: &str,
) -> Result<(), CliError> {
    let shown = all.get(..MAX_SHOWN).unwrap_or(all);
    let rows: Vec<ThreadRow> = shown.iter().map(|work| work.row.clone()).collect();
    let widths = widths(&rows, handles);
    for work in shown {
        line(context, &work.row, handles, widths)?;
        let remarks = work.remarks(context.output.clock);
        if !remarks.is_empty() {
            let remarks = format!("    {}", one_line(&remarks.join("; ")));
            let remarks = context.output.paint(style::DIM, &remarks);
            context.output.line(&remarks)?;
        }
    }
    rest(context, all.len(), more)
}

/// Says how many of a group are not shown.
fn rest(context: &mut Context<'_>, all: usize, more: &str) -> Result<(), CliError> {
    if all <= MAX_SHOWN {
        return Ok(());
    }
    let rest = context.output.paint(style::DIM, &format!("  {} more: {more}", all - MAX_SHOWN));
    context.output.line(&rest)
}

/// Shows the sessions that run, and counts those that could come back.
fn sessions(context: &mut Context<'_>, sum: &Overview, handles: &ShortIds) -> Result<(), CliError> {
    const TITLE: &str = "Sessions bound to chat";
    let away = [(sum.disconnected_sessions, "disconnected"), (sum.orphaned_sessions, "orphaned")];
    let away: Vec<String> = away
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, status)| format!("{count} {status}"))
        .collect();
    let left_out = Entries::left_out(&sum.diagnostics);
    group(context, TITLE, &sum.active_sessions, handles, "skein session list --status active")?;
    let mut lines = Vec::new();
    if !away.is_empty() {
        lines.push(format!("  {}: skein session list", away.join(", ")));
    }
    if sum.active_sessions.iter().take(MAX_SHOWN).any(table::is_marked) {
        lines.push(format!("  {}: skein doctor", table::MARK_MEANS));
    }
    if !left_out.is_none() {
        let why = "left out for breaking the contract of the map";
        lines.push(format!("  {left_out} {why}: skein session list --lenient"));
    }
    if sum.active_sessions.is_empty() && !lines.is_empty() {
        title(context, TITLE, 0)?;
    }
    lines.iter().try_for_each(|line| {
        let line = context.output.paint(style::DIM, line);
        context.output.line(&line)
    })
}

/// Says what can be done where nothing waits.
fn idle(context: &mut Context<'_>, sum: &Overview) -> Result<(), CliError> {
    let reviews = [&sum.waiting_on_reviewer, &sum.waiting_on_agent, &sum.drafts];
    let groups: Vec<&Vec<ThreadRow>> = reviews.into_iter().chain([&sum.active_sessions]).collect();
    let has_work = sum.handoff.is_some() || !sum.to_resume.is_empty();
    let has_more = sum.fresh || has_work || !sum.other_worktrees.is_empty();
    if has_more || groups.iter().any(|group| !group.is_empty()) {
        return Ok(());
    }
    hint(
        context,
        match (sum.checkpoints, sum.resolved) {
            (0, 0) => "skein review add FILE:LINE -m TEXT; skein checkpoint save -m TEXT",
            (0, _) => "skein list; skein review add FILE:LINE -m TEXT",
            _ if sum.has_work => {
                "skein resume; skein list; skein checkpoint save -m TEXT --step TEXT"
            }
            _ => "skein list; skein checkpoint save -m TEXT --step TEXT",
        },
    )?;
    if sum.sessions > 0 || context.workspace.sessions.exists {
        return Ok(());
    }
    let text = context.output.paint(style::DIM, &format!("  {UNBOUND}"));
    context.output.line(&text)
}

fn head(context: &mut Context<'_>, sum: &Overview) -> Result<(), CliError> {
    let open = sum.waiting_on_reviewer.len() + sum.waiting_on_agent.len();
    let branch =
        sum.branch.as_ref().map_or(String::new(), |branch| format!(" ({})", one_line(branch)));
    let root = &context.workspace.reviews.root;
    let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
    let name = context.output.paint(style::TITLE, &one_line(&name));
    context.output.line(&format!(
        "{name}{branch}: {}, {} resolved; {}; {}",
        count(open, "open thread"),
        sum.resolved,
        count(sum.checkpoints, "checkpoint"),
        count(sum.sessions, "session"),
    ))?;
    match context.workspace.checkpoints_outside().filter(|_| sum.checkpoints > 0) {
        Some(dir) => {
            let dir = one_line(&dir.display().to_string());
            let text = format!("  the checkpoints are outside of this repository: {dir}");
            let text = context.output.paint(style::DIM, &text);
            context.output.line(&text)
        }
        None => Ok(()),
    }
}

fn group(
    context: &mut Context<'_>,
    name: &str,
    rows: &[ThreadRow],
    handles: &ShortIds,
    more: &str,
) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    title(context, name, rows.len())?;
    let shown = rows.get(..MAX_SHOWN).unwrap_or(rows);
    let widths = widths(shown, handles);
    for row in shown {
        line(context, row, handles, widths)?;
    }
    rest(context, rows.len(), more)
}

/// Says which command goes on from here.
fn hint(context: &mut Context<'_>, command: &str) -> Result<(), CliError> {
    let text = context.output.paint(style::DIM, &format!("  go on: {command}"));
    context.output.line(&text)
}

fn title(context: &mut Context<'_>, name: &str, count: usize) -> Result<(), CliError> {
    let name = context.output.paint(style::TITLE, name);
    context.output.line("")?;
    context.output.line(&if count > 1 { format!("{name} ({count})") } else { name })
}

/// Prints a thread; the cells before its title are as wide as the widest of the group.
fn line(
    context: &mut Context<'_>,
    row: &ThreadRow,
    handles: &ShortIds,
    widths: [usize; 2],
) -> Result<(), CliError> {
    let output = &mut context.output;
    let [handle, place] = cells(row, handles);
    let age = age::short(row.effective_time(output.now), output.now);
    // A narrow terminal does without the age, then without the place.
    let cells = [
        format!("{}  {age:>4}  ", text::pad(&place, widths[1])),
        format!("{}  ", text::pad(&place, widths[1])),
        String::new(),
    ];
    let room = |rest: &str| {
        output.width.map(|width| width.saturating_sub(4 + widths[0] + text::columns(rest)))
    };
    let fits = |rest: &&String| room(rest).is_none_or(|room| room >= MIN_TITLE_WIDTH);
    let rest = cells.iter().find(fits).map_or("", String::as_str);
    let title = text::cut(&text::title(&row.title), room(rest).map(|room| room.max(1)));
    let gap = " ".repeat(widths[0].saturating_sub(text::columns(&handle)));
    let handle = output.paint(style::HANDLE, &handle);
    output.line(&format!("  {handle}{gap}  {rest}{title}"))
}

fn cells(row: &ThreadRow, handles: &ShortIds) -> [String; 2] {
    let place = match &row.detail {
        RowDetail::Review(detail) => table::place_and_whom(detail),
        RowDetail::Checkpoint(detail) => count(detail.open_steps, "open step"),
        RowDetail::Session(detail) => table::project(detail),
    };
    [one_line(&handles.short_id(row)), one_line(&place)]
}

fn widths(rows: &[ThreadRow], handles: &ShortIds) -> [usize; 2] {
    rows.iter().fold([0, 0], |widest, row| {
        let [handle, place] = cells(row, handles);
        [widest[0].max(text::columns(&handle)), widest[1].max(text::columns(&place))]
    })
}

fn foot(context: &mut Context<'_>, sum: &Overview) -> Result<(), CliError> {
    let errors = sum.diagnostics.iter().filter(|diag| diag.severity == "error").count();
    let broken = sum.unusable.len() + errors;
    // An entry that the settings ask for is shown, and nothing to come back to every time.
    let wanted = sum.diagnostics.iter().filter(|diag| diag.code == "session-lenient").count();
    let warnings = sum.warnings + sum.diagnostics.len() - errors - wanted;
    // The doctor looks closer and finds more warnings than these, so that their number would not be the one that it names.
    let found = match (broken, warnings) {
        (0, 0) => return Ok(()),
        (0, _) => "There are warnings".to_owned(),
        (_, 0) => count(broken, "file") + " cannot be used",
        _ => count(broken, "file") + " cannot be used, and there are warnings",
    };
    context.output.line("")?;
    for diag in sum.diagnostics.iter().filter(|diag| diag.severity == "error").take(MAX_SHOWN) {
        let path = Path::new(&diag.path);
        let path = path.strip_prefix(&context.env.dir).unwrap_or(path).display().to_string();
        let text = format!("{}: {}", one_line(&path), one_line(&diag.message));
        context.output.line(&text)?;
    }
    let text = format!("{found}: skein doctor");
    let text = context.output.paint(style::WARNING, &text);
    context.output.line(&text)
}
