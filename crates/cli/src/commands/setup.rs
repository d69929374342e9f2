//! `init`, `share` and `uninstall`: what a repository has of Skein.

use clap::Args;
use skein_engine::review::{self, Setup};

use super::{Context, ask};
use crate::error::CliError;
use crate::terminal::safe;

/// Creates the store of review threads here.
///
/// Commands that need the store create it by themselves. In a clone of a repository that shares its threads this sets up their merging.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {}

/// Lets review threads travel with the repository.
///
/// Git sees the store from then on, and merges threads comment by comment instead of leaving conflicts in them.
#[derive(Args, Debug)]
pub(crate) struct ShareArgs {}

/// Takes back what `init` and `share` set up; the threads stay.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// Moves the threads to the trash too, and removes the store; asks first.
    #[arg(long)]
    purge: bool,

    /// With --purge: does not ask.
    #[arg(long, short, requires = "purge")]
    yes: bool,
}

pub(crate) fn run_init(context: &mut Context<'_>, _args: &InitArgs) -> Result<u8, CliError> {
    let setup = review::init(&context.workspace)?;
    print(context, &setup)
}

pub(crate) fn run_share(context: &mut Context<'_>, _args: &ShareArgs) -> Result<u8, CliError> {
    let setup = review::share(&context.workspace)?;
    print(context, &setup)
}

pub(crate) fn run_uninstall(
    context: &mut Context<'_>,
    args: &UninstallArgs,
) -> Result<u8, CliError> {
    if args.purge && !args.yes {
        if !context.can_ask {
            return Err(CliError::CannotAsk { what: "`uninstall --purge`" });
        }
        let store = context.workspace.reviews.store();
        if !ask(context, &format!("Delete every thread of {}?", store.display()))? {
            context.output.note("Nothing was changed.")?;
            return Ok(crate::NO);
        }
    }
    let setup = review::uninstall(&context.workspace, &context.env, args.purge)?;
    print(context, &setup)
}

fn print(context: &mut Context<'_>, setup: &Setup) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(setup)?;
        return Ok(crate::DONE);
    }
    for line in &setup.done {
        context.output.line(&safe(line))?;
    }
    if setup.done.is_empty() {
        context.output.line("There was nothing to do.")?;
    }
    for line in &setup.next {
        context.output.note(line)?;
    }
    Ok(crate::DONE)
}
