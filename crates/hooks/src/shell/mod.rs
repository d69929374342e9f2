//! Does a shell command make a commit?
//!
//! A reading of the shell's grammar that is good enough for what agents type: quotes, lists, pipes, subshells,
//! substitutions, heredocs. What it takes wrongly for a commit does no harm, because a commit that was not made
//! is not found in the repository either.

mod command;
mod lex;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use command::Command;

/// How many scripts inside of scripts are looked at, as in `bash -c '…'`.
const MAX_SCRIPTS: usize = 32;

/// Returns the directory of every `git commit` that a script runs, as seen from where the script starts.
///
/// The empty path stands for that place itself, and a `~` for `home`.
pub(crate) fn commits(script: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut scripts = vec![(script.to_owned(), Some(PathBuf::new()))];
    let mut seen = 0;
    while let Some((script, dir)) = scripts.pop() {
        seen += 1;
        if seen > MAX_SCRIPTS || !script.contains("commit") {
            continue;
        }
        lex::each_command(&script, dir, &mut |words, dir| match Command::from_words(words, home) {
            Some(Command::Commit { below }) => {
                let dir = dir.clone().unwrap_or_default();
                found.push(below.iter().fold(dir, |dir, part| dir.join(part)));
            }
            Some(Command::Enter(to)) => *dir = to.and_then(|to| Some(dir.as_ref()?.join(to))),
            Some(Command::Script(script)) => scripts.push((script, dir.clone())),
            None => {}
        });
    }
    found
}

/// Writes the arguments of a program as a script that runs it.
pub(crate) fn script_of(args: &[String]) -> String {
    let quoted: Vec<String> =
        args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''"))).collect();
    quoted.join(" ")
}
