//! The text of files under review: which files are read, and their lines.

use std::path::PathBuf;

use skein_format::json::bom_len;
use skein_format::path::WorkspacePath;
use skein_format::review::Range;
use skein_workspace::ReviewStore;

/// Maximum size of a file under review, in bytes.
pub const MAX_SOURCE_LEN: u64 = 16 * 1024 * 1024;

/// Removes a byte order mark, which editors do not show.
pub fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.get(bom_len(bytes)..).unwrap_or_default()
}

/// Splits a text into lines without line ends; an empty rest after the last line end is not a line.
pub fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// Cuts the columns of a range, counted in UTF-16 units, out of its lines.
pub fn cut<T: AsRef<str>>(lines: &[T], range: Range) -> String {
    let mut text: Vec<Vec<u16>> =
        lines.iter().map(|line| line.as_ref().encode_utf16().collect()).collect();
    if let Some(last) = text.last_mut() {
        last.truncate(range.end_character as usize);
    }
    if let Some(first) = text.first_mut() {
        first.drain(..(range.start_character as usize).min(first.len()));
    }
    let lines: Vec<String> = text.iter().map(|line| String::from_utf16_lossy(line)).collect();
    lines.join("\n")
}

/// Returns whether a path resolves, through symbolic links, to a file on which comments are allowed.
///
/// A link in an untrusted repository may point into `.git`, whose files are private.
pub fn leads_to_source(reviews: &ReviewStore, path: &str) -> bool {
    real_file(reviews, path).is_some()
}

/// Returns the file that a path resolves to; none if comments on that file are not allowed.
pub fn real_file(reviews: &ReviewStore, path: &str) -> Option<PathBuf> {
    let root = reviews.root.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    let below = file.strip_prefix(&root).ok()?.to_str()?;
    WorkspacePath::parse(below, &reviews.store_path).is_ok().then_some(file)
}
