use std::path::Path;

use clap::Args;
use skein_model::Filter;
use skein_review::{AddOptions, AnnotatedDiff, SheetComments};

use super::diff::QueryArgs;
use super::submit::print_origins;
use super::{AuthorArgs, CliContext, report};
use crate::commands::message::edited;
use crate::error::{CliError, CliResult};

/// Opens the changes in your editor, to write comments between the lines.
///
/// A line that starts with `>` becomes a comment on the line above it. When you save, all of them are submitted together with your drafts; comments that could not be placed
/// or read are kept and shown. Takes the same arguments as `review diff`.
#[derive(Args, Debug)]
pub(crate) struct WriteArgs {
    #[command(flatten)]
    query: QueryArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_write(context: &mut CliContext<'_>, args: &WriteArgs) -> CliResult {
    let query = args.query.query();
    let filter = Filter { status: Some("open".to_owned()), ..Filter::default() };
    let diff = skein_review::diff(&context.workspace, &query, &filter)?;
    if !diff.is_worktree {
        return Err(CliError::new(
            "you can comment on the working tree, not on a commit",
            "name one commit to compare the files with",
        ));
    }
    if diff.files.is_empty() {
        return Err(CliError::new(
            format!("there are no changes to comment on: {}", diff.title),
            "compare with an older commit: `skein review write HEAD~1`",
        ));
    }
    let drafts = skein_catalog::drafts::drafts(&context.workspace).len();
    let sheet = AnnotatedDiff::new(&diff, drafts);
    let name = ("review", ".diff");
    let (scratch, edited) = edited(context, name, &sheet.text, editor_failed)?;
    let found = sheet.comments(&context.workspace, &edited);
    submit(context, args, &found)
        .map_err(|error| error.hinting(kept(&scratch.path), NOT_SUBMITTED))?;
    if found.unplaced.is_empty() && found.unread.is_empty() {
        return Ok(scratch.discard()?);
    }
    for one in &found.unplaced {
        context.output.note(&format!(
            "Could not be placed, because {}:\n{}",
            one.reason,
            indent(&one.body)
        ))?;
    }
    if !found.unread.is_empty() {
        let lines = indent(&found.unread.join("\n"));
        context.output.note(&format!("Ignored, because it does not start with >:\n{lines}"))?;
    }
    context.output.note(&format!("Everything you wrote is kept in {}", scratch.path.display()))?;
    context.exit_code = crate::EXIT_ERROR;
    Ok(())
}

const NOT_SUBMITTED: &str = "fix the problem; `skein review list --drafts` shows which comments are already drafts, and `skein review submit` publishes them";

fn kept(path: &Path) -> String {
    format!("everything you wrote is kept in {}", path.display())
}

fn editor_failed(error: CliError, path: &Path) -> CliError {
    let lines = path.display();
    let hint = format!(
        "fix the problem, run `skein review write` again, and copy your lines from {lines}"
    );
    error.hinting(kept(path), hint)
}

fn submit(context: &mut CliContext<'_>, args: &WriteArgs, found: &SheetComments) -> CliResult {
    if found.threads.is_empty() {
        if found.unplaced.is_empty() && found.unread.is_empty() {
            context.output.note("There are no comments, so nothing was submitted.")?;
        }
        return Ok(());
    }
    let actor = args.author.actor(context);
    let options = AddOptions { draft: true, changed_only: false };
    let workspace = &context.workspace;
    skein_review::add(workspace, &actor, &found.threads, options)?;
    let done = skein_delivery::submit(workspace)?;
    report::print(context, &done.result.threads, &done.result.notes)?;
    print_origins(context, &done.origins)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
