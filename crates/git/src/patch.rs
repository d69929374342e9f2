//! Reads a patch that git wrote.

use std::iter::Peekable;

use crate::file_diff::{FileDiff, FileStatus};
use crate::hunk::{Hunk, HunkLine, LineKind};

/// Returns the differences in a patch.
///
/// The patch is one that git writes, with the prefixes `a/` and `b/`. Anything else in it is passed
/// over.
pub fn parse_patch(patch: &[u8]) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    // The line feed at the end does not begin another line.
    let patch = patch.strip_suffix(b"\n").unwrap_or(patch);
    let mut lines = patch.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let Some(names) = line.strip_prefix(b"diff --git ") else {
            continue;
        };
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

/// Reads as many lines as the header says, as long as they look like lines of a hunk.
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
            // Some programs strip the blank of an empty line.
            line => (LineKind::Context, line.strip_prefix(b" ").unwrap_or(line)),
        };
        old -= u32::from(kind != LineKind::Added);
        new -= u32::from(kind != LineKind::Removed);
        hunk.lines.push(HunkLine { kind, bytes: bytes.to_vec(), no_newline: false });
    }
}

/// Returns whether a line is part of a hunk that still lacks so many lines of each side.
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
    // git cuts the text after some bytes, be it in the middle of a character.
    let section = section.trim_end_matches(char::REPLACEMENT_CHARACTER).trim().to_owned();
    Some(Hunk { old_start, old_lines, new_start, new_lines, section, lines: Vec::new() })
}

fn parse_span(span: &str) -> Option<(u32, u32)> {
    match span.split_once(',') {
        Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
        None => Some((span.parse().ok()?, 1)),
    }
}

/// Returns whether two differences in a row are what git writes for a file that became, say, a
/// symbolic link.
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
