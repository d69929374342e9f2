//! Reads what a patch says of a file before its hunks.

use crate::file_diff::{FileDiff, FileStatus};
use crate::quoted::unquote;
use crate::run::text;

impl FileDiff {
    /// Begins with what follows `diff --git `; both paths are set until [`Self::finish`].
    pub(crate) fn from_names(names: &[u8]) -> Self {
        let (old_path, new_path) = parse_names(names).unwrap_or_default();
        Self {
            old_path: Some(old_path),
            new_path: Some(new_path),
            status: FileStatus::Modified,
            binary: false,
            old_mode: None,
            new_mode: None,
            hunks: Vec::new(),
        }
    }

    /// Applies one more line of the header.
    pub(crate) fn apply(&mut self, line: &[u8]) {
        let after = |prefix: &str| line.strip_prefix(prefix.as_bytes());
        if let Some(mode) = after("old mode ") {
            self.old_mode = parse_mode(mode);
        } else if let Some(mode) = after("new mode ") {
            self.new_mode = parse_mode(mode);
        } else if let Some(mode) = after("new file mode ") {
            self.status = FileStatus::Added;
            self.new_mode = parse_mode(mode);
        } else if let Some(mode) = after("deleted file mode ") {
            self.status = FileStatus::Deleted;
            self.old_mode = parse_mode(mode);
        } else if let Some(path) = after("rename from ") {
            self.status = FileStatus::Renamed;
            self.old_path = Some(text(&plain(path)));
        } else if let Some(path) = after("copy from ") {
            self.status = FileStatus::Copied;
            self.old_path = Some(text(&plain(path)));
        } else if let Some(path) = after("rename to ").or_else(|| after("copy to ")) {
            self.new_path = Some(text(&plain(path)));
        } else if let Some(path) = after("--- ") {
            replace(&mut self.old_path, path, b"a/");
        } else if let Some(path) = after("+++ ") {
            replace(&mut self.new_path, path, b"b/");
        } else if line == b"GIT binary patch" || after("Binary files ").is_some() {
            self.binary = true;
        }
    }

    /// Removes the path of the side that the file is not on.
    pub(crate) fn finish(&mut self) {
        match self.status {
            FileStatus::Added => self.old_path = None,
            FileStatus::Deleted => self.new_path = None,
            _ => {}
        }
    }
}

/// Returns both paths of `a/x b/x`, if they can be separated.
///
/// A path with blanks is not quoted, but then the two are the same: further lines say the paths of
/// a file that was renamed.
fn parse_names(names: &[u8]) -> Option<(String, String)> {
    let (old, new) = if let Some((old, rest)) = unquote(names) {
        (old, plain(rest.strip_prefix(b" ")?))
    } else if names.ends_with(b"\"") {
        let quote = names.windows(2).position(|pair| pair == b" \"")?;
        let (old, new) = names.split_at(quote);
        (old.to_vec(), plain(new.trim_ascii_start()))
    } else {
        let (old, new) = names.split_at(names.len() / 2);
        (old.to_vec(), new.strip_prefix(b" ")?.to_vec())
    };
    let old = old.strip_prefix(b"a/")?;
    let new = new.strip_prefix(b"b/")?;
    Some((text(old), text(new)))
}

/// Sets a path from a line such as `--- a/x`, unless it says that there is no file.
fn replace(path: &mut Option<String>, named: &[u8], prefix: &[u8]) {
    // git puts a tab behind a path with blanks.
    let named = plain(named.strip_suffix(b"\t").unwrap_or(named));
    if let Some(named) = named.strip_prefix(prefix) {
        *path = Some(text(named));
    }
}

/// Returns a path without its quotation marks, if it has any.
fn plain(path: &[u8]) -> Vec<u8> {
    match unquote(path) {
        Some((unquoted, [])) => unquoted,
        _ => path.to_vec(),
    }
}

fn parse_mode(mode: &[u8]) -> Option<u32> {
    u32::from_str_radix(str::from_utf8(mode).ok()?, 8).ok()
}
