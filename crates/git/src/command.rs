//! Builds commands for the `git` program.

use std::path::Path;
use std::process::{Command, Stdio};

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
/// Its messages are in English. It takes no optional locks, starts no pager, never prompts, and
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

/// Returns a command that runs none of the programs configured in the repository.
pub(crate) fn guarded_command(dir: &Path) -> Command {
    let mut command = command(dir);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    // The repository can configure a remote from which git fetches missing objects, and the program
    // to fetch with. Versions before 2.44 support only this variable.
    command.env("GIT_ALLOW_PROTOCOL", "");
    command
}
