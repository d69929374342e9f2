//! Makes a process of the `git` program.

use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that would point git at another repository, or change what its output looks like.
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

/// Settings that keep a repository's own configuration from running programs, and from changing
/// what the output looks like.
///
/// A split index would write its shared half next to the user's own, and `core.safecrlf` would
/// refuse what is to be recorded as it is.
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
/// It speaks English, takes no optional locks, starts no pager, asks the user nothing, and fetches no object that a
/// partial clone lacks.
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
    for name in REMOVED {
        command.env_remove(name);
    }
    command
}

/// Returns a command that runs no program that the configuration of the repository names.
pub(crate) fn guarded_command(dir: &Path) -> Command {
    let mut command = command(dir);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    // A repository can name a remote from which git fetches missing objects on its own, and the program to fetch
    // with. Versions before 2.44 know only this variable.
    command.env("GIT_ALLOW_PROTOCOL", "");
    command
}
