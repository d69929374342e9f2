use std::path::PathBuf;

use clap::Args;
use skein_catalog::{ShortIds, names};
use skein_search::{Hit, Hits, Page, Query, SearchScope, Searcher};
use skein_workspace::registry;

use super::Context;
use super::list::{FilterArgs, elsewhere, number, occurring};
use crate::error::CliError;
use crate::progress::ProgressBar;
use crate::render::hit;

/// Finds threads of all kinds by what they say.
///
/// All words must match, in any case and with or without accents. `"a phrase"` stands together, `prefix*` begins a word, `-not` must not be
/// there, and `key:value` narrows as in `skein list`: `skein search 'retry "rate limit" -flaky kind:review status:open after:2w'`. The keys
/// are `kind`, `status`, `file`, `author`, `since` (also `after`), `until` (also `before`), `tag`, `type`, `branch`, `commit` and `waiting`;
/// each is a flag too, and `-key:value` leaves out what has it. A commit is found by seven or more of its digits, a branch or a path by any part of it. Ends with 1 where nothing is found.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words, phrases and filters.
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    filter: FilterArgs,

    /// At most so many threads.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = number)]
    limit: usize,

    /// Passes over so many of the best ones.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = number)]
    offset: usize,

    /// In all workspaces that a command was used in on this machine; outside of a workspace that is so anyway.
    #[arg(long)]
    everywhere: bool,

    /// Review threads of every worktree of the repository.
    #[arg(long)]
    all_worktrees: bool,

    /// Sessions that break the contract of the map too.
    #[arg(long)]
    lenient: bool,
}

pub(crate) fn run_search(context: &mut Context<'_>, args: &SearchArgs) -> Result<u8, CliError> {
    let text = args.query.join(" ").trim().to_owned();
    let bad = |error| CliError::Query { text: text.clone(), error };
    let mut query = Query::parse_or(&text, context.output.now, &occurring(context)).map_err(bad)?;
    let everywhere = args.everywhere || is_outside(context);
    args.filter.add_to(context, &mut query.filter, everywhere)?;
    // `file:.` asks for everything below the root.
    if query.is_empty() && text.is_empty() {
        return Err(CliError::NoQuery);
    }
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    let mut hits = search(context, args, &query, everywhere);
    hits.place(&context.workspace, &context.env);
    let found = hits.total > 0;
    if context.output.json {
        context.output.document(&hits)?;
    } else {
        print(context, args, &hits, everywhere)?;
    }
    Ok(if found { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}

/// Returns whether no thread is kept where the user stands.
fn is_outside(context: &Context<'_>) -> bool {
    !context.workspace.reviews.exists && !context.workspace.checkpoints.exists
}

fn search(context: &Context<'_>, args: &SearchArgs, query: &Query, everywhere: bool) -> Hits {
    let reach = if everywhere { SearchScope::Everywhere } else { SearchScope::Here };
    let workspace = context.workspace.clone();
    let searcher = Searcher::new(workspace, reach, &context.env, args.all_worktrees)
        .with_drafts(&context.env, args.all_worktrees);
    let bar = ProgressBar::new(context.machine, "Searching");
    let width = context.output.width.map_or(hit::WIDTH, hit::room);
    let page = Page { offset: args.offset, limit: args.limit, width };
    searcher.query(query, page, &context.env, &bar)
}

fn print(
    context: &mut Context<'_>,
    args: &SearchArgs,
    hits: &Hits,
    everywhere: bool,
) -> Result<(), CliError> {
    // To name threads by few letters, the names of all are looked at.
    let names = if hits.hits.is_empty() { Vec::new() } else { names(&context.workspace) };
    let handles = ShortIds::new(&names);
    let mut root = None;
    for hit in &hits.hits {
        // A session belongs to no workspace.
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
                false => elsewhere(context, "search --all-worktrees QUERY"),
            }
        }
        Some(summary) => context.output.note(&summary),
        None => Ok(()),
    }
}

/// Says how many threads there are that are not shown.
fn summary(args: &SearchArgs, hits: &Hits) -> Option<String> {
    let (count, total) = (hits.hits.len(), hits.total);
    let shown = args.offset.saturating_add(count);
    let threads = if total == 1 { "1 thread matches" } else { &format!("{total} threads match") };
    if count == 0 {
        return Some(format!("{threads}, and none is shown."));
    }
    (shown < total).then(|| format!("{count} of {total} threads; `--offset {shown}` shows more"))
}

/// Returns whether the commands of this workspace know the thread by a short id.
fn is_here(context: &Context<'_>, hit: &Hit) -> bool {
    let roots = [&context.workspace.reviews.root, &context.workspace.checkpoints.root];
    let own = |root: &String| roots.contains(&&PathBuf::from(root));
    hit.workspace.as_ref().is_none_or(own)
}

fn nothing(context: &Context<'_>, everywhere: bool) -> String {
    if everywhere {
        return "Nothing is found in any workspace; `skein workspaces list` shows them.".to_owned();
    }
    let known = registry::roots(&context.env).len();
    match known {
        0 | 1 => "Nothing is found here.".to_owned(),
        _ => "Nothing is found here; `--everywhere` looks in all workspaces.".to_owned(),
    }
}
