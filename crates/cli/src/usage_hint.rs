//! Hints for arguments that the parser does not accept.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands of other programs, and the equivalents in Skein.
const OTHER_WORDS: [(&str, &str); 6] = [
    ("status", "`skein` without a command shows what is waiting and on whom"),
    ("comment", "`skein review add FILE:LINE -m TEXT` comments on a line"),
    ("note", "`skein review add FILE:LINE -m TEXT` comments on a line"),
    ("ls", "`skein list` lists the threads"),
    ("log", "`skein list` lists the threads, most recently changed first"),
    ("todo", "`skein steps` lists the open steps"),
];

/// Options of other programs, and the equivalents in Skein, for commands that list threads.
const OTHER_OPTIONS: [(&str, &str); 6] = [
    ("--open", "`--status open` selects open threads"),
    ("--resolved", "`--status resolved` selects resolved threads"),
    ("--closed", "`--status resolved` selects resolved threads"),
    ("--all", "`--status all` selects threads of every status"),
    (
        "--mine",
        "`--waiting reviewer` selects threads that wait on you, `--author NAME` those in which you wrote",
    ),
    (
        "--me",
        "`--waiting reviewer` selects threads that wait on you, `--author NAME` those in which you wrote",
    ),
];

/// Returns a suggestion; `None` if the parser's own message is enough.
pub(crate) fn hint(root: &Command, args: &[OsString], error: &clap::Error) -> Option<String> {
    let (kind, is_command) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, false),
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, true),
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    let (command, path) = named(root, args);
    if word.starts_with('-') {
        let lists = command.get_arguments().any(|arg| arg.get_long() == Some("status"));
        let option = OTHER_OPTIONS.iter().find(|(other, _)| lists && other == word);
        return option.map(|(_, hint)| (*hint).to_owned());
    }
    if word == "ls" && path.len() > 1 && command.find_subcommand("list").is_some() {
        return Some(format!("`{} list` lists them", path.join(" ")));
    }
    if command.get_arguments().any(|arg| arg.get_short() == Some('m')) {
        return Some("put the text after `-m`, in quotation marks".to_owned());
    }
    if !is_command || path.len() > 1 {
        return None;
    }
    if let Some((_, hint)) = OTHER_WORDS.iter().find(|(other, _)| other == word) {
        return Some((*hint).to_owned());
    }
    let group = root.get_subcommands().find(|group| group.find_subcommand(word).is_some())?;
    Some(format!("did you mean `skein {} {word}`?", group.get_name()))
}

/// Returns the command in the arguments, and the words of which its name consists.
fn named<'a>(root: &'a Command, args: &[OsString]) -> (&'a Command, Vec<&'a str>) {
    let (mut command, mut path) = (root, vec![root.get_name()]);
    for arg in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(subcommand) = command.find_subcommand(arg) {
            command = subcommand;
            path.push(subcommand.get_name());
        }
    }
    (command, path)
}
