use std::path::Path;

use skein_catalog::placed::place_rows;
use skein_catalog::{OtherWorktree, ShortIds, names};
use skein_checkpoints::WorkPlace;
use skein_model::sanitize::one_line;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadRow};
use skein_summary::{Overview, WorkRow, overview};
use skein_workspace::Actor;

use super::context::CliContext;
use super::session::EntryCount;
use crate::error::CliResult;
use crate::output::Output;
use crate::render::text::count;
use crate::render::{age, style, table, text};

/// Maximum number of threads that are shown for a group.
const MAX_SHOWN: usize = 5;
/// Minimum width of a title.
const MIN_TITLE_WIDTH: usize = 16;

/// Shows the waiting threads, grouped by whose turn it is.
pub(crate) fn run_overview(context: &mut CliContext<'_>) -> CliResult {
    let mut overview = overview(&context.workspace);
    let max_placed = if context.output.is_json { usize::MAX } else { MAX_SHOWN };
    let Overview { waiting_on_reviewer, waiting_on_agent, drafts, .. } = &mut overview;
    let groups = [waiting_on_reviewer, waiting_on_agent, drafts];
    let placed = groups.into_iter().flat_map(|group| group.iter_mut().take(max_placed));
    place_rows(&context.workspace, placed);
    if context.output.print_json(&overview)? {
        return Ok(());
    }
    let is_empty = overview.fresh
        && overview.diagnostics.is_empty()
        && overview.drafts.is_empty()
        && overview.other_worktrees.is_empty()
        && overview.submodules.is_empty();
    if is_empty {
        return FIRST_STEPS.iter().try_for_each(|line| context.output.line(line));
    }
    let handles = ShortIds::new(&names(&context.workspace));
    head(context, &overview)?;
    reviews(context, &overview, &handles)?;
    let mut page = Page { output: &mut context.output, handles: &handles };
    page.other_worktrees(&overview)?;
    for submodule in &overview.submodules {
        page.output.line(&format!("{} lists them.", text::submodule(submodule, "review list")))?;
    }
    page.handoffs(&overview)?;
    if !overview.to_resume.is_empty() {
        page.title("Work to resume", overview.to_resume.len())?;
        page.work(&overview.to_resume.iter().collect::<Vec<_>>(), "skein steps")?;
        page.next("skein resume ID; skein steps")?;
    }
    page.sessions(&overview)?;
    idle(context, &overview)?;
    problems(context, &overview)
}

/// Suggestions for a new user.
const FIRST_STEPS: [&str; 10] = [
    "There are no threads here yet. Skein stores review threads in .code-review/ and checkpoints in",
    "workspace/threads/. What to try:",
    "",
    "  skein serve --demo                     look at a review in the browser",
    "  skein review add FILE:LINE -m TEXT     comment on a line of code",
    "  skein review --help                    see how a review works",
    "  skein checkpoint save -m TEXT          save a checkpoint for the next session",
    "  skein init                             set up the agents that are found here",
    "",
    UNBOUND,
];

/// What to do about a thread with a conflict of git.
const CONFLICT: &str = "git left a conflict here, and nothing is lost: `skein doctor --fix` merges both sides, then `git add` it";

/// Returns the threads in which git left a conflict.
fn conflicts(overview: &Overview) -> impl Iterator<Item = &ThreadRow> {
    let is_conflict = |diag: &FileDiagnostic| diag.code == "review-conflict";
    overview.unusable.iter().filter(move |row| row.diagnostics.iter().any(is_conflict))
}

/// The text for an empty list of sessions.
const UNBOUND: &str = "No agent session is bound to chat, that is, controlled from a chat thread: skein session --help";

fn head(context: &mut CliContext<'_>, overview: &Overview) -> CliResult {
    let open = overview.waiting_on_reviewer.len() + overview.waiting_on_agent.len();
    let branch = overview.branch.as_ref();
    let branch = branch.map_or(String::new(), |branch| format!(" ({})", one_line(branch)));
    let root = &context.workspace.reviews.root;
    let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
    let name = context.output.paint(style::TITLE, &one_line(&name));
    // Otherwise a conflict would look like a review without open threads.
    let conflicts = conflicts(overview).count();
    let conflicts =
        if conflicts > 0 { format!(", {conflicts} in conflict") } else { String::new() };
    context.output.prose(&format!(
        "{name}{branch}: {}, {} resolved{conflicts}; {}; {}",
        count(open, "open thread"),
        overview.resolved,
        count(overview.checkpoints, "checkpoint"),
        count(overview.sessions, "session"),
    ))?;
    match context.workspace.checkpoints_outside().filter(|_| overview.checkpoints > 0) {
        Some(dir) => {
            let dir = one_line(&dir.display().to_string());
            let text = format!("  the checkpoints are outside of this repository: {dir}");
            context.output.styled(style::DIM, &text)
        }
        None => Ok(()),
    }
}

fn reviews(context: &mut CliContext<'_>, overview: &Overview, handles: &ShortIds) -> CliResult {
    let actor = Actor::find(&context.workspace, None);
    let is_own = |row: &ThreadRow| match &row.detail {
        RowDetail::Review(detail) => actor.agent || detail.waits_on(&actor.name),
        _ => true,
    };
    let (own, others): (Vec<_>, Vec<_>) =
        overview.waiting_on_reviewer.iter().cloned().partition(is_own);
    let mut page = Page { output: &mut context.output, handles };
    let list = "skein list --waiting reviewer";
    page.group("Waiting on the reviewer", &own, list)?;
    page.group("Waiting on others", &others, list)?;
    let list = "skein list --waiting agent";
    page.group("Waiting on an agent", &overview.waiting_on_agent, list)?;
    let list = "skein review list --drafts";
    page.group("Drafts, not submitted yet", &overview.drafts, list)?;
    if overview.drafts.is_empty() { Ok(()) } else { page.next("skein review submit") }
}

/// Suggests commands if nothing is waiting.
fn idle(context: &mut CliContext<'_>, overview: &Overview) -> CliResult {
    let is_idle = overview.waiting_on_reviewer.is_empty()
        && overview.waiting_on_agent.is_empty()
        && overview.drafts.is_empty()
        && overview.active_sessions.is_empty()
        && overview.handoff.is_none()
        && overview.to_resume.is_empty()
        && overview.other_worktrees.is_empty()
        && !overview.fresh;
    if !is_idle {
        return Ok(());
    }
    let commands = match (overview.checkpoints, overview.resolved) {
        (0, 0) => "skein review add FILE:LINE -m TEXT; skein checkpoint save -m TEXT",
        (0, _) => "skein list; skein review add FILE:LINE -m TEXT",
        _ if overview.has_work => {
            "skein resume; skein list; skein checkpoint save -m TEXT --step TEXT"
        }
        _ => "skein list; skein checkpoint save -m TEXT --step TEXT",
    };
    context.output.styled(style::DIM, &format!("  next: {commands}"))?;
    if overview.sessions > 0 || context.workspace.sessions.exists {
        return Ok(());
    }
    context.output.styled(style::DIM, &format!("  {UNBOUND}"))
}

/// Prints how many files have problems.
fn problems(context: &mut CliContext<'_>, overview: &Overview) -> CliResult {
    let error_count = overview.diagnostics.iter().filter(|diag| diag.is_error()).count();
    let broken = overview.unusable.len() + error_count;
    // Invalid entries that the settings include are not reported every time.
    let wanted = overview.diagnostics.iter().filter(|diag| diag.code == "session-lenient").count();
    let warnings = overview.warnings + overview.diagnostics.len() - error_count - wanted;
    // `doctor` checks more files, so its number of warnings would differ.
    let found = match (broken, warnings) {
        (0, 0) => return Ok(()),
        (0, _) => "There are warnings".to_owned(),
        (_, 0) => count(broken, "file") + " cannot be used",
        _ => count(broken, "file") + " cannot be used, and there are warnings",
    };
    context.output.line("")?;
    // What a removed worktree left is named, because it is easily forgotten.
    let named = |diag: &&FileDiagnostic| diag.is_error() || diag.code == "worktree-removed";
    for diag in overview.diagnostics.iter().filter(named).take(MAX_SHOWN) {
        let path = Path::new(&diag.path);
        let path =
            path.strip_prefix(&context.workspace.env.dir).unwrap_or(path).display().to_string();
        context.output.prose(&format!("{}: {}", one_line(&path), one_line(&diag.message)))?;
    }
    for row in conflicts(overview).take(MAX_SHOWN) {
        let path = row.file.strip_prefix(&context.workspace.env.dir).unwrap_or(&row.file);
        let path = one_line(&path.display().to_string());
        context.output.prose(&format!("{path}: {CONFLICT}"))?;
    }
    context.output.styled(style::WARNING, &format!("{found}: skein doctor"))
}

/// Prints groups of threads.
struct Page<'a, 'b> {
    output: &'a mut Output<'b>,
    handles: &'a ShortIds,
}

impl Page<'_, '_> {
    fn title(&mut self, name: &str, count: usize) -> CliResult {
        let name = self.output.paint(style::TITLE, name);
        self.output.line("")?;
        self.output.prose(&if count > 1 { format!("{name} ({count})") } else { name })
    }

    /// Suggests the next command.
    fn next(&mut self, command: &str) -> CliResult {
        self.output.styled(style::DIM, &format!("  next: {command}"))
    }

    /// Prints how many threads of a group are not shown.
    fn rest(&mut self, all: usize, command: &str) -> CliResult {
        if all <= MAX_SHOWN {
            return Ok(());
        }
        self.output.styled(style::DIM, &format!("  {} more: {command}", all - MAX_SHOWN))
    }

    fn group(&mut self, name: &str, rows: &[ThreadRow], command: &str) -> CliResult {
        if rows.is_empty() {
            return Ok(());
        }
        self.title(name, rows.len())?;
        let shown: Vec<&ThreadRow> = rows.iter().take(MAX_SHOWN).collect();
        let widths = self.widths(&shown);
        shown.iter().try_for_each(|row| self.line(row, widths))?;
        self.rest(rows.len(), command)
    }

    fn other_worktrees(&mut self, overview: &Overview) -> CliResult {
        let others = &overview.other_worktrees;
        if others.is_empty() {
            return Ok(());
        }
        self.title("In other worktrees", 1)?;
        for one in others.iter().take(MAX_SHOWN) {
            self.output.prose(&format!("  {}", one.summary()))?;
        }
        let command = OtherWorktree::command(others);
        self.rest(others.len(), command)?;
        self.next(command)
    }

    /// Prints the open handoffs: first the one that `resume` selects, then the others.
    fn handoffs(&mut self, overview: &Overview) -> CliResult {
        let handoffs = &overview.handoffs;
        if handoffs.is_empty() {
            return Ok(());
        }
        self.title("Handed over", handoffs.len())?;
        let message = overview.handoff_message.as_deref().filter(|message| !message.is_empty());
        if let Some(message) = message {
            self.output.prose(&format!("  \u{201c}{}\u{201d}", text::title(message)))?;
        }
        let first = overview.handoff.as_ref().map(|row| row.id.as_str());
        let mut all: Vec<&WorkRow<ThreadRow>> = handoffs.iter().collect();
        all.sort_by_key(|handoff| Some(handoff.row.id.as_str()) != first);
        self.work(&all, "skein list type:handoff status:open")?;
        let is_near =
            all.iter().take(MAX_SHOWN).any(|one| one.origin.place != WorkPlace::Elsewhere);
        self.next(match is_near {
            true => "skein resume; skein handoff done",
            false => "skein resume ID; skein handoff done ID",
        })
    }

    /// Prints checkpoints, each with its worktree if that is another one, and the holder of its lock.
    fn work(&mut self, all: &[&WorkRow<ThreadRow>], command: &str) -> CliResult {
        let shown = all.get(..MAX_SHOWN).unwrap_or(all);
        let widths = self.widths(&shown.iter().map(|work| &work.row).collect::<Vec<_>>());
        for work in shown {
            self.line(&work.row, widths)?;
            let remarks = work.remarks(self.output.clock);
            if !remarks.is_empty() {
                let remarks = format!("    {}", one_line(&remarks.join("; ")));
                self.output.styled(style::DIM, &remarks)?;
            }
        }
        self.rest(all.len(), command)
    }

    /// Shows the active sessions, and counts the others that have not ended.
    fn sessions(&mut self, overview: &Overview) -> CliResult {
        const TITLE: &str = "Sessions bound to chat";
        let active = &overview.active_sessions;
        self.group(TITLE, active, "skein session list --status active")?;
        let mut lines = Vec::new();
        let away = [
            (overview.disconnected_sessions, "disconnected"),
            (overview.orphaned_sessions, "orphaned"),
        ];
        let away = away.iter().filter(|(count, _)| *count > 0);
        let away: Vec<String> = away.map(|(count, status)| format!("{count} {status}")).collect();
        if !away.is_empty() {
            lines.push(format!("  {}: skein session list", away.join(", ")));
        }
        if active.iter().take(MAX_SHOWN).any(table::is_marked) {
            lines.push(format!("  {}: skein doctor", table::MARK_MEANS));
        }
        let skipped = EntryCount::skipped(&overview.diagnostics);
        if !skipped.is_none() {
            lines.push(format!(
                "  {skipped} skipped (invalid entries): skein session list --lenient"
            ));
        }
        if active.is_empty() && !lines.is_empty() {
            self.title(TITLE, 0)?;
        }
        lines.iter().try_for_each(|line| self.output.styled(style::DIM, line))
    }

    /// Prints a thread; the cells before its title are padded to the widest of the group.
    fn line(&mut self, row: &ThreadRow, widths: [usize; 2]) -> CliResult {
        let [handle, place] = self.cells(row);
        let output = &mut *self.output;
        let age = age::short(row.effective_time(output.now), output.now);
        // On a narrow terminal the age is left out first, then the place.
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
        output.line_with_id("  ", &handle, &format!("{gap}  {rest}{title}"))
    }

    fn cells(&self, row: &ThreadRow) -> [String; 2] {
        let place = match &row.detail {
            RowDetail::Review(detail) => table::place_and_person(detail),
            RowDetail::Checkpoint(detail) => count(detail.open_steps, "open step"),
            RowDetail::Session(detail) => table::project(detail),
        };
        [one_line(&self.handles.short_id(row)), one_line(&place)]
    }

    fn widths(&self, rows: &[&ThreadRow]) -> [usize; 2] {
        rows.iter().fold([0, 0], |widest, row| {
            let [handle, place] = self.cells(row);
            [widest[0].max(text::columns(&handle)), widest[1].max(text::columns(&place))]
        })
    }
}
