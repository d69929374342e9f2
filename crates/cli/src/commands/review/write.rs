use clap::Args;
use skein_model::Filter;
use skein_review::{AddOptions, AnnotatedDiff, SheetComments};

use super::diff::QueryArgs;
use super::message::edited;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::{CliError, ReviewError};

/// Opens the changes in your editor, to write comments between their lines.
///
/// A line that begins with `>` becomes a comment on the line above it. On save all of them are submitted together, with your drafts; what could not be placed
/// or read is kept and shown. Takes what to compare as `review diff` does.
#[derive(Args, Debug)]
pub(crate) struct WriteArgs {
    #[command(flatten)]
    query: QueryArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_write(context: &mut Context<'_>, args: &WriteArgs) -> Result<u8, CliError> {
    let query = args.query.query();
    let filter = Filter { status: Some("open".to_owned()), ..Filter::default() };
    let diff = skein_review::diff(&context.workspace, &context.env, &query, &filter)?;
    if !diff.is_worktree {
        return Err(ReviewError::NotTheFiles.into());
    }
    if diff.files.is_empty() {
        return Err(ReviewError::NoChanges { title: diff.title }.into());
    }
    let drafts = skein_catalog::drafts::drafts(&context.workspace, &context.env).len();
    let sheet = AnnotatedDiff::new(&diff, drafts);
    let name = ("review", ".diff");
    let (scratch, edited) = edited(context, name, &sheet.text, CliError::keeping_sheet)?;
    let found = sheet.comments(&context.workspace, &context.env, &edited);
    let code = submit(context, args, &found).map_err(|error| error.keeping_sheet(&scratch.path))?;
    if found.unplaced.is_empty() && found.unread.is_empty() {
        scratch.discard()?;
        return Ok(code);
    }
    for one in &found.unplaced {
        context.output.note(&format!("Not placed, because {}:\n{}", one.why, indent(&one.body)))?;
    }
    if !found.unread.is_empty() {
        let lines = indent(&found.unread.join("\n"));
        context.output.note(&format!("Not read, because it does not begin with >:\n{lines}"))?;
    }
    context.output.note(&format!("All that you wrote is kept in {}", scratch.path.display()))?;
    Ok(crate::EXIT_ERROR)
}

fn submit(
    context: &mut Context<'_>,
    args: &WriteArgs,
    found: &SheetComments,
) -> Result<u8, CliError> {
    if found.threads.is_empty() {
        if found.unplaced.is_empty() && found.unread.is_empty() {
            context.output.note("You wrote no comment, so nothing was submitted.")?;
        }
        return Ok(crate::EXIT_OK);
    }
    let actor = args.author.actor(context);
    let options = AddOptions { draft: true, changed_only: false };
    let (workspace, env) = (&context.workspace, &context.env);
    skein_review::add(workspace, env, &actor, &found.threads, options)?;
    let done = skein_review::submit(workspace, env)?;
    report::print(context, &done.threads, &done.notes)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
