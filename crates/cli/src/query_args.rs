//! Words of a query that begin with a minus, which are no options.

use std::ffi::{OsStr, OsString};

/// Options of every command that take the argument behind them.
const WITH_VALUE: [&str; 2] = ["-C", "--color"];

/// Puts a space before each `-word` of `skein search`, so that the parser does not take it for options.
///
/// The query is read with white space between its words, where one more does not matter.
pub(crate) fn shield(args: &[OsString]) -> Vec<OsString> {
    let mut args = args.to_vec();
    let Some(command) =
        command(&args).filter(|at| args.get(*at).is_some_and(|arg| arg == "search"))
    else {
        return args;
    };
    let mut is_value = false;
    for arg in args.iter_mut().skip(command + 1) {
        let text = arg.to_str().unwrap_or_default();
        if text == "--" {
            break;
        }
        let is_word = text.starts_with('-')
            && !text.starts_with("--")
            && !text.starts_with("-C")
            && !["-", "-h"].contains(&text);
        let takes_value = WITH_VALUE.contains(&text);
        if is_word && !is_value {
            *arg = OsString::from(format!(" {text}"));
        }
        is_value = takes_value;
    }
    args
}

/// Returns where the name of the command is.
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
        let shielded: Vec<_> =
            shield(&args).into_iter().map(|arg| arg.into_string().unwrap()).collect();
        assert_eq!(shielded.join("|"), expected);
    }

    #[test]
    fn words_with_a_minus_are_no_options() {
        check("skein search a -b --json", "skein|search|a| -b|--json");
        check("skein -C dir search -status:open", "skein|-C|dir|search| -status:open");
        check("skein search -C -dir -hooks -h", "skein|search|-C|-dir| -hooks|-h");
        check("skein search -- -b", "skein|search|--|-b");
        check("skein list -b", "skein|list|-b");
        check("skein -C search list -b", "skein|-C|search|list|-b");
    }
}
