use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use skein_model::sanitize::one_line;
use skein_review::check_changes;

use super::context::CliContext;
use super::review::QueryArgs;
use crate::error::{CliError, CliResult};
use crate::program;
use crate::servers::{ServeRequest, ServerError, Serving};

/// Opens the review in the browser: the diff with its threads, updated live.
///
/// Shows the same changes as `review diff`; the page can switch to others. Only this machine can reach it, and only a browser that
/// opened the printed address, which admits one browser. A workspace always gets the same port, so that a page can be bookmarked.
/// If the workspace is already served, a new address for it is printed. Stop it with Ctrl-C.
#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    query: QueryArgs,

    /// Listens on this port.
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Does not open a browser.
    #[arg(long)]
    no_open: bool,

    /// Serves read-only pages.
    #[arg(long)]
    read_only: bool,

    /// Serves a small workspace to try things on; it is created if necessary.
    #[arg(long, conflicts_with_all = ["base", "staged", "since_submit", "paths"])]
    demo: bool,
}

impl ServeArgs {
    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }
}

#[derive(Serialize)]
struct Address<'a> {
    address: &'a str,
    port: u16,
    token: &'a str,
    root: String,
}

pub(crate) fn run_serve(context: &mut CliContext<'_>, args: &ServeArgs) -> CliResult {
    let dir = if args.demo { demo_dir(context)? } else { context.workspace.env.dir.clone() };
    let query = args.query.query();
    if query.base.is_some() && context.workspace.git.is_some() && !args.demo {
        check_changes(&context.workspace, &query)?;
    }
    let request = ServeRequest {
        env: context.machine.env(Some(&dir))?,
        query,
        port: args.port,
        read_only: args.read_only,
    };
    let serving = (context.servers.serve)(request).map_err(not_served)?;
    print(context, &serving)?;
    if !args.no_open {
        open(context, &serving)?;
    }
    if !serving.is_served_already {
        context.output.note("Press Ctrl-C to stop.")?;
    }
    (serving.run)().map_err(not_served)
}

fn not_served(error: ServerError) -> CliError {
    CliError::from(error).context("the page cannot be served")
}

fn print(context: &mut CliContext<'_>, serving: &Serving) -> CliResult {
    let root = serving.root.display().to_string();
    if context.output.is_json {
        let Serving { address, port, token, .. } = serving;
        context.output.document(&Address { address, port: *port, token, root })?;
    } else {
        let line = format!("Serving {} at {}", one_line(&root), serving.address);
        context.output.line(&line)?;
    }
    context.output.finish()?;
    if serving.is_served_already {
        context.output.note("Another `skein serve` is already running for this workspace.")?;
    }
    Ok(())
}

fn open(context: &mut CliContext<'_>, serving: &Serving) -> CliResult {
    if program::browse(context.machine, serving) {
        return Ok(());
    }
    let port = serving.port;
    context.output.note(&match context.machine.variables.contains_key("SSH_CONNECTION") {
        true => format!(
            "Open the address on your own machine, through `ssh -L {port}:127.0.0.1:{port} HOST`."
        ),
        false => "Open the address in a browser.".to_owned(),
    })
}

/// Returns the directory of the demo, which is created the first time.
fn demo_dir(context: &mut CliContext<'_>) -> CliResult<PathBuf> {
    let dir = context.workspace.env.dirs.cache.join("demo");
    let shown = dir.display().to_string();
    if dir.join(".git").exists() {
        let text = format!("The demo in {shown} already exists; delete it to start over.");
        context.output.note(&text)?;
        return Ok(dir);
    }
    let root = super::demo::write(context, &dir)?;
    context.output.note(&format!("The demo is in {shown}."))?;
    Ok(root)
}
