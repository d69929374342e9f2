//! Rewrites arguments before they are parsed.

use std::ffi::{OsStr, OsString};

use clap::Command;

/// Global options that take a value.
const WITH_VALUE: [&str; 2] = ["-C", "--color"];

/// Turns `help review add` and `review help` into `review add --help` and `review --help`.
pub(crate) fn help(root: &Command, args: &[OsString]) -> Vec<OsString> {
    let mut args = args.to_vec();
    let Some(at) = command(&args) else { return args };
    let is_help = |at: usize| args.get(at).is_some_and(|arg| arg == "help");
    let has_more = |name: &OsString| {
        name.to_str()
            .and_then(|name| root.find_subcommand(name))
            .is_some_and(Command::has_subcommands)
    };
    let help = match args.get(at) {
        Some(_) if is_help(at) => at,
        Some(name) if is_help(at + 1) && has_more(name) => at + 1,
        _ => return args,
    };
    args.remove(help);
    args.push("--help".into());
    args
}

/// Puts a space before each `-word` of `skein search`, so that the parser does not treat it as an option.
///
/// White space between the words of a query has no meaning.
pub(crate) fn shield(root: &Command, mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(command) =
        command(&args).filter(|at| args.get(*at).is_some_and(|arg| arg == "search"))
    else {
        return args;
    };
    let mut is_value = false;
    for at in command + 1..args.len() {
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let has_count = args.get(at + 1).and_then(|next| next.to_str()).is_some_and(is_count);
        let Some(arg) = args.get_mut(at) else { break };
        let text = arg.to_str().unwrap_or_default();
        if text == "--" {
            break;
        }
        // `-n` is an option only with a number.
        let is_limit = (text == "-n" && has_count) || text.strip_prefix("-n").is_some_and(is_count);
        let is_word = !is_limit
            && text.starts_with('-')
            && !text.starts_with("--")
            && !text.starts_with("-C")
            && !["-", "-h"].contains(&text);
        let takes_value =
            WITH_VALUE.contains(&text) || has_value(root, text) || (text == "-n" && has_count);
        if is_word && !is_value {
            *arg = OsString::from(format!(" {text}"));
        }
        is_value = takes_value;
    }
    args
}

/// Returns whether an option of `skein search` takes a value.
fn has_value(root: &Command, option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    let search = root.find_subcommand("search");
    let mut options = search.into_iter().flat_map(Command::get_arguments);
    options.any(|arg| {
        let names = arg.get_long_and_visible_aliases().unwrap_or_default();
        arg.get_action().takes_values() && names.contains(&name)
    })
}

/// Returns the position of the command's name.
fn command(args: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        let arg = args.get(at).map(OsString::as_os_str)?;
        if WITH_VALUE.iter().any(|option| arg == OsStr::new(option)) {
            at += 2;
        } else if arg.to_string_lossy().starts_with('-') {
            at += 1;
        } else {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &str, expected: &str) {
        let args: Vec<OsString> = args.split(' ').map(OsString::from).collect();
        let root = crate::commands::command();
        let shielded = shield(&root, help(&root, &args));
        let shielded: Vec<_> = shielded.into_iter().map(|arg| arg.into_string().unwrap()).collect();
        assert_eq!(shielded.join("|"), expected);
    }

    #[test]
    fn help_is_accepted_as_a_command() {
        check("skein help", "skein|--help");
        check("skein help review add", "skein|review|add|--help");
        check("skein -C dir help list", "skein|-C|dir|list|--help");
        check("skein review help", "skein|review|--help");
        check("skein review help add", "skein|review|add|--help");
        check("skein search help", "skein|search|help");
        check("skein show help", "skein|show|help");
    }

    #[test]
    fn words_with_a_minus_are_not_options() {
        check("skein search a -b --json", "skein|search|a| -b|--json");
        check("skein -C dir search -status:open", "skein|-C|dir|search| -status:open");
        check("skein search -C -dir -hooks -h", "skein|search|-C|-dir| -hooks|-h");
        check("skein search a -n 3 -b", "skein|search|a|-n|3| -b");
        check("skein search a -n3 -n", "skein|search|a|-n3| -n");
        check("skein search -n three", "skein|search| -n|three");
        check("skein search -- -b", "skein|search|--|-b");
        check("skein search a --limit -1 -b", "skein|search|a|--limit|-1| -b");
        check("skein search --before -1 -b", "skein|search|--before|-1| -b");
        check("skein list -b", "skein|list|-b");
        check("skein -C search list -b", "skein|-C|search|list|-b");
    }
}
