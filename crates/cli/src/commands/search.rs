use std::path::PathBuf;

use clap::Args;
use skein_catalog::{ShortIds, names};
use skein_model::sanitize::one_line;
use skein_search::{Hits, Page, Query, QueryError, SearchHit, SearchScope, Searcher};
use skein_workspace::registry;
use unicode_width::UnicodeWidthStr as _;

use super::context::CliContext;
use super::filter_args::{FilterArgs, accepts};
use super::list::number;
use super::other_worktrees::note_threads;
use crate::error::{CliError, CliResult};
use crate::progress::ProgressBar;
use crate::render::hit;

/// Searches the text of all threads.
///
/// All words must match, ignoring case and accents. `"a phrase"` matches words in order, `prefix*` the start of a word, `-not` excludes
/// a word, and `key:value` narrows as in `skein list`: `skein search 'retry "rate limit" -flaky kind:review status:open after:2w'`. The keys
/// are `kind`, `status`, `file`, `author`, `since` (also `after`), `until` (also `before`), `tag`, `type`, `branch`, `commit` and `waiting`;
/// each is a flag too, and `-key:value` excludes. A commit is found by seven or more of its digits, a branch or a path by any part of it. Exits with 1 if nothing is found.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words, phrases and filters.
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    filter: FilterArgs,

    /// Lists at most this many threads.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = number)]
    limit: usize,

    /// Skips this many of the best matches.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = number)]
    offset: usize,

    /// Searches all workspaces on this machine in which Skein was used; this is the default outside of a workspace.
    #[arg(long)]
    everywhere: bool,

    /// Searches the review threads of every worktree of the repository.
    #[arg(long)]
    all_worktrees: bool,

    /// Includes invalid entries of the session map.
    #[arg(long)]
    lenient: bool,
}

pub(crate) fn run_search(context: &mut CliContext<'_>, args: &SearchArgs) -> CliResult {
    let text = args.query.join(" ").trim().to_owned();
    let occurs = |key: &str, value: &str| accepts(context, key, value, false);
    let query = Query::parse_or(&text, context.output.now, &occurs);
    let mut query = query.map_err(|error| query_error(&text, &error))?;
    let everywhere = args.everywhere || is_outside(context);
    args.filter.add_to(context, &mut query.filter, everywhere)?;
    // `file:.` matches everything below the root, so it is a query without words or filters.
    if query.is_empty() && text.is_empty() {
        return Err(CliError::new(
            "the query is empty",
            "run `skein search WORD`, or `skein search --help`",
        ));
    }
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    let mut hits = search(context, args, &query, everywhere);
    hits.place(&context.workspace);
    let found = hits.total > 0;
    if !context.output.print_json(&hits)? {
        print(context, args, &hits, everywhere)?;
    }
    context.answer(found)
}

/// Returns whether the current directory is not in a workspace with threads.
fn is_outside(context: &CliContext<'_>) -> bool {
    !context.workspace.reviews.exists && !context.workspace.checkpoints.exists
}

fn search(context: &CliContext<'_>, args: &SearchArgs, query: &Query, everywhere: bool) -> Hits {
    let reach = if everywhere { SearchScope::Everywhere } else { SearchScope::Here };
    let workspace = context.workspace.clone();
    let searcher =
        Searcher::new(workspace, reach, args.all_worktrees).with_drafts(args.all_worktrees);
    let bar = ProgressBar::new(context.machine, "Searching");
    let width = context.output.width.map_or(hit::DEFAULT_WIDTH, hit::snippet_width);
    let page = Page { offset: args.offset, limit: args.limit, width };
    searcher.query(query, page, &bar)
}

fn print(
    context: &mut CliContext<'_>,
    args: &SearchArgs,
    hits: &Hits,
    everywhere: bool,
) -> CliResult {
    // Short ids depend on the names of all threads.
    let names = if hits.hits.is_empty() { Vec::new() } else { names(&context.workspace) };
    let handles = ShortIds::new(&names);
    let mut root = None;
    for hit in &hits.hits {
        // Sessions have no workspace.
        if everywhere && hit.workspace.is_some() && hit.workspace != root {
            root.clone_from(&hit.workspace);
            hit::print_root(&mut context.output, root.as_deref().unwrap_or_default())?;
        }
        let is_here = is_here(context, hit);
        hit::print(&mut context.output, hit, is_here.then_some(&handles))?;
    }
    for problem in &hits.diagnostics {
        context.output.note(&format!("Warning: {}: {}", problem.path, problem.message))?;
    }
    match summary(args, hits) {
        _ if hits.total == 0 => {
            context.output.note(&nothing(context, everywhere))?;
            match args.all_worktrees || everywhere {
                true => Ok(()),
                false => note_threads(context, "search --all-worktrees QUERY"),
            }
        }
        Some(summary) => context.output.note(&summary),
        None => Ok(()),
    }
}

/// Returns a line with the number of threads that are not shown.
fn summary(args: &SearchArgs, hits: &Hits) -> Option<String> {
    let (count, total) = (hits.hits.len(), hits.total);
    let shown = args.offset.saturating_add(count);
    let threads = if total == 1 { "1 thread matches" } else { &format!("{total} threads match") };
    if count == 0 {
        return Some(format!("{threads}, and none is shown."));
    }
    (shown < total).then(|| format!("{count} of {total} threads; `--offset {shown}` shows more"))
}

/// Returns whether the thread belongs to this workspace, whose commands accept its short id.
fn is_here(context: &CliContext<'_>, hit: &SearchHit) -> bool {
    let roots = [&context.workspace.reviews.root, &context.workspace.checkpoints.root];
    let own = |root: &String| roots.contains(&&PathBuf::from(root));
    hit.workspace.as_ref().is_none_or(own)
}

fn nothing(context: &CliContext<'_>, everywhere: bool) -> String {
    if everywhere {
        return "Nothing was found in any workspace; `skein workspaces list` shows them."
            .to_owned();
    }
    let known = registry::roots(&context.workspace.env).len();
    match known {
        0 | 1 => "Nothing was found here.".to_owned(),
        _ => "Nothing was found here; `--everywhere` searches all workspaces.".to_owned(),
    }
}

/// The maximum length of a query that is repeated in an error.
const MAX_QUERY_LEN: usize = 200;

/// Returns the error of an invalid query, with marks below the wrong part.
fn query_error(text: &str, error: &QueryError) -> CliError {
    let mut hint = error.hint();
    let is_shown = text.len() <= MAX_QUERY_LEN && !text.chars().any(char::is_control);
    let parts = (text.get(..error.at.start), text.get(error.at.clone()));
    if let (Some(before), Some(wrong)) = parts
        && is_shown
    {
        let (before, wrong) = (" ".repeat(before.width()), "^".repeat(wrong.width().max(1)));
        hint = format!("{hint}\n  {}\n  {before}{wrong}", one_line(text));
    }
    CliError::new(error.to_string(), hint)
}
