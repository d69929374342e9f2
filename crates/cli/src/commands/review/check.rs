use clap::Args;
use skein_model::Turn;
use skein_model::sanitize::one_line;
use skein_model::view::RowDetail;
use skein_review::OpenThread;

use super::CliContext;
use super::review_filter_args::ReviewFilterArgs;
use crate::error::{CliError, CliResult};
use crate::render::text;

/// Exits with 1 while threads are open, for scripts and CI.
///
/// Prints the open threads as `file:line: author: first line`. A thread that cannot be read counts as open, because its status
/// is unknown. Without a store the result is an error, because a clone without its threads must not pass.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    narrow: ReviewFilterArgs,

    /// Checks only threads that wait on the reviewer or the agent.
    #[arg(long, value_name = "WHOM", value_parser = ["reviewer", "agent"])]
    waiting: Option<String>,

    /// Exits with 0 if there is no store of review threads.
    #[arg(long)]
    allow_missing: bool,
}

pub(super) fn run_check(context: &mut CliContext<'_>, args: &CheckArgs) -> CliResult {
    let reviews = &context.workspace.reviews;
    if !reviews.exists && !args.allow_missing {
        return Err(CliError::new(
            format!("there is no store of review threads: {}", reviews.root.display()),
            "`skein init` creates one; with `--allow-missing` a missing store counts as one without open threads",
        ));
    }
    let mut filter = args.narrow.filter(context)?;
    if let Some(whom) = &args.waiting {
        let agent = whom == "agent";
        filter.waiting = Some(if agent { Turn::Agent } else { Turn::Reviewer });
    }
    let checked = skein_review::check(&context.workspace, &filter);
    let output = &mut context.output;
    if !output.print_json(&checked)? {
        for thread in &checked.open {
            output.line(&line(thread))?;
        }
        for row in &checked.unusable {
            let file = one_line(&row.file.display().to_string());
            output.note(&format!("{file}: {}", text::title(&row.title)))?;
        }
        for diag in &checked.diagnostics {
            output.note(&format!("{}: {} [{}]", diag.path, diag.message, diag.code))?;
        }
        if checked.unusable.len() + checked.diagnostics.len() > 0 {
            output.note("Run `skein doctor` for details.")?;
        }
    }
    context.answer(checked.ok)
}

fn line(thread: &OpenThread) -> String {
    let place = match &thread.row.detail {
        RowDetail::Review(detail) => detail.at.as_deref().unwrap_or_default(),
        _ => "",
    };
    let author = thread.author.as_deref().unwrap_or("unknown");
    format!("{}: {}: {}", one_line(place), one_line(author), text::title(&thread.row.title))
}
