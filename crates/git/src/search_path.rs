//! The search path for programs.

use std::env::{join_paths, split_paths, var_os};
use std::ffi::OsString;

/// The search path without a usable entry: an empty one would mean the current directory.
const DEFAULT: &str = "/usr/bin:/bin";

/// Returns the entries of `PATH` that are absolute; none if the variable is not set.
///
/// The others, and empty ones, name the directory in which a program is started: a repository could contain a program there.
pub fn search_path() -> Option<OsString> {
    var_os("PATH").map(|path| absolute_entries(&path))
}

fn absolute_entries(path: &OsString) -> OsString {
    let entries = split_paths(path).filter(|dir| dir.is_absolute());
    // An entry that was split at colons contains none.
    let joined = join_paths(entries).unwrap_or_default();
    if joined.is_empty() { DEFAULT.into() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_relative_entries_are_dropped() {
        let check = |path: &str, expected: &str| {
            assert_eq!(absolute_entries(&path.into()), *expected, "{path}");
        };
        check("/a:/b c", "/a:/b c");
        check(":/a::.:bin:../x:/b:", "/a:/b");
        check("", DEFAULT);
        check(".:", DEFAULT);
    }
}
