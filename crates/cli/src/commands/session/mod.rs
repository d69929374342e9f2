//! `skein session …`: the map that binds agent sessions to chat threads.

mod entries;
mod explain;
mod fields;
mod list;
mod merge;
mod remarks;
mod repair;
mod set;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) use self::entries::Entries;
pub(crate) use self::show::session_named;
use super::Context;
use crate::error::CliError;

/// Shows and changes the agent sessions that are bound to chat threads.
///
/// A session is bound to chat when a thread there steers it. The session map says which thread belongs to which session: one
/// file, `~/.config/opencode/mattermost-threads.json`, which chat plugins write as well. Entries are never deleted: a session that is
/// over is set to `ended`.
///
/// Example: skein session list --status active
///
/// Example: skein session set ses_4f1c status=ended
#[derive(Args, Debug)]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    command: SessionCommands,
}

#[derive(Debug, Subcommand)]
enum SessionCommands {
    List(list::SessionListArgs),
    Show(show::SessionShowArgs),
    Set(set::SetArgs),
    Merge(merge::MergeArgs),
    Repair(repair::RepairArgs),
}

/// Which map is meant, and how strictly it is read.
#[derive(Args, Debug, Default)]
struct MapArgs {
    /// Another session map than the one in the home directory.
    #[arg(long, value_name = "MAP")]
    file: Option<PathBuf>,

    /// Entries that break the contract of the map too.
    #[arg(long)]
    lenient: bool,
}

impl MapArgs {
    /// Returns the map that was named, seen from where the user stands.
    fn file(&self, context: &Context<'_>) -> Option<PathBuf> {
        self.file.as_ref().map(|file| context.env.dir.join(file))
    }

    /// Returns the options that lead another command to the same sessions.
    fn options(&self) -> String {
        let file = self.file.as_ref().map(|file| format!(" --file {}", file.display()));
        let lenient = if self.lenient { " --lenient" } else { "" };
        file.unwrap_or_default() + lenient
    }

    /// Returns the command that says what is wrong with the entries of the map.
    fn doctor(&self) -> String {
        if self.file.is_some() { self.repair() } else { "`skein doctor`".to_owned() }
    }

    /// Returns the command that says what can be saved of the map.
    fn repair(&self) -> String {
        match &self.file {
            Some(file) => format!("`skein session repair --file {}`", file.display()),
            None => "`skein session repair`".to_owned(),
        }
    }
}

pub(crate) fn run_session(context: &mut Context<'_>, args: &SessionArgs) -> Result<u8, CliError> {
    match &args.command {
        SessionCommands::List(args) => list::run_session_list(context, args),
        SessionCommands::Show(args) => show::run_session_show(context, args),
        SessionCommands::Set(args) => set::run_set(context, args),
        SessionCommands::Merge(args) => merge::run_merge(context, args),
        SessionCommands::Repair(args) => repair::run_repair(context, args),
    }
}
