pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod merge_driver;
pub(crate) mod new_store;
mod overview;
pub(crate) mod resume;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod stdin;
pub(crate) mod steps;
pub(crate) mod watch;
pub(crate) mod worker;
pub(crate) mod workspaces;

use clap::{ArgMatches, FromArgMatches as _};
use skein_workspace::{Env, Workspace, discover};

use crate::args::{Cli, Commands};
use crate::error::CliError;
use crate::faces::Servers;
use crate::machine::{ProcessEnv, Streams};
use crate::output::Output;
use crate::terminal::{self, one_line};

/// What a command works with.
pub(crate) struct Context<'a> {
    pub(crate) env: Env,
    pub(crate) workspace: Workspace,
    pub(crate) output: Output<'a>,
    pub(crate) input: &'a mut dyn std::io::BufRead,
    /// What was read from stdin, which is kept if the command fails.
    pub(crate) piped: Option<Vec<u8>>,
    pub(crate) can_ask: bool,
    pub(crate) machine: &'a ProcessEnv,
    pub(crate) faces: &'a Servers,
}

/// Asks the user; anything but a yes is a no.
pub(crate) fn ask(context: &mut Context<'_>, question: &str) -> Result<bool, CliError> {
    // What the question is about must stand above it.
    context.output.out.flush().map_err(CliError::from_output)?;
    let asked = write!(context.output.err, "{} [y/N] ", terminal::escape_control(question));
    asked.and_then(|()| context.output.err.flush()).map_err(CliError::from_output)?;
    let mut answer = String::new();
    context.input.read_line(&mut answer).map_err(CliError::from_output)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Runs the command that the arguments name.
pub(crate) fn run(
    machine: &ProcessEnv,
    faces: &Servers,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<u8, CliError> {
    // The definition and the struct are the same: what matched can be taken out.
    let cli =
        Cli::from_arg_matches(matches).map_err(|_| CliError::NoCommand { name: String::new() })?;
    let env = machine.env(cli.global.start_dir.as_deref())?;
    let is_passive = is_passive(cli.command.as_ref());
    let workspace = if is_passive { discover(&env) } else { caught_up(&env) };
    let wanted = cli.global.color.clone();
    let wanted = wanted.unwrap_or_else(|| workspace.settings.color().to_owned());
    let output = Output {
        color: terminal::color(machine, machine.stdout_is_terminal, Some(&wanted)),
        width: machine.width.filter(|_| machine.stdout_is_terminal),
        json: cli.global.json,
        now: env.clock.now(),
        clock: env.clock.local(),
        out: &mut *streams.out,
        err: &mut *streams.err,
    };
    // These two end when somebody stops them.
    if matches!(cli.command, Some(Commands::Serve(_) | Commands::Watch(_))) && !is_passive {
        remember(machine, &env, &workspace);
    }
    let can_ask = machine.stdin_is_terminal && machine.stderr_is_terminal;
    let input = &mut *streams.input;
    let mut context =
        Context { env, workspace, output, input, piped: None, can_ask, machine, faces };
    warn_of_unused_stores(&mut context, cli.command.as_ref())?;
    let done = match &cli.command {
        None => overview::run_overview(&mut context),
        Some(Commands::List(args)) => list::run_list(&mut context, args),
        Some(Commands::Show(args)) => show::run_show(&mut context, args),
        Some(Commands::Search(args)) => search::run_search(&mut context, args),
        Some(Commands::Review(args)) => review::run_review(&mut context, args),
        Some(Commands::Checkpoint(args)) => checkpoint::run_checkpoint(&mut context, args),
        Some(Commands::Handoff(args)) => handoff::run_handoff(&mut context, args),
        Some(Commands::Resume(args)) => resume::run_resume(&mut context, args),
        Some(Commands::Steps(args)) => steps::run_steps(&mut context, args),
        Some(Commands::Session(args)) => session::run_session(&mut context, args),
        Some(Commands::Watch(args)) => watch::run_watch(&mut context, args),
        Some(Commands::Serve(args)) => serve::run_serve(&mut context, args),
        Some(Commands::Init(args)) => init::run_init(&mut context, args),
        Some(Commands::Install(args)) => install::run_install(&mut context, args),
        Some(Commands::Share(args)) => setup::run_share(&mut context, args),
        Some(Commands::Uninstall(args)) => setup::run_uninstall(&mut context, args),
        Some(Commands::Doctor(args)) => doctor::run_doctor(&mut context, args),
        Some(Commands::Config(args)) => config::run_config(&mut context, args),
        Some(Commands::Demo(args)) => demo::run_demo(&mut context, args),
        // A hook is run before its arguments are parsed; only its help comes this far.
        Some(Commands::Hook(_)) => Ok(crate::EXIT_OK),
        Some(Commands::MergeDriver(args)) => merge_driver::run_merge_driver(&mut context, args),
        Some(Commands::Workspaces(args)) => workspaces::run_workspaces(&mut context, args),
        Some(Commands::Worker(args)) => worker::run_worker(&mut context, args),
        Some(Commands::Completions(args)) => completions::run_completions(&mut context, args),
        Some(Commands::Man(args)) => man::run_man(&mut context, args),
    };
    let code = done.map_err(|error| stdin::keep(&context, error))?;
    if !is_passive {
        remember(machine, &context.env, &context.workspace);
    }
    context.output.finish()?;
    Ok(code)
}

/// Warns of stores that are not used, because another user owns them or a setting names another directory: the answer of a
/// command that reads threads lacks theirs.
///
/// The doctor has a place for that in its output.
fn warn_of_unused_stores(
    context: &mut Context<'_>,
    command: Option<&Commands>,
) -> Result<(), CliError> {
    let codes: &[&str] = match command {
        None
        | Some(
            Commands::List(_)
            | Commands::Show(_)
            | Commands::Search(_)
            | Commands::Review(_)
            | Commands::Watch(_)
            | Commands::Serve(_),
        ) => &["store-not-owned", "store-unused"],
        Some(
            Commands::Checkpoint(_)
            | Commands::Handoff(_)
            | Commands::Resume(_)
            | Commands::Steps(_),
        ) => &["store-not-owned"],
        Some(_) => return Ok(()),
    };
    let unused = context.workspace.diagnostics.iter();
    let unused = unused.filter(|diag| codes.contains(&diag.code));
    let warnings: Vec<String> = unused
        .map(|diag| {
            let advice = diag.code().map_or("", |code| code.advice());
            format!("Warning: {}: {}. {advice}", one_line(&diag.path), diag.message)
        })
        .collect();
    warnings.iter().try_for_each(|warning| context.output.note(warning))
}

/// Finds the workspace, after what agents in sandboxes wrote in its worktrees was moved to where it belongs.
fn caught_up(env: &Env) -> Workspace {
    let workspace = discover(env);
    drop(skein_install::follow_move(&workspace, env));
    // What cannot be moved now is moved by the next command that can.
    match skein_checkpoints::catch_up(&workspace, env) {
        Some(_) => discover(env),
        None => workspace,
    }
}

/// Keeps for a search of the whole machine that there are threads here; the command may have made the first one.
fn remember(machine: &ProcessEnv, env: &Env, workspace: &Workspace) {
    // What cannot be copied now is copied by the next command that can.
    drop(skein_catalog::refresh_copies(workspace, env));
    drop(skein_install::follow_move(workspace, env));
    if machine.state_home.is_none() && machine.home.is_none() {
        // Nothing says where state is kept, and the user's own directory is no place for it.
        return;
    }
    let Workspace { reviews, checkpoints, .. } = workspace;
    let is_made = (!reviews.exists && reviews.threads().is_dir())
        || (!checkpoints.exists && checkpoints.threads().is_dir());
    if is_made {
        skein_workspace::registry::remember(env, &discover(env));
    } else {
        skein_workspace::registry::remember(env, workspace);
    }
}

/// Returns whether a command leaves the state of the workspace alone: it does not use it, is its last use, or runs in the
/// middle of something else, as the merge driver does.
fn is_passive(command: Option<&Commands>) -> bool {
    use Commands::{Completions, Demo, Man, MergeDriver, Serve, Uninstall, Workspaces};
    match command {
        Some(Serve(args)) => args.is_read_only(),
        Some(Workspaces(_) | Uninstall(_) | MergeDriver(_) | Completions(_) | Man(_) | Demo(_)) => {
            true
        }
        _ => false,
    }
}
