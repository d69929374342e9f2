//! No source file is too long to be read at once, and no crate has more than one job.

use super::syntax::Syntax;

/// Maximum number of lines of a file, its tests aside.
pub(crate) const FILE_LIMIT: usize = 500;

/// Maximum number of lines of a crate, its tests aside.
pub(crate) const CRATE_LIMIT: usize = 6_000;

/// The files that are longer for a reason: path and reason.
pub(crate) const LONG_FILES: &[(&str, &str)] = &[];

/// The crates that are larger for a reason: name and reason.
pub(crate) const LARGE_CRATES: &[(&str, &str)] = &[
    ("format", "three formats, and the rules by which secrets are found"),
    ("cli", "a file for each command"),
    ("web", "a file for each page and each request"),
    ("bridge", "one state machine, and what connects it"),
];

/// Returns a finding for each of `sizes` over the limit, and for each exception that nothing needs.
pub(crate) fn check(
    sizes: &[(&str, usize)],
    limit: usize,
    exceptions: &[(&str, &str)],
) -> Vec<String> {
    let large: Vec<_> = sizes.iter().filter(|(_, lines)| *lines > limit).collect();
    let too_large = large
        .iter()
        .filter(|(name, _)| !exceptions.iter().any(|(excepted, _)| excepted == name))
        .map(|(name, lines)| format!("{name}: {lines} lines, over the limit of {limit}"));
    let not_needed = exceptions
        .iter()
        .filter(|(excepted, _)| !large.iter().any(|(name, _)| name == excepted))
        .map(|(name, reason)| format!("{name}: not over the limit, and listed as such: {reason}"));
    too_large.chain(not_needed).collect()
}

/// Returns the number of lines of a source, without its tests.
pub(crate) fn length(text: &str) -> usize {
    text.lines().count().saturating_sub(Syntax::parse(text).test_lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_found() {
        let sizes = [("a.rs", 500), ("b.rs", 501)];
        assert_eq!(check(&sizes, 500, &[]), ["b.rs: 501 lines, over the limit of 500"]);
        assert_eq!(check(&sizes, 500, &[("b.rs", "a table")]), [""; 0]);
    }

    #[test]
    fn an_exception_that_nothing_needs_is_found() {
        assert_eq!(
            check(&[("a.rs", 1)], 500, &[("a.rs", "a table")]),
            ["a.rs: not over the limit, and listed as such: a table"]
        );
    }

    #[test]
    fn tests_do_not_count() {
        let code = "fn f() {}\n".repeat(5);
        assert_eq!(length(&format!("{code}#[cfg(test)]\nmod tests {{\n{code}}}\n")), 5);
    }
}
