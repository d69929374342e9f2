use clap::Args;
use skein_engine::search::{self, Built, Hits, Searcher, WORTH_INDEX, Worth, build};
use skein_engine::{Workspace, discover_in, workspaces};

use super::Context;
use crate::error::CliError;
use crate::program;
use crate::progress::Bar;

/// Brings the search index up to date; nobody ever has to.
///
/// Where there are more than a few thousand threads a search asks an index, which is kept in the cache directory and can be
/// deleted at any moment. A search that finds much that is not in it runs this by itself, in the background: `skein config set
/// search.background false` turns that off.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// In all workspaces that a command was used in on this machine.
    #[arg(long)]
    everywhere: bool,

    /// Leaves the machine to others while it works, and says nothing.
    #[arg(long, hide = true)]
    background: bool,
}

pub(crate) fn run_index(context: &mut Context<'_>, args: &IndexArgs) -> Result<u8, CliError> {
    if args.background {
        program::step_back();
    }
    let searcher = Searcher::new(places(context, args.everywhere), &context.env, true);
    let bar = Bar::new(context.machine, "Indexing");
    let mut done = Vec::new();
    let built = build(&searcher, WORTH_INDEX, &bar);
    drop(bar);
    for built in built {
        done.push(built.map_err(CliError::Index)?);
    }
    done.retain(|built| built.threads > 0);
    if context.output.json {
        context.output.document(&serde_json::json!({ "folders": done }))?;
    } else if !args.background {
        print(context, &done)?;
    }
    Ok(crate::DONE)
}

/// Returns the workspace that the user stands in, and all others where they are meant too.
pub(crate) fn places(context: &Context<'_>, everywhere: bool) -> Vec<Workspace> {
    let mut places = vec![context.workspace.clone()];
    if everywhere {
        let roots = workspaces::roots(&context.env);
        places.extend(roots.iter().map(|root| discover_in(&context.env, root)));
    }
    places
}

fn print(context: &mut Context<'_>, done: &[Built]) -> Result<(), CliError> {
    for built in done {
        let threads = if built.threads == 1 { "thread" } else { "threads" };
        let text = match built.action {
            "small" => "too few for an index, so that a search reads them".to_owned(),
            "busy" => "another program is writing the index".to_owned(),
            "unchanged" => "the index is up to date".to_owned(),
            action => format!("index {action}, {} read", built.read),
        };
        let folder = built.folder.display();
        context.output.line(&format!("{folder}: {} {threads}, {text}", built.threads))?;
    }
    if done.is_empty() {
        context.output.note("There are no threads here.")?;
    }
    Ok(())
}

/// Starts to index in the background, where a search had to read much.
pub(crate) fn start_if_worth(
    context: &mut Context<'_>,
    hits: &Hits,
    everywhere: bool,
) -> Result<(), CliError> {
    if !context.workspace.settings.background() {
        return Ok(());
    }
    match hits.claim_index(&context.env) {
        Worth::Nothing => {}
        Worth::Index => {
            if let Some(own) = &context.machine.program {
                // Where it does not start, the next search reads the files again.
                drop(program::start_index(own, &context.env.dir, everywhere));
            }
        }
        Worth::Unwritable { dir, why } => {
            let dir = dir.display();
            let text = format!("searches read every thread: no index can be kept in {dir} ({why})");
            context.output.note(&format!("Warning: {text}"))?;
        }
    }
    Ok(())
}

/// Keeps the index up to date while a command runs that runs for long.
pub(crate) fn keep_warm(context: &Context<'_>) {
    if context.workspace.settings.background() {
        let searcher = Searcher::new(places(context, false), &context.env, true);
        let (own, dir) = (context.machine.program.clone(), context.env.dir.clone());
        // A program of its own ends when it is done, and its memory with it.
        let begin = move || {
            let started = own.map(|own| program::start_index(&own, &dir, false));
            if let Some(Ok(mut index)) = started {
                drop(index.wait());
            }
        };
        search::keep_warm(searcher, begin);
    }
}
