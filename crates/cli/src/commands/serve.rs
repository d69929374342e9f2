use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use skein_review::check_changes;

use super::Context;
use super::review::QueryArgs;
use crate::error::CliError;
use crate::faces::{ServeRequest, Serving};
use crate::program;
use crate::terminal::one_line;

/// Opens the review in the browser: the diff with its threads, live.
///
/// Compares what `review diff` compares; the page can be switched to anything else. Only this machine can reach it, and only whoever has the
/// address that is printed. The port and the token are the same each time for a workspace, so that a page can be kept. Where the workspace is
/// served already, its address is printed. Ends with Ctrl-C.
#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    query: QueryArgs,

    /// Listens on this port.
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Leaves the browser alone.
    #[arg(long)]
    no_open: bool,

    /// Shows everything and writes nothing.
    #[arg(long)]
    read_only: bool,

    /// Serves a small workspace to try things on, which is written where it is missing.
    #[arg(long, conflicts_with_all = ["base", "staged", "since_submit", "paths"])]
    demo: bool,
}

impl ServeArgs {
    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }
}

/// Where to look, for a program.
#[derive(Serialize)]
struct Address<'a> {
    address: &'a str,
    port: u16,
    token: &'a str,
    root: String,
}

pub(crate) fn run_serve(context: &mut Context<'_>, args: &ServeArgs) -> Result<u8, CliError> {
    let dir = if args.demo { demo_dir(context)? } else { context.env.dir.clone() };
    let query = args.query.query();
    if query.base.is_some() && context.workspace.git.is_some() && !args.demo {
        check_changes(&context.workspace, &context.env, &query)?;
    }
    let request = ServeRequest {
        env: context.machine.env(Some(&dir))?,
        query,
        port: args.port,
        read_only: args.read_only,
    };
    let serving = (context.faces.serve)(request)?;
    print(context, &serving)?;
    if !args.no_open {
        open(context, &serving)?;
    }
    if !serving.is_served_already {
        context.output.note("Ctrl-C stops it.")?;
    }
    (serving.run)()?;
    Ok(crate::EXIT_OK)
}

fn print(context: &mut Context<'_>, serving: &Serving) -> Result<(), CliError> {
    let root = serving.root.display().to_string();
    if context.output.json {
        let Serving { address, port, token, .. } = serving;
        context.output.document(&Address { address, port: *port, token, root })?;
    } else {
        let line = format!("Serving {} at {}", one_line(&root), serving.address);
        context.output.line(&line)?;
    }
    context.output.finish()?;
    if serving.is_served_already {
        context.output.note("Another `skein serve` of this workspace is running already.")?;
    }
    Ok(())
}

fn open(context: &mut Context<'_>, serving: &Serving) -> Result<(), CliError> {
    if program::browse(context.machine, &serving.opening) {
        return Ok(());
    }
    let port = serving.port;
    context.output.note(&match context.machine.variables.contains_key("SSH_CONNECTION") {
        true => format!(
            "Open the address on your own machine, over `ssh -L {port}:127.0.0.1:{port} HOST`."
        ),
        false => "Open the address in a browser.".to_owned(),
    })
}

/// Returns the directory of the demo, which is written the first time.
fn demo_dir(context: &mut Context<'_>) -> Result<PathBuf, CliError> {
    let dir = context.env.dirs.cache.join("demo");
    let shown = dir.display().to_string();
    if dir.join(".git").exists() {
        let text = format!("The demo is in {shown} since the last time; delete it to begin anew.");
        context.output.note(&text)?;
        return Ok(dir);
    }
    let root = skein_demo::write(&context.env, &dir)
        .map_err(|error| CliError::Demo { dir, source: Box::new(error) })?;
    context.output.note(&format!("The demo is in {shown}."))?;
    Ok(root)
}
