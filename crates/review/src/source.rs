//! A file under review as lines.

use skein_catalog::source_text::{
    MAX_SOURCE_LEN, cut, is_binary, leads_to_source, lines, without_bom,
};
use skein_format::path::WorkspacePath;
use skein_format::review::{Context, Range};
use skein_store::{SafeOpenError, read_inside};
use skein_workspace::ReviewStore;

use super::target::{CodeLocation, LocationError};

/// How many lines before and after the commented ones a thread keeps.
const CONTEXT_LINES: usize = 3;

/// The lines of a file, without their ends.
#[derive(Clone, Debug)]
pub struct Source {
    pub lines: Vec<String>,
}

impl Source {
    /// Reads a file that may be commented on.
    pub fn read(reviews: &ReviewStore, path: &WorkspacePath) -> Result<Self, LocationError> {
        Ok(Self { lines: lines(without_bom(&Self::bytes(reviews, path)?)) })
    }

    /// Reads the bytes of such a file.
    pub fn bytes(reviews: &ReviewStore, path: &WorkspacePath) -> Result<Vec<u8>, LocationError> {
        let root = &reviews.root;
        let bytes =
            read_inside(root, path.as_str(), MAX_SOURCE_LEN).map_err(|error| match error {
                SafeOpenError::NotFound { .. } => {
                    LocationError::Missing { text: path.to_string(), near: None }
                }
                SafeOpenError::Outside { .. } => {
                    LocationError::Outside { text: path.to_string(), root: root.to_owned() }
                }
                error => LocationError::Read(error),
            })?;
        if !leads_to_source(reviews, path.as_str()) {
            return Err(LocationError::Outside { text: path.to_string(), root: root.clone() });
        }
        if is_binary(&bytes) {
            return Err(LocationError::Binary { path: path.to_string() });
        }
        Ok(bytes)
    }

    /// Returns the commented characters and the text around them.
    pub(crate) fn select(&self, place: &CodeLocation) -> Option<(Range, Context)> {
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
            before: part(start.saturating_sub(CONTEXT_LINES), start).to_vec(),
            selection: cut(part(start, end + 1), range),
            after: part(end + 1, (end + 1 + CONTEXT_LINES).min(self.lines.len())).to_vec(),
        };
        Some((range, context))
    }

    /// Returns the lines that contain a text, counted from 1.
    pub(crate) fn numbers_with(&self, text: &str) -> Vec<u32> {
        let holds = |(number, line): (u32, &String)| line.contains(text).then_some(number);
        (1..).zip(&self.lines).filter_map(holds).take(5).collect()
    }
}
