//! Suggests the user's command with another id.

use std::ffi::OsString;

/// Returns the command with `id` instead of `text`; `skein show ID` if `text` is not in the command.
pub(super) fn retype(args: &[OsString], text: &str, id: &str) -> String {
    // A step is written as its checkpoint, `#` and a number.
    let rest = |arg: &OsString| {
        let rest = arg.to_str()?.strip_prefix(text)?;
        (rest.is_empty() || rest.starts_with('#')).then(|| rest.to_owned())
    };
    let found = args.iter().enumerate().skip(1).find_map(|(n, arg)| Some((n, rest(arg)?)));
    let Some((at, rest)) = found else { return format!("skein show {}", quoted(id)) };
    let words = args.iter().enumerate().skip(1).map(|(n, arg)| match n == at {
        true => quoted(&format!("{id}{rest}")),
        false => quoted(&arg.to_string_lossy()),
    });
    words.fold("skein".to_owned(), |line, word| format!("{line} {word}"))
}

/// Quotes a word for a shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@%_+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typed_command_is_repeated_with_the_id() {
        let args: Vec<OsString> =
            ["/usr/bin/skein", "review", "reply", "ab", "-m", "it's so"].map(Into::into).into();
        assert_eq!(retype(&args, "ab", "abcd"), r"skein review reply abcd -m 'it'\''s so'");
        assert_eq!(retype(&args, "@last", "abcd"), "skein show abcd");
        let args: Vec<OsString> = ["skein", "steps", "done", "daily#1"].map(Into::into).into();
        assert_eq!(retype(&args, "daily", "T-1-daily"), "skein steps done 'T-1-daily#1'");
    }
}
