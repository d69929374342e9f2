use std::time::Duration;

use clap::Args;
use skein_catalog::{ShortIds, names};
use skein_model::Turn;
use skein_review::{WaitOptions, Waited};

use super::next::ClaimantArgs;
use super::{AuthorArgs, duration};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::table;

/// Waits until a thread waits on the agent, or on the reviewer.
///
/// For the agent it returns as soon as the reviewer submits, or when threads wait and the reviewer has written nothing for the time of
/// `--settle`; threads that others have claimed do not count. For the reviewer it returns as soon as an agent has answered. Ends with 1 when nothing came in time.
#[derive(Args, Debug)]
pub(crate) struct WaitArgs {
    /// Whose turn to wait for.
    #[arg(long = "for", value_name = "WHOM", default_value = "agent", value_parser = ["agent", "reviewer"])]
    whom: String,

    /// Gives up after this time: 100s, 5m, 2h; 0 looks once.
    #[arg(long, value_name = "TIME", default_value = "100s", value_parser = duration::parse)]
    timeout: Duration,

    /// How long the reviewer must have been quiet.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration::parse)]
    settle: Duration,

    #[command(flatten)]
    claimant: ClaimantArgs,
}

pub(super) fn run_wait(context: &mut Context<'_>, args: &WaitArgs) -> Result<u8, CliError> {
    let whom = if args.whom == "reviewer" { Turn::Reviewer } else { Turn::Agent };
    let (timeout, settle) = (args.timeout, args.settle);
    let token = args.claimant.token(context, &AuthorArgs::default().actor(context));
    let options = WaitOptions { whom, timeout, settle, token: Some(token) };
    let watched = context.machine.stderr_is_terminal;
    let err = &mut context.output.err;
    let mut said = Ok(());
    let waited = skein_review::wait(&context.env, &options, &mut || {
        if watched {
            let what = match whom {
                Turn::Agent => "Waiting for the reviewer; Ctrl-C ends it.",
                Turn::Reviewer => "Waiting for an answer of the agent; Ctrl-C ends it.",
            };
            said = writeln!(err, "{what}").and_then(|()| err.flush());
        }
    });
    said.map_err(CliError::from_output)?;
    if context.output.json {
        context.output.document(&waited)?;
    } else {
        print(context, &waited, whom)?;
    }
    Ok(if waited.timed_out { crate::EXIT_NEGATIVE } else { crate::EXIT_OK })
}

fn print(context: &mut Context<'_>, waited: &Waited, whom: Turn) -> Result<(), CliError> {
    if waited.timed_out {
        return context
            .output
            .note("Nothing came in this time; run the command again to go on waiting.");
    }
    let handles = ShortIds::new(&names(&context.workspace));
    let rows: Vec<_> = waited.waiting.iter().cloned().map(Box::new).collect();
    table::print(&mut context.output, &rows, &[], &handles)?;
    match whom {
        Turn::Agent => context.output.note("`skein review next --claim` shows the first of them."),
        Turn::Reviewer => Ok(()),
    }
}
