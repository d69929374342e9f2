use std::path::PathBuf;

use clap::Args;
use skein_import::{Format, ImportOptions, Imported};

use super::{AuthorArgs, batch, report};
use crate::commands::Context;
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::error::CliError;
use crate::terminal::one_line;

/// Turns the findings of other programs into threads.
///
/// Takes SARIF 2.1, or JSON as `review add --from` does with `"author"`, `"id"` and `"rule"` besides. A finding that was imported before is
/// passed over, whether its thread is open, resolved or deleted. A tool signs with its own name, as an agent.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The document; `-` is stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    from: PathBuf,

    /// What the document is: sarif or json; seen from the document unless given.
    #[arg(long, value_name = "FORMAT", value_parser = ["sarif", "json"])]
    format: Option<String>,

    /// Adds findings too whose threads were deleted.
    #[arg(long)]
    again: bool,

    #[command(flatten)]
    new_store: NewStoreArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_import(context: &mut Context<'_>, args: &ImportArgs) -> Result<u8, CliError> {
    let text = batch::text_of(context, &args.from)?;
    if !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(crate::EXIT_NEGATIVE);
    }
    let format = args.format.as_deref();
    let options = ImportOptions {
        format: format.map(|name| if name == "sarif" { Format::Sarif } else { Format::Json }),
        author: args.author.author.clone(),
        again: args.again,
    };
    let actor = args.author.actor(context);
    let (workspace, env) = (&context.workspace, &context.env);
    let imported = skein_import::import(workspace, env, &actor, text.as_bytes(), &options)?;
    if context.output.json {
        context.output.document(&imported)?;
        for note in &imported.notes {
            context.output.note(note)?;
        }
    } else {
        report::print(context, &imported.threads, &imported.notes)?;
        summary(context, &imported)?;
    }
    Ok(crate::EXIT_OK)
}

fn summary(context: &mut Context<'_>, imported: &Imported) -> Result<(), CliError> {
    let Imported { added, skipped, ignored, failed, .. } = imported;
    for one in failed {
        let rule = one.rule.as_deref().map(|rule| format!(" ({})", one_line(rule)));
        let line = one.line.map_or(String::new(), |line| format!(":{line}"));
        let place = match one.path.as_str() {
            "" => String::new(),
            path => format!(", {}{line}", one_line(path)),
        };
        let (rule, why) = (rule.unwrap_or_default(), one_line(&one.why));
        context.output.note(&format!("Left out finding {}{rule}{place}: {why}", one.number))?;
    }
    let mut parts = vec![format!("{added} added"), format!("{skipped} known already")];
    if *ignored > 0 {
        parts.push(format!("{ignored} passed or suppressed"));
    }
    if !failed.is_empty() {
        parts.push(format!("{} left out", failed.len()));
    }
    context.output.note(&format!("Findings: {}.", parts.join(", ")))
}
