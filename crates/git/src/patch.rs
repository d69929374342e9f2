//! Parses a patch written by git.

use std::iter::Peekable;

use crate::file_diff::{FileDiff, FileStatus};
use crate::hunk::{Hunk, HunkLine, LineKind};
use crate::quoted::unquote;
use crate::run::text;

/// Returns the differences in a patch.
///
/// The paths must have the prefixes `a/` and `b/`. Anything else in the patch is skipped.
pub fn parse_patch(patch: &[u8]) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    // The final line feed does not start another line.
    let patch = patch.strip_suffix(b"\n").unwrap_or(patch);
    let mut lines = patch.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let Some(names) = line.strip_prefix(b"diff --git ") else { continue };
        let file = parse_file(names, &mut lines);
        match files.last_mut() {
            Some(last) if is_type_change(last, &file) => join(last, file),
            _ => files.push(file),
        }
    }
    files
}

fn parse_file<'a>(
    names: &'a [u8],
    lines: &mut Peekable<impl Iterator<Item = &'a [u8]>>,
) -> FileDiff {
    let mut file = FileDiff::from_names(names);
    while let Some(line) = lines.next_if(|line| !line.starts_with(b"diff --git ")) {
        match parse_hunk_header(line) {
            Some(mut hunk) => {
                parse_lines(&mut hunk, lines);
                file.hunks.push(hunk);
            }
            None if file.hunks.is_empty() => file.apply(line),
            None => {}
        }
    }
    file.finish();
    file
}

/// Reads the number of lines that the header states, as long as they look like lines of a hunk.
fn parse_lines<'a>(hunk: &mut Hunk, lines: &mut Peekable<impl Iterator<Item = &'a [u8]>>) {
    let mut old = hunk.old_lines;
    let mut new = hunk.new_lines;
    while let Some(line) = lines.next_if(|line| belongs(line, old, new)) {
        let (kind, bytes) = match line {
            [b'+', bytes @ ..] => (LineKind::Added, bytes),
            [b'-', bytes @ ..] => (LineKind::Removed, bytes),
            [b'\\', ..] => {
                if let Some(last) = hunk.lines.last_mut() {
                    last.no_newline = true;
                }
                continue;
            }
            // Some programs strip the space of an empty context line.
            line => (LineKind::Context, line.strip_prefix(b" ").unwrap_or(line)),
        };
        old -= u32::from(kind != LineKind::Added);
        new -= u32::from(kind != LineKind::Removed);
        hunk.lines.push(HunkLine { kind, bytes: bytes.to_vec(), no_newline: false });
    }
}

/// Returns whether a line is part of a hunk that lacks `old` and `new` lines of each side.
fn belongs(line: &[u8], old: u32, new: u32) -> bool {
    match line {
        [b'+', ..] => new > 0,
        [b'-', ..] => old > 0,
        [b'\\', ..] => true,
        [b' ', ..] | [] => old > 0 && new > 0,
        _ => false,
    }
}

/// Returns a hunk without lines from a header such as `@@ -1,3 +1,4 @@ fn x`.
fn parse_hunk_header(line: &[u8]) -> Option<Hunk> {
    let line = String::from_utf8_lossy(line);
    let (numbers, section) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = numbers.split_once(" +")?;
    let (old_start, old_lines) = parse_span(old)?;
    let (new_start, new_lines) = parse_span(new)?;
    // git truncates the text by bytes, possibly in the middle of a character.
    let section = section.trim_end_matches(char::REPLACEMENT_CHARACTER).trim().to_owned();
    Some(Hunk { old_start, old_lines, new_start, new_lines, section, lines: Vec::new() })
}

fn parse_span(span: &str) -> Option<(u32, u32)> {
    match span.split_once(',') {
        Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
        None => Some((span.parse().ok()?, 1)),
    }
}

/// Returns whether two consecutive differences are what git writes for a change of type, such as
/// from a file to a symbolic link.
fn is_type_change(first: &FileDiff, second: &FileDiff) -> bool {
    first.status == FileStatus::Deleted
        && second.status == FileStatus::Added
        && first.old_path == second.new_path
}

fn join(first: &mut FileDiff, second: FileDiff) {
    first.status = FileStatus::TypeChanged;
    first.new_path = second.new_path;
    first.new_mode = second.new_mode;
    first.binary |= second.binary;
    first.hunks.extend(second.hunks);
}

impl FileDiff {
    /// Parses the text after `diff --git `; both paths are set until [`Self::finish`].
    pub(crate) fn from_names(names: &[u8]) -> Self {
        let (old_path, new_path) = parse_names(names).unwrap_or_default();
        Self {
            old_path: Some(old_path),
            new_path: Some(new_path),
            status: FileStatus::Modified,
            binary: false,
            is_diff_disabled: false,
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
/// A path with spaces is not quoted, but then both paths are the same: the paths of a renamed file
/// are on further lines.
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

/// Sets a path from a line such as `--- a/x`, unless it is `/dev/null`.
fn replace(path: &mut Option<String>, named: &[u8], prefix: &[u8]) {
    // git writes a tab after a path with spaces.
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
