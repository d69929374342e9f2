use clap::Args;
use skein_catalog::drafts::drafts;
use skein_catalog::list::drafts_matching;
use skein_catalog::placed::place_rows;
use skein_catalog::worktree_copy::is_copy;
use skein_catalog::{ShortIds, ThreadRef, WorktreeScope, expand, list, names};
use skein_model::sanitize::one_line;
use skein_model::view::{Listing, PlacementState, RowDetail, ThreadRow, ThreadView};
use skein_model::{Filter, Kind, fold_autos};

use super::context::CliContext;
use super::filter_args::{FilterArgs, filter, is_draft};
use super::other_worktrees::note_threads;
use super::session::EntryCount;
use crate::error::{CliError, CliResult};
use crate::program;
use crate::render::{table, text};

/// Lists all threads, most recently changed first.
///
/// Words narrow the list: a kind (`review`, `checkpoint`, `session`) or `key:value`, as in
/// `skein list review status:open file:src`. The keys are `kind`, `status`, `file`, `author`, `since` (also `after`), `until` (also
/// `before`), `tag`, `type`, `branch`, `commit` and `waiting`; each is a flag too.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// A kind, or key:value.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    #[command(flatten)]
    filter: FilterArgs,

    /// Lists at most this many threads.
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, value_parser = number)]
    limit: Option<usize>,

    /// Lists threads of every worktree of the repository.
    #[arg(long)]
    all_worktrees: bool,

    /// Includes invalid entries of the session map.
    #[arg(long)]
    lenient: bool,

    /// With --json: prints the whole content of each thread.
    #[arg(long, requires = "json")]
    full: bool,

    /// Prints review threads as file:line:column:title, for an editor's list of locations.
    #[arg(long, conflicts_with = "json")]
    vimgrep: bool,
}

/// Parses a number of threads.
pub(crate) fn number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "it takes a number, such as 20")
}

/// Maximum number of review threads in a list of all kinds for which the current location of the code is searched.
const MAX_PLACED: usize = 200;

const NO_MATCH: &str = "No threads match.";

/// How a list is printed.
struct Print {
    /// Whether all review threads are shown at the current location of their code.
    placed: bool,
    /// Whether the auto-checkpoints of each session are folded into the last one.
    folded: bool,
    /// The note for an empty list.
    nothing: &'static str,
}

pub(crate) fn run_list(
    context: &mut CliContext<'_>,
    args: &ListArgs,
    kind: Option<Kind>,
) -> CliResult {
    let filter = args.filter(context, kind)?;
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    let mut listing = list(&context.workspace, &filter, args.scope());
    let asks_for_drafts = filter.status.as_deref().is_some_and(is_draft);
    if asks_for_drafts && filter.kind.is_none_or(|kind| kind == Kind::Review) {
        let drafts = drafts_matching(&context.workspace, &filter);
        listing.threads.extend(drafts.into_iter().map(Box::new));
    }
    let nothing = nothing(context, &filter);
    let is_text = !context.output.is_json && !args.vimgrep;
    // A filter for auto-checkpoints shows each of them.
    let folded = is_text && filter.type_name.is_none();
    print(context, args, listing, &Print { placed: args.vimgrep, folded, nothing })
}

/// Lists review threads at the current location of their code.
pub(crate) fn run_list_placed(
    context: &mut CliContext<'_>,
    args: &ListArgs,
    only_drafts: bool,
) -> CliResult {
    let filter = args.filter(context, Some(Kind::Review))?;
    let nothing = if only_drafts { "There are no drafts here." } else { nothing(context, &filter) };
    let listing = if only_drafts {
        let threads = drafts(&context.workspace).into_iter().map(Box::new).collect();
        Listing { threads, diagnostics: Vec::new() }
    } else {
        let mut listing = list(&context.workspace, &filter, args.scope());
        // Drafts are listed first: the user has to submit them.
        let drafts = drafts_matching(&context.workspace, &filter);
        listing.threads.splice(0..0, drafts.into_iter().map(Box::new));
        listing
    };
    print(context, args, listing, &Print { placed: true, folded: false, nothing })
}

/// Returns the reason why a list is empty.
fn nothing(context: &CliContext<'_>, filter: &Filter) -> &'static str {
    let kind = filter.kind;
    if !context.workspace.is_fresh() && *filter != (Filter { kind, ..Filter::default() }) {
        return NO_MATCH;
    }
    match kind.filter(|_| !context.workspace.is_fresh()) {
        None => "There are no threads here yet. Run `skein` to see what to try.",
        Some(Kind::Review) => {
            "There are no review threads here. `skein review add FILE:LINE -m TEXT` starts one."
        }
        Some(Kind::Checkpoint) => {
            "There are no checkpoints here. `skein checkpoint save -m SUMMARY` writes one."
        }
        Some(Kind::Session) => {
            "No session is bound to chat. `skein session list` explains what that means."
        }
    }
}

fn print(
    context: &mut CliContext<'_>,
    args: &ListArgs,
    mut listing: Listing<Box<ThreadRow>>,
    how: &Print,
) -> CliResult {
    let threads = std::mem::take(&mut listing.threads);
    let mut folded: Vec<(Box<ThreadRow>, usize)> = match how.folded {
        true => fold_autos(threads, |row| row),
        false => threads.into_iter().map(|row| (row, 0)).collect(),
    };
    let all = folded.len();
    let rest = folded.split_off(args.limit.unwrap_or(all).min(all));
    let (threads, more): (Vec<_>, Vec<usize>) = folded.into_iter().unzip();
    listing.threads = threads;
    // A long list shows the locations in the thread files: finding the current ones takes too long.
    let reviews = listing.threads.iter().filter(|row| row.kind == Kind::Review).count();
    if how.placed || reviews <= MAX_PLACED {
        let rows = listing.threads.iter_mut().map(|row| &mut **row);
        place_rows(&context.workspace, rows);
    }
    if args.vimgrep {
        listing.threads.iter().try_for_each(|row| vimgrep(context, row))?;
    } else if context.output.is_json && args.full {
        let views = full(context, &listing);
        context.output.document(&views)?;
    } else if !context.output.print_json(&listing)? {
        let handles = ShortIds::new(&names(&context.workspace));
        let text = context
            .output
            .capture(|output| table::print(output, &listing.threads, &more, &handles))?;
        print_long(context, &text)?;
        remarks(context, args, &listing, all, how.nothing)?;
        let hidden: usize = more.iter().sum();
        if hidden > 0 {
            let what = if hidden == 1 { "auto-checkpoint is" } else { "auto-checkpoints are" };
            context.output.note(&format!(
                "{hidden} more {what} folded into the last one of each session; `type:auto` lists all"
            ))?;
        }
    }
    // The process ends here, and freeing a long list would delay that.
    std::mem::forget((listing, rest));
    Ok(())
}

impl ListArgs {
    pub(crate) fn has_all_worktrees(&self) -> bool {
        self.all_worktrees
    }

    fn scope(&self) -> WorktreeScope {
        if self.all_worktrees { WorktreeScope::AllWorktrees } else { WorktreeScope::ThisWorktree }
    }

    fn filter(&self, context: &CliContext<'_>, kind: Option<Kind>) -> CliResult<Filter> {
        let with_drafts = kind.is_none_or(|kind| kind == Kind::Review);
        filter(context, &self.words, &self.filter.flags(), kind, with_drafts)
    }
}

/// Prints a list; through the user's pager if it is longer than a small terminal.
pub(super) fn print_long(context: &mut CliContext<'_>, text: &str) -> CliResult {
    const SMALL_TERMINAL: usize = 24;
    context.output.finish()?;
    let is_long = text.lines().count() >= SMALL_TERMINAL;
    if !is_long || !program::page(context.machine, text) {
        context.output.out.write_all(text.as_bytes()).map_err(CliError::from_output)?;
    }
    Ok(())
}

/// Reads the whole content of each thread; threads that were deleted since are left out.
fn full(context: &CliContext<'_>, listing: &Listing<Box<ThreadRow>>) -> Listing<ThreadView> {
    let rows = listing.threads.iter();
    let threads = rows.filter_map(|row| expand(&context.workspace, row).ok()).collect();
    Listing { threads, diagnostics: listing.diagnostics.clone() }
}

fn vimgrep(context: &mut CliContext<'_>, row: &ThreadRow) -> CliResult {
    let RowDetail::Review(detail) = &row.detail else { return Ok(()) };
    let (Some(target), Some(at)) = (&detail.target, &detail.at) else { return Ok(()) };
    let place = at
        .rsplit_once(':')
        .filter(|_| target.range.is_some() && detail.state != Some(PlacementState::Gone));
    let (path, lines) = place.unwrap_or((at, "1"));
    let line = lines.split('-').next().unwrap_or("1");
    let column = target.range.map_or(1, |range| range.start_character + 1);
    // The path of a thread of another worktree is relative to that worktree.
    let path = ThreadRef::from_row(&context.workspace, row).reviews.root.join(path);
    let path = path.strip_prefix(&context.workspace.env.dir).unwrap_or(&path).display().to_string();
    let text = format!("{}:{line}:{column}:{}", one_line(&path), text::title(&row.title));
    context.output.line(&text)
}

/// Prints notes about threads that the table does not show.
fn remarks(
    context: &mut CliContext<'_>,
    args: &ListArgs,
    listing: &Listing<Box<ThreadRow>>,
    all: usize,
    nothing: &str,
) -> CliResult {
    let shown = listing.threads.len();
    if shown < all {
        context.output.note(&format!("{} more; use `--limit` to show them", all - shown))?;
    }
    let skipped = EntryCount::skipped(&listing.diagnostics);
    // If sessions were skipped, the list is empty for another reason.
    if all == 0 && (skipped.is_none() || nothing == NO_MATCH) {
        context.output.note(nothing)?;
        if !args.all_worktrees {
            note_threads(context, "review list --all-worktrees status:open")?;
        }
    }
    if !skipped.is_none() {
        let (what, them) = if skipped.is_one() { ("session", "it") } else { ("sessions", "them") };
        context.output.note(&format!(
            "{skipped} {what} skipped (invalid entries); `--lenient` shows {them}"
        ))?;
    }
    if listing.threads.iter().any(|row| is_copy(&context.workspace, &row.file)) {
        context
            .output
            .note("`skein review restore` lists what can be restored of removed worktrees")?;
    }
    if listing.threads.iter().any(|row| table::is_marked(row)) {
        context.output.note(&format!("{}; `skein doctor` shows which rule", table::MARK_MEANS))?;
    }
    let unusable = listing.threads.iter().filter(|row| !row.usable).count();
    let errors = listing.diagnostics.iter().filter(|diag| diag.is_error()).count();
    note_problems(context, unusable + errors)
}

/// Prints the number of problems.
pub(super) fn note_problems(context: &mut CliContext<'_>, count: usize) -> CliResult {
    match count {
        0 => Ok(()),
        count => {
            let problems = text::count(count, "problem");
            context.output.note(&format!("{problems} found; run `skein doctor` for details"))
        }
    }
}
