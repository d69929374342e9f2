mod bridge;
mod candidates;
mod checkpoint;
pub(crate) mod completions;
mod config;
mod context;
mod deliver;
mod demo;
mod doctor;
mod filter_args;
mod handoff;
pub(crate) mod hook;
mod init;
mod install;
mod list;
mod lsp;
mod man;
mod mcp;
mod merge_driver;
mod message;
mod new_store;
mod other_worktrees;
mod overview;
mod reserved;
mod resume;
mod review;
mod search;
mod serve;
mod session;
mod setup;
mod show;
mod stdin;
mod steps;
mod version;
mod watch;
mod worker;
mod workspaces;

use std::path::PathBuf;

use clap::{
    ArgMatches, Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
};

use self::context::CliContext;
use crate::error::CliResult;
use crate::machine::{ProcessEnv, Streams};
use crate::servers::Servers;

/// Stores the threads of people and coding agents in plain files.
///
/// Review threads on lines of code, checkpoints from which work resumes, and agent sessions bound to chat threads, in one list. Without a command, shows what is waiting and on whom.
#[derive(Debug, Parser)]
#[command(name = "skein", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,

    #[command(subcommand)]
    command: Option<Commands>,
}

/// The options of every command.
#[derive(Args, Debug)]
struct GlobalArgs {
    /// Runs as if started in this directory.
    #[arg(short = 'C', value_name = "DIR", global = true, display_order = 900)]
    start_dir: Option<PathBuf>,

    /// Prints one JSON document instead of text.
    #[arg(long, global = true, display_order = 901)]
    json: bool,

    /// When to use colour: auto, always or never.
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = ["auto", "always", "never"],
        global = true,
        display_order = 902
    )]
    color: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Commands {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Review(review::ReviewArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Handoff(handoff::HandoffArgs),
    Resume(resume::ResumeArgs),
    Steps(steps::StepsArgs),
    Session(session::SessionArgs),
    Deliver(deliver::DeliverArgs),
    Watch(watch::WatchArgs),
    Serve(serve::ServeArgs),
    Bridge(bridge::BridgeArgs),
    Init(init::InitArgs),
    Install(install::InstallArgs),
    Share(setup::ShareArgs),
    Uninstall(setup::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Config(config::ConfigArgs),
    Demo(demo::DemoArgs),
    Workspaces(workspaces::WorkspacesArgs),
    Worker(worker::WorkerArgs),
    Hook(hook::HookArgs),
    Mcp(mcp::McpArgs),
    Lsp(lsp::LspArgs),
    MergeDriver(merge_driver::MergeDriverArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Version(version::VersionArgs),
}

/// The commands that the help lists in the second group.
const PLUMBING: [&str; 10] = [
    "install",
    "workspaces",
    "worker",
    "hook",
    "mcp",
    "lsp",
    "merge-driver",
    "completions",
    "man",
    "version",
];

/// Returns the definition of the whole command line, with its help in groups.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let style = clap::builder::styling::Style::new().bold().underline();
    let group = |title: &str, is_plumbing: bool| {
        let in_group = |one: &&Command| PLUMBING.contains(&one.get_name()) == is_plumbing;
        let line = |one: &Command| {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            format!("  {:<12} {about}\n", one.get_name())
        };
        let lines: String = command.get_subcommands().filter(in_group).map(line).collect();
        format!("{style}{title}:{style:#}\n{lines}\n")
    };
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}Options:\n{{options}}\n",
        group("Everyday", false),
        group("Plumbing", true)
    );
    command.help_template(template)
}

/// Runs the command in the arguments, and returns the exit code.
pub(crate) fn run(
    machine: &ProcessEnv,
    servers: &Servers,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> CliResult<u8> {
    // The parser is made from the same struct, so this cannot fail.
    let cli = Cli::from_arg_matches(matches).map_err(|_| man::no_command(""))?;
    let mut context = CliContext::new(machine, servers, &cli, streams)?;
    reserved::check(&context.workspace, matches)?;
    let is_passive = is_passive(cli.command.as_ref());
    if matches!(cli.command, Some(Commands::Serve(_) | Commands::Watch(_))) && !is_passive {
        // These two commands run until the user stops them, so the workspace is also recorded before.
        context.remember_workspace();
    }
    context.warn_of_unused_stores(unused_store_codes(cli.command.as_ref()))?;
    if uses_threads(cli.command.as_ref()) {
        merge_driver::check_setup(&mut context, cli.command.is_none())?;
    }
    dispatch(&mut context, cli.command.as_ref()).map_err(|error| stdin::keep(&context, error))?;
    if !is_passive {
        context.remember_workspace();
    }
    context.output.finish()?;
    Ok(context.exit_code)
}

fn dispatch(context: &mut CliContext<'_>, command: Option<&Commands>) -> CliResult {
    let Some(command) = command else { return overview::run_overview(context) };
    match command {
        Commands::List(args) => list::run_list(context, args, None),
        Commands::Show(args) => show::run_show(context, args),
        Commands::Search(args) => search::run_search(context, args),
        Commands::Review(args) => review::run_review(context, args),
        Commands::Checkpoint(args) => checkpoint::run_checkpoint(context, args),
        Commands::Handoff(args) => handoff::run_handoff(context, args),
        Commands::Resume(args) => resume::run_resume(context, args),
        Commands::Steps(args) => steps::run_steps(context, args),
        Commands::Session(args) => session::run_session(context, args),
        Commands::Deliver(args) => deliver::run_deliver(context, args),
        Commands::Watch(args) => watch::run_watch(context, args),
        Commands::Serve(args) => serve::run_serve(context, args),
        Commands::Bridge(args) => bridge::run_bridge(context, args),
        Commands::Init(args) => init::run_init(context, args),
        Commands::Install(args) => install::run_install(context, args),
        Commands::Share(_) => setup::run_share(context),
        Commands::Uninstall(args) => setup::run_uninstall(context, args),
        Commands::Doctor(args) => doctor::run_doctor(context, args),
        Commands::Config(args) => config::run_config(context, args),
        Commands::Demo(args) => demo::run_demo(context, args),
        // A hook runs before its arguments are parsed; only its help is handled here.
        Commands::Hook(_) => Ok(()),
        Commands::Mcp(args) => mcp::run_mcp(context, args),
        Commands::Lsp(args) => lsp::run_lsp(context, args),
        Commands::MergeDriver(args) => merge_driver::run_merge_driver(context, args),
        Commands::Workspaces(args) => workspaces::run_workspaces(context, args),
        Commands::Worker(args) => worker::run_worker(context, args),
        Commands::Completions(args) => completions::run_completions(context, args),
        Commands::Man(args) => man::run_man(context, args),
        Commands::Version(_) => version::run_version(context),
    }
}

/// Returns the diagnostics about unused stores that concern a command; `doctor` lists them itself.
fn unused_store_codes(command: Option<&Commands>) -> &'static [&'static str] {
    use Commands::{Checkpoint, Handoff, List, Resume, Review, Search, Serve, Show, Steps, Watch};
    match command {
        None | Some(List(_) | Show(_) | Search(_) | Review(_) | Watch(_) | Serve(_)) => {
            &["store-not-owned", "store-unused"]
        }
        Some(Checkpoint(_) | Handoff(_) | Resume(_) | Steps(_)) => &["store-not-owned"],
        Some(_) => &[],
    }
}

/// Returns whether a command is about threads, so that its user should know that git cannot merge them.
fn uses_threads(command: Option<&Commands>) -> bool {
    use Commands::{Checkpoint, Handoff, List, Resume, Review, Search, Serve, Show, Steps, Watch};
    let Some(command) = command else { return true };
    matches!(
        command,
        List(_)
            | Show(_)
            | Search(_)
            | Review(_)
            | Watch(_)
            | Serve(_)
            | Checkpoint(_)
            | Handoff(_)
            | Resume(_)
            | Steps(_)
    )
}

/// Returns whether a command must not change the state of the workspace: it does not use a workspace, removes it, or runs during
/// another operation, as the merge driver does.
fn is_passive(command: Option<&Commands>) -> bool {
    use Commands::{
        Bridge, Completions, Demo, Lsp, Man, Mcp, MergeDriver, Serve, Uninstall, Version,
        Workspaces,
    };
    match command {
        Some(Serve(args)) => args.is_read_only(),
        Some(
            Bridge(_) | Workspaces(_) | Uninstall(_) | Lsp(_) | Mcp(_) | MergeDriver(_)
            | Completions(_) | Man(_) | Demo(_) | Version(_),
        ) => true,
        _ => false,
    }
}
