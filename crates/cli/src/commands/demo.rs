use std::path::{Path, PathBuf};

use clap::Args;
use skein_demo::DemoError;
use skein_model::{Advice, FailureKind, Retype, UserError};
use skein_workspace::advice::git_advice;
use skein_workspace::{GitError, discover};

use super::context::CliContext;
use super::overview;
use crate::error::CliResult;

/// Writes a small workspace to try things on, and shows it.
///
/// It is a git repository with a history, review threads in every state, checkpoints of each type and
/// a session map. Nothing outside of the directory is changed; delete it when you are done.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// A directory that is empty or does not exist yet.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run_demo(context: &mut CliContext<'_>, args: &DemoArgs) -> CliResult {
    let root = write(context, &context.workspace.env.dir.join(&args.dir))?;
    context.output.now = context.workspace.env.clock.now();
    context.workspace = discover(&context.workspace.env.with_dir(root));
    overview::run_overview(context)?;
    let shown = args.dir.display().to_string();
    context.output.note(&format!("\nThe demo is in {shown}. Try:"))?;
    for (command, what) in [
        (format!("skein -C {shown} serve"), "its review in the browser"),
        (format!("skein -C {shown} list --waiting reviewer"), "what the agents answered"),
        (format!("skein -C {shown} show src/cache.rs:19"), "the thread on a line"),
        (format!("skein -C {shown} doctor"), "problems in its files"),
    ] {
        context.output.note(&format!("  {command:<55} {what}"))?;
    }
    Ok(())
}

/// Writes the demo and returns its root.
pub(super) fn write(context: &CliContext<'_>, dir: &Path) -> Result<PathBuf, DemoNotWritten> {
    skein_demo::write(&context.workspace.env, dir)
        .map_err(|source| DemoNotWritten { dir: dir.to_owned(), source })
}

#[derive(Debug, thiserror::Error)]
#[error("the demo could not be written")]
pub(super) struct DemoNotWritten {
    dir: PathBuf,
    source: DemoError,
}

impl UserError for DemoNotWritten {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        let dir = self.dir.display();
        match &self.source {
            DemoError::NotEmpty { .. } => FailureKind::Conflict.hint(format!(
                "name a directory that does not exist yet: `skein demo {}`",
                free_name(&self.dir)
            )),
            DemoError::Git(error @ GitError::Missing { .. }) => git_advice(error),
            _ if self.dir.exists() => FailureKind::System.hint(format!(
                "fix the problem, delete what was written (`rm -r {dir}`), and run the command again"
            )),
            DemoError::Git(error) => git_advice(error),
            DemoError::File(error) => error.advice(retype),
        }
    }
}

/// Returns the first of `demo-2`, `demo-3` and so on that does not exist.
fn free_name(dir: &Path) -> String {
    let names = (2..).map(|number| format!("{}-{number}", dir.display()));
    names.into_iter().find(|name| !Path::new(name).exists()).unwrap_or_default()
}
