use clap::Args;
use skein_model::Filter;
use skein_review::ChangesQuery;

use super::CliContext;
use crate::error::CliResult;
use crate::program;
use crate::render::diff;

/// Shows the changes under review, with the threads inline.
///
/// By default: uncommitted changes, including untracked files; if there are none, the changes of the branch since it diverged from the
/// default branch. The first line says which. BASE is any commit, branch or tag; `A..B` compares two commits, `A...B` the second with the
/// merge base of both.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    query: QueryArgs,

    /// Shows only how many lines changed in each file.
    #[arg(long)]
    stat: bool,

    /// Includes resolved threads.
    #[arg(long)]
    resolved: bool,
}

/// What to compare.
#[derive(Args, Clone, Debug)]
pub(crate) struct QueryArgs {
    /// What to compare with.
    #[arg(value_name = "BASE|A..B")]
    base: Option<String>,

    /// Staged changes.
    #[arg(long, conflicts_with = "base")]
    staged: bool,

    /// Changes since the last `review submit`.
    #[arg(long, conflicts_with_all = ["base", "staged"])]
    since_submit: bool,

    /// Only these files and directories.
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
}

impl QueryArgs {
    pub(crate) fn query(&self) -> ChangesQuery {
        ChangesQuery {
            base: self.base.clone(),
            staged: self.staged,
            since_submit: self.since_submit,
            paths: self.paths.clone(),
        }
    }
}

pub(super) fn run_diff(context: &mut CliContext<'_>, args: &DiffArgs) -> CliResult {
    let status = (!args.resolved).then(|| "open".to_owned());
    let filter = Filter { status, ..Filter::default() };
    let query = args.query.query();
    let found = skein_review::diff(&context.workspace, &query, &filter)?;
    if context.output.print_json(&found)? {
        return Ok(());
    }
    let text = if args.stat {
        diff::stat(&context.output, &found)
    } else {
        diff::changes(&context.output, &found, more(context, &query))
    };
    context.output.finish()?;
    if !program::page(context.machine, &text) {
        context.output.line(text.trim_end_matches('\n'))?;
    }
    Ok(())
}

/// Suggests a comparison if nothing differs; a repository may have only one commit.
fn more(context: &CliContext<'_>, query: &ChangesQuery) -> &'static str {
    let before = ChangesQuery { base: Some("HEAD~1".to_owned()), ..ChangesQuery::default() };
    let is_plain = *query == ChangesQuery::default();
    match is_plain && skein_review::check_changes(&context.workspace, &before).is_ok() {
        true => " `skein review diff HEAD~1` shows the last commit too.",
        false => "",
    }
}
