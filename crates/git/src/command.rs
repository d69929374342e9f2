//! Builds commands for the `git` program.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::object_id::{CommitId, ObjectId};
use crate::pathspec::Pathspecs;
use crate::search_path::search_path;

/// Variables that select another repository, or change the format of the output.
///
/// Skein may itself be running inside a hook, where git sets several of them.
const REMOVED: [&str; 24] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
];

/// Settings that keep a repository's own configuration from running programs, and from changing the
/// format of the output.
///
/// With a split index, git would write a shared index file next to the user's own. `core.safecrlf`
/// could make git refuse to add a file.
const SETTINGS: [&str; 11] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "diff.autoRefreshIndex=true",
    "diff.external=",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
];

/// Returns a command for the `git` program that works on the repository around `dir`.
///
/// For tests and measurements; everything else uses a `GitCommand`. Its messages are in English. It takes no optional locks, starts no pager, never prompts, and
/// fetches no object that a partial clone lacks.
pub fn command(dir: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
    let mut command = Command::new("git");
    command
        .arg("--no-pager")
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null());
    if let Some(path) = search_path() {
        command.env("PATH", path);
    }
    for name in REMOVED {
        command.env_remove(name);
    }
    command
}

/// Returns a command that runs the hooks of the repository and other programs that it configures.
pub(crate) fn unguarded_command(dir: &Path) -> GitCommand {
    GitCommand(command(dir))
}

/// Returns a command that runs none of the programs configured in the repository.
pub(crate) fn guarded_command(dir: &Path) -> GitCommand {
    let mut command = GitCommand(command(dir));
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    // The repository can configure a remote from which git fetches missing objects, and the program
    // to fetch with. Versions before 2.44 support only this variable.
    command.env("GIT_ALLOW_PROTOCOL", "");
    command
}

/// A command line for git in which text of others is never an option.
///
/// An argument is a constant of this program, or a [`GitArg`]. Names and paths are added by
/// [`names`](Self::names) and [`paths`](Self::paths), which end the options.
pub(crate) struct GitCommand(Command);

/// An argument that is not a constant of this program, and cannot be taken for another option.
pub(crate) struct GitArg(OsString);

impl GitArg {
    /// An option of the form `--name=value`.
    pub(crate) fn option(name: &'static str, value: impl AsRef<OsStr>) -> Self {
        let mut option = OsString::from(name);
        option.push("=");
        option.push(value);
        Self(option)
    }

    /// The commits that are in `tip` and not in `base`.
    pub(crate) fn range(base: &CommitId, tip: &Self) -> Self {
        Self::joined(base, "..", tip)
    }

    /// The commits that are in one of both and not in the other.
    pub(crate) fn difference(base: &CommitId, tip: &Self) -> Self {
        Self::joined(base, "...", tip)
    }

    fn joined(base: &CommitId, dots: &str, tip: &Self) -> Self {
        let mut range = OsString::from(format!("{base}{dots}"));
        range.push(&tip.0);
        Self(range)
    }

    /// Lines of a file, counted from 1.
    pub(crate) fn lines(first: u32, last: u32) -> Self {
        Self(format!("-L{first},{last}").into())
    }

    /// An absolute path, such as that of a pack.
    pub(crate) fn absolute(path: &Path) -> Self {
        Self(path.as_os_str().to_owned())
    }
}

impl From<&'static str> for GitArg {
    fn from(constant: &'static str) -> Self {
        Self(constant.into())
    }
}

impl From<&CommitId> for GitArg {
    fn from(id: &CommitId) -> Self {
        Self(id.as_str().into())
    }
}

impl From<&ObjectId> for GitArg {
    fn from(id: &ObjectId) -> Self {
        Self(id.as_str().into())
    }
}

impl GitCommand {
    /// Adds arguments that are constants of this program.
    pub(crate) fn args(&mut self, args: impl IntoIterator<Item = &'static str>) -> &mut Self {
        self.0.args(args);
        self
    }

    pub(crate) fn arg(&mut self, arg: impl Into<GitArg>) -> &mut Self {
        self.0.arg(arg.into().0);
        self
    }

    /// Ends the options, and adds names and values of others.
    pub(crate) fn names(
        &mut self,
        names: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> &mut Self {
        self.0.arg("--end-of-options").args(names);
        self
    }

    /// Ends the options and the revisions, and adds paths.
    pub(crate) fn paths(&mut self, paths: Pathspecs) -> &mut Self {
        self.0.arg("--").args(paths.into_args());
        self
    }

    /// Ends the options and the revisions, and adds the path of a file from the top of the worktree, for a command that takes no
    /// pathspecs.
    pub(crate) fn file(&mut self, path: &str) -> &mut Self {
        self.0.args(["--", path]);
        self
    }

    pub(crate) fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.0.env(name, value);
        self
    }

    /// Returns the subcommand and its arguments, for messages.
    pub(crate) fn shown_args(&self) -> String {
        shown_args(&self.0)
    }

    /// Returns the command, to run it.
    pub(crate) fn into_command(self) -> Command {
        self.0
    }
}

/// Returns the subcommand and its arguments as a person would type them.
pub(crate) fn shown_args(command: &Command) -> String {
    let mut args = command.get_args().map(OsStr::to_string_lossy).peekable();
    // Skips git's own options, which are of no use to the reader.
    while let Some(option) = args.next_if(|arg| arg.starts_with('-')) {
        if option == "-c" {
            args.next();
        }
    }
    args.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_of_others_are_never_options() {
        let mut command = GitCommand(command(Path::new("/")));
        command.args(["rev-parse", "--verify"]).names(["--output=/tmp/x", "-h"]);
        assert_eq!(command.shown_args(), "rev-parse --verify --end-of-options --output=/tmp/x -h");
        let mut command = GitCommand(super::command(Path::new("/")));
        let paths = ["--no-index".to_owned(), ":(exclude)a".to_owned()];
        command.args(["diff"]).paths(crate::pathspec::pathspecs(&paths, &[]));
        let expected = "diff -- :(top,literal)--no-index :(top,literal):(exclude)a";
        assert_eq!(command.shown_args(), expected);
    }
}
