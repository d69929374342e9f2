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

/// Returns a command for the `git` program that works on the repository around `dir`.
///
/// It speaks English, takes no optional locks, starts no pager, asks the user nothing, and fetches no object that a
/// partial clone lacks.
#[must_use]
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
