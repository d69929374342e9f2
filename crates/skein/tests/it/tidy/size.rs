//! No source file is too long to be read at once.

use super::syntax::Syntax;

/// The files that are longer for a reason: path and reason.
pub(crate) const LONG: &[(&str, &str)] = &[];

/// Maximum number of lines of a file, its tests aside.
const LIMIT: usize = 500;

/// Returns a finding for each file over the limit, and for each exception that nothing needs.
pub(crate) fn check(files: &[(&str, &str)], exceptions: &[(&str, &str)]) -> Vec<String> {
    let long: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, length(text)))
        .filter(|(_, lines)| *lines > LIMIT)
        .collect();
    let too_long = long
        .iter()
        .filter(|(path, _)| !exceptions.iter().any(|(excepted, _)| excepted == path))
        .map(|(path, lines)| format!("{path}: {lines} lines, over the limit of {LIMIT}"));
    let not_needed = exceptions
        .iter()
        .filter(|(excepted, _)| !long.iter().any(|(path, _)| path == excepted))
        .map(|(path, reason)| format!("{path}: not over the limit, and listed as such: {reason}"));
    too_long.chain(not_needed).collect()
}

fn length(text: &str) -> usize {
    let lines = text.lines().count();
    lines.saturating_sub(Syntax::parse(text).test_lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let text = "fn f() {}\n".repeat(501);
        assert_eq!(check(&[("a.rs", &text)], &[]), ["a.rs: 501 lines, over the limit of 500"]);
        assert_eq!(check(&[("a.rs", &text)], &[("a.rs", "a table")]), [""; 0]);
    }

    #[test]
    fn tests_do_not_count() {
        let code = "fn f() {}\n".repeat(500);
        let text = format!("{code}#[cfg(test)]\nmod tests {{\n{code}}}\n");
        assert_eq!(check(&[("a.rs", &text)], &[]), [""; 0]);
    }

    #[test]
    fn an_exception_that_nothing_needs_is_found() {
        assert_eq!(
            check(&[("a.rs", "")], &[("a.rs", "a table")]),
            ["a.rs: not over the limit, and listed as such: a table"]
        );
    }
}
