use std::path::PathBuf;

use clap::Args;
use skein_workspace::discover;

use super::{Context, overview};
use crate::error::CliError;

/// Writes a small workspace to try things on, and shows it.
///
/// It is a git repository with a history, review threads in every state, checkpoints of each type and
/// a session map. Nothing outside of the directory is touched; delete it when you are done.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// A directory that is empty or does not exist yet.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run_demo(context: &mut Context<'_>, args: &DemoArgs) -> Result<u8, CliError> {
    let dir = context.env.dir.join(&args.dir);
    let root = skein_demo::write(&context.env, &dir)
        .map_err(|error| CliError::Demo { dir, source: Box::new(error) })?;
    context.output.now = context.env.clock.now();
    context.env.dir = root;
    context.workspace = discover(&context.env);
    overview::run_overview(context)?;
    let shown = args.dir.display().to_string();
    context.output.note(&format!("\nThe demo is in {shown}. Try:"))?;
    for (command, what) in [
        (format!("skein -C {shown} serve"), "its review in the browser"),
        (format!("skein -C {shown} list --waiting reviewer"), "what the agents answered"),
        (format!("skein -C {shown} show src/cache.rs:19"), "the thread on a line"),
        (format!("skein -C {shown} doctor"), "what is wrong with which file"),
    ] {
        context.output.note(&format!("  {command:<55} {what}"))?;
    }
    Ok(crate::EXIT_OK)
}
