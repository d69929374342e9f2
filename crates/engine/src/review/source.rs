//! A file under review as lines.

use std::path::PathBuf;

use skein_format::json::bom_len;
use skein_format::path::WorkspacePath;
use skein_format::review::{Context, Range};
use skein_store::{TargetError, read_inside};

use super::target::{Place, PlaceError};
use crate::discover::Reviews;

/// A file under review that is larger is not looked into.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// How many lines before and after the commented ones a thread keeps.
const AROUND: usize = 3;

/// The lines of a file, without their ends.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) lines: Vec<String>,
}

impl Source {
    /// Reads a file that may be commented on.
    pub(crate) fn read(reviews: &Reviews, path: &WorkspacePath) -> Result<Self, PlaceError> {
        Ok(Self { lines: lines(without_bom(&Self::bytes(reviews, path)?)) })
    }

    /// Reads the bytes of such a file.
    pub(crate) fn bytes(reviews: &Reviews, path: &WorkspacePath) -> Result<Vec<u8>, PlaceError> {
        let root = &reviews.root;
        let bytes = read_inside(root, path.as_str(), LARGEST).map_err(|error| match error {
            TargetError::NotFound { .. } => PlaceError::Missing { text: path.to_string() },
            TargetError::Outside { .. } => {
                PlaceError::Outside { text: path.to_string(), root: root.to_owned() }
            }
            error => PlaceError::Read(error),
        })?;
        if !leads_to_source(reviews, path.as_str()) {
            return Err(PlaceError::Outside { text: path.to_string(), root: root.clone() });
        }
        if is_binary(&bytes) {
            return Err(PlaceError::Binary { path: path.to_string() });
        }
        Ok(bytes)
    }

    /// Returns the commented characters and the text around them.
    pub(crate) fn select(&self, place: &Place) -> Option<(Range, Context)> {
        let (first, last) = place.lines?;
        let (start, end) = (first as usize - 1, last as usize - 1);
        let width = |line: usize| {
            let count = self.lines.get(line).map_or(0, |text| text.encode_utf16().count());
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let range = Range {
            start_line: first - 1,
            start_character: place.column.map_or(0, |column| column - 1),
            end_line: last - 1,
            end_character: width(end),
        };
        let part = |from: usize, to: usize| self.lines.get(from..to).unwrap_or_default();
        let context = Context {
            before: part(start.saturating_sub(AROUND), start).to_vec(),
            selection: cut(part(start, end + 1), range),
            after: part(end + 1, (end + 1 + AROUND).min(self.lines.len())).to_vec(),
        };
        Some((range, context))
    }
}

/// Takes off the mark at the start of some files, which is no part of their first line: editors do not show it.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.get(bom_len(bytes)..).unwrap_or_default()
}

/// Splits a text into lines without their ends; what follows the last line end is no line if it is empty.
pub(crate) fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// Cuts the columns of a range, counted in UTF-16 units, out of its lines.
pub(crate) fn cut<T: AsRef<str>>(lines: &[T], range: Range) -> String {
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

/// Returns whether a path leads, through symbolic links, to a file that may be commented on by its own name.
///
/// A link of a stranger's repository may lead into `.git`, whose files hold what is nobody's business.
pub(crate) fn leads_to_source(reviews: &Reviews, path: &str) -> bool {
    real_file(reviews, path).is_some()
}

/// Returns the file that a path leads to; none where that is no file that could be commented on by its own name.
pub(crate) fn real_file(reviews: &Reviews, path: &str) -> Option<PathBuf> {
    let root = reviews.root.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    let below = file.strip_prefix(&root).ok()?.to_str()?;
    WorkspacePath::parse(below, &reviews.store_path).is_ok().then_some(file)
}

/// Git's own rule: a NUL near the start.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

impl Source {
    /// Returns the lines that contain a text, counted from 1.
    pub(crate) fn numbers_with(&self, text: &str) -> Vec<u32> {
        let holds = |(number, line): (u32, &String)| line.contains(text).then_some(number);
        (1..).zip(&self.lines).filter_map(holds).take(5).collect()
    }
}
