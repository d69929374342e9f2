use std::time::Duration;

use clap::Args;
use skein_catalog::{ShortIds, names};
use skein_model::{Filter, Turn};
use skein_review::{Cancel, WaitOptions, Waited};

use super::next::ClaimantArgs;
use super::{AuthorArgs, CliContext, duration};
use crate::error::{CliError, CliResult};
use crate::render::table;

/// Waits until a thread is waiting on the agent, or on the reviewer.
///
/// For the agent it returns as soon as the reviewer submits, or when threads are waiting and the reviewer has written nothing for the time of
/// `--settle`; threads that others have claimed do not count. For the reviewer it returns as soon as an agent has replied. Exits with 1 on a timeout.
#[derive(Args, Debug)]
pub(crate) struct WaitArgs {
    /// Whose turn to wait for.
    #[arg(long = "for", value_name = "WHOM", default_value = "agent", value_parser = ["agent", "reviewer"])]
    whom: String,

    /// Stops waiting after this time: 100s, 5m, 2h; 0 checks once.
    #[arg(long, value_name = "TIME", default_value = "100s", value_parser = duration::parse)]
    timeout: Duration,

    /// How long the reviewer must have written nothing.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration::parse)]
    settle: Duration,

    #[command(flatten)]
    claimant: ClaimantArgs,
}

pub(super) fn run_wait(context: &mut CliContext<'_>, args: &WaitArgs) -> CliResult {
    let whom = if args.whom == "reviewer" { Turn::Reviewer } else { Turn::Agent };
    let (timeout, settle) = (args.timeout, args.settle);
    let token = args.claimant.token(context, &AuthorArgs::default().actor(context));
    let (filter, cancel) = (Filter::default(), Cancel::default());
    let options = WaitOptions { whom, timeout, settle, token: Some(token), filter, cancel };
    let watched = context.machine.stderr_is_terminal;
    let err = &mut context.output.err;
    let mut printed = Ok(());
    let waited = skein_review::wait(&context.workspace.env, &options, &mut || {
        if watched {
            let what = match whom {
                Turn::Agent => "Waiting for the reviewer. Press Ctrl-C to stop.",
                Turn::Reviewer => "Waiting for the agent. Press Ctrl-C to stop.",
            };
            printed = writeln!(err, "{what}").and_then(|()| err.flush());
        }
    });
    printed.map_err(CliError::from_output)?;
    if !context.output.print_json(&waited)? {
        print(context, &waited, whom)?;
    }
    context.answer(!waited.timed_out)
}

fn print(context: &mut CliContext<'_>, waited: &Waited, whom: Turn) -> CliResult {
    if waited.timed_out {
        return context.output.note("Timed out. Run the command again to keep waiting.");
    }
    let handles = ShortIds::new(&names(&context.workspace));
    let rows: Vec<_> = waited.waiting.iter().cloned().map(Box::new).collect();
    table::print(&mut context.output, &rows, &[], &handles)?;
    match whom {
        Turn::Agent => context.output.note("`skein review next --claim` shows the first of them."),
        Turn::Reviewer => Ok(()),
    }
}
