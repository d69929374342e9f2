use clap::Args;
use serde::Serialize;
use skein_review::{Applied, ApplyError, ApplyOptions};

use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::{escape_control, one_line};

/// Puts suggested changes into the files.
///
/// Takes the suggestion of the latest comment that has one. The code is found again first, and if it is not what was commented on nothing is
/// changed. Of several suggestions either all can be applied or none is.
#[derive(Args, Debug)]
pub(crate) struct ApplyArgs {
    /// The threads.
    #[arg(value_name = "ID", required_unless_present = "all")]
    ids: Vec<String>,

    /// Every open thread that suggests something.
    #[arg(long, conflicts_with = "ids")]
    all: bool,

    /// Shows what would change and changes nothing.
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// Resolves the threads too.
    #[arg(long)]
    resolve: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

#[derive(Serialize)]
struct Document<'a> {
    applied: &'a [Applied],
}

pub(super) fn run_apply(context: &mut Context<'_>, args: &ApplyArgs) -> Result<u8, CliError> {
    let actor = args.author.actor(context);
    let options = ApplyOptions { dry_run: args.dry_run, resolve: args.resolve };
    let (workspace, env) = (&context.workspace, &context.env);
    let applied = match skein_review::apply(workspace, env, &actor, &args.ids, options) {
        Err(ApplyError::Nothing) if args.all => Vec::new(),
        done => done?,
    };
    let output = &mut context.output;
    if output.json {
        output.document(&Document { applied: &applied })?;
        return Ok(crate::EXIT_OK);
    }
    if applied.is_empty() {
        output.note("No open thread suggests a change that is not made yet.")?;
    }
    for one in &applied {
        let id = output.paint(style::HANDLE, &report::short(&one.id));
        let words = match one.outcome {
            "applied" => "Applied to",
            "would apply" => "Would apply to",
            _ => "There already:",
        };
        output.line(&format!("{words} {}  {id}", one_line(&one.at)))?;
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
    Ok(crate::EXIT_OK)
}
