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

/// Returns a suggestion; `None` if the parser's own message is enough.
pub(crate) fn hint(root: &Command, args: &[OsString], error: &clap::Error) -> Option<String> {
    let (kind, is_command) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, false),
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, true),
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    let (command, depth) = named(root, args);
    if word.starts_with('-') {
        return None;
    }
    if command.get_arguments().any(|arg| arg.get_short() == Some('m')) {
        return Some("put the text after `-m`, in quotation marks".to_owned());
    }
    if !is_command || depth > 0 {
        return None;
    }
    if let Some((_, hint)) = OTHER_WORDS.iter().find(|(other, _)| other == word) {
        return Some((*hint).to_owned());
    }
    let group = root.get_subcommands().find(|group| group.find_subcommand(word).is_some())?;
    Some(format!("did you mean `skein {} {word}`?", group.get_name()))
}

/// Returns the command in the arguments, and its depth.
fn named<'a>(root: &'a Command, args: &[OsString]) -> (&'a Command, usize) {
    let mut found = (root, 0);
    for arg in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(command) = found.0.find_subcommand(arg) {
            found = (command, found.1 + 1);
        }
    }
    found
}
