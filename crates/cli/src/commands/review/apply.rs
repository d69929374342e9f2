use clap::Args;
use serde_json::json;
use skein_format::review::Status;
use skein_model::sanitize::{escape_control, one_line};
use skein_review::{ApplyError, ApplyOptions};

use super::{AuthorArgs, CliContext};
use crate::error::{CliError, CliResult};
use crate::render::{style, text};

/// Applies suggested changes to the files.
///
/// Uses the suggestion of the latest comment that has one. If the current code differs from the code that was commented on, nothing is
/// changed. Several suggestions are applied all or none.
#[derive(Args, Debug)]
pub(crate) struct ApplyArgs {
    /// The threads.
    #[arg(value_name = "ID", required_unless_present = "all")]
    ids: Vec<String>,

    /// Every open thread with a suggestion.
    #[arg(long, conflicts_with = "ids")]
    all: bool,

    /// Shows what would change, without writing.
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// Applies the suggestion of one thread as a dry run with `--json` showed it; refused if it or the file has changed since.
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["all", "dry_run"])]
    token: Option<String>,

    /// Also resolves the threads.
    #[arg(long)]
    resolve: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_apply(context: &mut CliContext<'_>, args: &ApplyArgs) -> CliResult {
    let actor = args.author.actor(context);
    let options = ApplyOptions { dry_run: args.dry_run, resolve: args.resolve };
    let workspace = &context.workspace;
    let threads = skein_review::find_all(workspace, &args.ids, Some(Status::Open))?;
    let applied = match (&args.token, threads.as_slice()) {
        (None, _) => match skein_review::apply(workspace, &actor, &threads, options) {
            Err(ApplyError::Nothing) if args.all => Vec::new(),
            done => done?,
        },
        (Some(token), [thread]) => {
            vec![skein_review::apply_previewed(workspace, &actor, thread, token, args.resolve)?]
        }
        (Some(_), _) => {
            let message = format!("`--token` is for one thread, but {} are given", threads.len());
            return Err(CliError::new(message, "run the command once for each thread"));
        }
    };
    let output = &mut context.output;
    if output.print_json(&json!({ "applied": applied }))? {
        return Ok(());
    }
    if applied.is_empty() {
        output.note("No open thread has a suggestion that is not applied yet.")?;
    }
    for one in &applied {
        let words = match one.outcome {
            "applied" => "Applied to",
            "would apply" => "Would apply to",
            _ => "Already applied:",
        };
        let at = format!("{words} {}  ", one_line(&one.at));
        output.line_with_id(&at, &text::short_id(&one.id), "")?;
        if one.removed == one.added {
            continue;
        }
        for (sign, mark, lines) in
            [("-", style::REMOVED, &one.removed), ("+", style::ADDED, &one.added)]
        {
            for line in lines {
                let line = output.paint(mark, &format!("{sign}{}", escape_control(line)));
                output.line(&format!("  {line}"))?;
            }
        }
    }
    Ok(())
}
