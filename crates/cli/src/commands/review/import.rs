use clap::Args;
use skein_import::{Format, ImportOptions, Imported};
use skein_model::sanitize::one_line;

use super::{AuthorArgs, CliContext, report};
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::commands::stdin::{self, InputFile};
use crate::error::{CliError, CliResult};

/// Turns findings of other programs into threads.
///
/// Takes SARIF 2.1, or the JSON of `review add --from` with the additional keys `"author"`, `"id"` and `"rule"`. A finding that was imported before is
/// skipped, whether its thread is open, resolved or deleted. Comments are signed with the name of the tool, as an agent.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The document; `-` is stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    from: InputFile,

    /// The format of the document: sarif or json; detected by default.
    #[arg(long, value_name = "FORMAT", value_parser = ["sarif", "json"])]
    format: Option<String>,

    /// Also imports findings whose threads were deleted.
    #[arg(long)]
    again: bool,

    #[command(flatten)]
    new_store: NewStoreArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_import(context: &mut CliContext<'_>, args: &ImportArgs) -> CliResult {
    let text = stdin::read_text(context, &args.from)?;
    if !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(());
    }
    let format = args.format.as_deref();
    let options = ImportOptions {
        format: format.map(|name| if name == "sarif" { Format::Sarif } else { Format::Json }),
        author: args.author.author.clone(),
        again: args.again,
    };
    let actor = args.author.actor(context);
    let workspace = &context.workspace;
    let imported = skein_import::import(workspace, &actor, text.as_bytes(), &options)
        .map_err(|error| CliError::from(error).context("nothing was imported"))?;
    if context.output.print_json(&imported)? {
        return context.output.notes(&imported.notes);
    }
    report::print(context, &imported.threads, &imported.notes)?;
    summary(context, &imported)
}

fn summary(context: &mut CliContext<'_>, imported: &Imported) -> CliResult {
    let Imported { added, skipped, ignored, failed, .. } = imported;
    for one in failed {
        let rule = one.rule.as_deref().map(|rule| format!(" ({})", one_line(rule)));
        let line = one.line.map_or(String::new(), |line| format!(":{line}"));
        let place = match one.path.as_str() {
            "" => String::new(),
            path => format!(", {}{line}", one_line(path)),
        };
        let (rule, reason) = (rule.unwrap_or_default(), one_line(&one.reason));
        context.output.note(&format!("Skipped finding {}{rule}{place}: {reason}", one.number))?;
    }
    let mut parts = vec![format!("{added} added"), format!("{skipped} already known")];
    if *ignored > 0 {
        parts.push(format!("{ignored} passed or suppressed"));
    }
    if !failed.is_empty() {
        parts.push(format!("{} skipped", failed.len()));
    }
    context.output.note(&format!("Findings: {}.", parts.join(", ")))
}
