use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _, Parser, Subcommand};

use crate::commands::checkpoint::CheckpointArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::config::ConfigArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::handoff::HandoffArgs;
use crate::commands::hook::HookArgs;
use crate::commands::init::InitArgs;
use crate::commands::install::InstallArgs;
use crate::commands::list::ListArgs;
use crate::commands::man::ManArgs;
use crate::commands::merge_driver::MergeDriverArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::review::ReviewArgs;
use crate::commands::search::SearchArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::session::SessionArgs;
use crate::commands::setup::{ShareArgs, UninstallArgs};
use crate::commands::show::ShowArgs;
use crate::commands::steps::StepsArgs;
use crate::commands::watch::WatchArgs;
use crate::commands::worker::WorkerArgs;
use crate::commands::workspaces::WorkspacesArgs;

/// Keeps the threads of people and coding agents, in plain files.
///
/// Review threads pinned to lines of code, checkpoints from which work resumes, and agent sessions bound
/// to chat threads: one list of them all. Without a command: what waits on whom here.
#[derive(Debug, Parser)]
#[command(name = "skein", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Option<Commands>,
}

/// The options of every command.
#[derive(Args, Debug)]
pub(crate) struct GlobalArgs {
    /// Works as if started in this directory.
    #[arg(short = 'C', value_name = "DIR", global = true, display_order = 900)]
    pub(crate) start_dir: Option<PathBuf>,

    /// Prints one JSON document instead of text.
    #[arg(long, global = true, display_order = 901)]
    pub(crate) json: bool,

    /// When to use colour: auto, always or never.
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = ["auto", "always", "never"],
        global = true,
        display_order = 902
    )]
    pub(crate) color: Option<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Commands {
    List(ListArgs),
    Show(ShowArgs),
    Search(SearchArgs),
    Review(ReviewArgs),
    Checkpoint(CheckpointArgs),
    Handoff(HandoffArgs),
    Resume(ResumeArgs),
    Steps(StepsArgs),
    Session(SessionArgs),
    Watch(WatchArgs),
    Serve(ServeArgs),
    Init(InitArgs),
    Install(InstallArgs),
    Share(ShareArgs),
    Uninstall(UninstallArgs),
    Doctor(DoctorArgs),
    Config(ConfigArgs),
    Demo(DemoArgs),
    Workspaces(WorkspacesArgs),
    Worker(WorkerArgs),
    Hook(HookArgs),
    MergeDriver(MergeDriverArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// The groups of the help, with the commands in each.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Everyday",
        &[
            "list",
            "show",
            "search",
            "review",
            "checkpoint",
            "handoff",
            "resume",
            "steps",
            "session",
            "watch",
            "serve",
            "init",
            "share",
            "uninstall",
            "doctor",
            "config",
            "demo",
        ],
    ),
    (
        "Plumbing",
        &["install", "workspaces", "worker", "hook", "merge-driver", "completions", "man"],
    ),
];

impl Cli {
    /// Returns the definition without the groups, which a manual page has of its own.
    pub(crate) fn command_for_manual() -> Command {
        Self::command().propagate_version(true)
    }
}

/// Returns the definition of the whole command line, with its help in groups.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}\n",
        groups(&command)
    );
    command.help_template(template)
}

fn groups(command: &Command) -> String {
    let style = clap::builder::styling::Style::new().bold().underline();
    let group = |(title, names): &(&str, &[&str])| {
        let lines: Vec<String> = names.iter().map(|name| line(command, name)).collect();
        format!("{style}{title}:{style:#}\n{}\n", lines.concat())
    };
    GROUPS.iter().map(group).collect()
}

fn line(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default())
}
