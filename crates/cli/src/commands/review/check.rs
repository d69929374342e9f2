use clap::Args;
use skein_model::Turn;
use skein_model::view::RowDetail;
use skein_review::OpenThread;

use super::narrow::NarrowArgs;
use crate::commands::Context;
use crate::error::CliError;
use crate::render::text;
use crate::terminal::one_line;

/// Ends with 1 while threads are open, for scripts and CI.
///
/// Prints the open threads as `file:line: author: first line`. A thread that cannot be read counts as open, because nobody knows what it
/// says. Without a store the answer is an error, because a clone that lacks its threads must not pass.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    narrow: NarrowArgs,

    /// Only threads that wait on the reviewer or the agent.
    #[arg(long, value_name = "WHOM", value_parser = ["reviewer", "agent"])]
    waiting: Option<String>,

    /// Ends with 0 where there is no store of review threads.
    #[arg(long)]
    allow_missing: bool,
}

pub(super) fn run_check(context: &mut Context<'_>, args: &CheckArgs) -> Result<u8, CliError> {
    let reviews = &context.workspace.reviews;
    if !reviews.exists && !args.allow_missing {
        return Err(CliError::NoReviews { root: reviews.root.clone() });
    }
    let mut filter = args.narrow.filter(context)?;
    if let Some(whom) = &args.waiting {
        let agent = whom == "agent";
        filter.waiting = Some(if agent { Turn::Agent } else { Turn::Reviewer });
    }
    let checked = skein_review::check(&context.workspace, &context.env, &filter);
    let output = &mut context.output;
    if output.json {
        output.document(&checked)?;
    } else {
        for thread in &checked.open {
            output.line(&line(thread))?;
        }
        for row in &checked.unusable {
            output.note(&format!("{}: {}", one_line(&row.file), text::title(&row.title)))?;
        }
        for diag in &checked.diagnostics {
            output.note(&format!("{}: {} [{}]", diag.path, diag.message, diag.code))?;
        }
        if checked.unusable.len() + checked.diagnostics.len() > 0 {
            output.note("`skein doctor` says what is wrong there.")?;
        }
    }
    Ok(if checked.ok { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}

fn line(thread: &OpenThread) -> String {
    let place = match &thread.row.detail {
        RowDetail::Review(detail) => detail.at.as_deref().unwrap_or_default(),
        _ => "",
    };
    let author = thread.author.as_deref().unwrap_or("unknown");
    format!("{}: {}: {}", one_line(place), one_line(author), text::title(&thread.row.title))
}
