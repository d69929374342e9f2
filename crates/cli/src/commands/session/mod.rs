//! `skein session …`: the map that binds agent sessions to chat threads.

mod entry_count;
mod fields;
mod id_hints;
mod list;
mod merge;
mod repair;
mod send;
mod set;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use skein_sessions::SessionFilter;

pub(crate) use self::entry_count::EntryCount;
pub(crate) use self::send::bound_session;
pub(crate) use self::show::session_named;
use super::context::CliContext;
use crate::error::CliResult;

/// Shows and changes the agent sessions that are bound to chat threads.
///
/// A session is bound to chat when it is controlled from a chat thread. The session map assigns threads to sessions: one
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
    Send(send::SendArgs),
    Set(set::SetArgs),
    Merge(merge::MergeArgs),
    Repair(repair::RepairArgs),
}

/// Which map is read, and how strictly.
#[derive(Args, Debug, Default)]
struct MapArgs {
    /// Uses this session map instead of the one in the home directory.
    #[arg(long, value_name = "MAP")]
    file: Option<PathBuf>,

    /// Includes invalid entries.
    #[arg(long)]
    lenient: bool,
}

impl MapArgs {
    /// Returns the path of the map, if one is given.
    fn file(&self, context: &CliContext<'_>) -> Option<PathBuf> {
        self.file.as_ref().map(|file| context.workspace.env.dir.join(file))
    }

    fn filter(&self, context: &CliContext<'_>) -> SessionFilter {
        SessionFilter { file: self.file(context), lenient: self.lenient, ..Default::default() }
    }

    /// Returns the options with which another command reads the same map.
    fn options(&self) -> String {
        let lenient = if self.lenient { " --lenient" } else { "" };
        file_option(self.file.as_ref()) + lenient
    }

    /// Returns the command that shows the problems of the map.
    fn doctor(&self) -> String {
        if self.file.is_some() { self.repair() } else { "`skein doctor`".to_owned() }
    }

    /// Returns the command that shows which entries can be recovered.
    fn repair(&self) -> String {
        format!("`skein session repair{}`", file_option(self.file.as_ref()))
    }
}

fn file_option(file: Option<&PathBuf>) -> String {
    file.map(|file| format!(" --file {}", file.display())).unwrap_or_default()
}

pub(crate) fn run_session(context: &mut CliContext<'_>, args: &SessionArgs) -> CliResult {
    match &args.command {
        SessionCommands::List(args) => list::run_session_list(context, args),
        SessionCommands::Show(args) => show::run_session_show(context, args),
        SessionCommands::Send(args) => send::run_send(context, args),
        SessionCommands::Set(args) => set::run_set(context, args),
        SessionCommands::Merge(args) => merge::run_merge(context, args),
        SessionCommands::Repair(args) => repair::run_repair(context, args),
    }
}
