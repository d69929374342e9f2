//! The location that a comment is about, as in `src/a.rs:12-14:5`, and the text of its file.

use std::path::PathBuf;

use skein_catalog::source_text::{MAX_SOURCE_LEN, cut, leads_to_source, lines, without_bom};
use skein_catalog::typed_path::{is_numbers, lines_of_address, unknown};
use skein_format::path::{PathProblem, WorkspacePath};
use skein_format::review::{Context, Range};
use skein_git::is_binary;
use skein_store::{SafeOpenError, read_inside};
use skein_workspace::{ReviewStore, Workspace};

/// A location in an existing file.
#[derive(Clone, Debug)]
pub struct CodeLocation {
    /// The file, relative to the root of the reviews.
    pub path: WorkspacePath,
    /// The first and the last line, counted from 1; none for the whole file.
    pub lines: Option<(u32, u32)>,
    /// The first column, counted from 1.
    pub column: Option<u32>,
}

/// Why there is no such location; lines and columns are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// Comments on this path are not allowed.
    #[error("the path {problem}: {text}")]
    Path { text: String, problem: PathProblem },
    #[error("the path is outside the workspace: {text}")]
    Outside { text: String, root: PathBuf },
    #[error("there is no such file: {text}")]
    Missing { text: String, near: Option<String> },
    #[error("a comment needs a file, and this is a directory: {text}")]
    Directory { text: String },
    #[error("the file is binary: {path}")]
    Binary { path: String },
    #[error("{path} has {lines} {}; there is no line {line}", if *lines == 1 { "line" } else { "lines" })]
    PastEnd { path: String, line: u32, lines: usize },
    #[error("line {line} of {path} has {columns} columns; there is no column {column}")]
    PastLine { path: String, line: u32, column: u32, columns: usize },
    #[error("lines are counted from 1, the first before the last: {text}")]
    Lines { text: String },
    #[error("cannot read the file under review")]
    Read(#[source] SafeOpenError),
}

impl CodeLocation {
    /// Parses `FILE`, `FILE:LINE`, `FILE:LINE-LINE` or either with `:COLUMN`, relative to the current directory; and lines as in a web
    /// address, `FILE#L3-L5`.
    ///
    /// A file whose own name has this form takes precedence.
    pub fn parse(workspace: &Workspace, text: &str) -> Result<Self, LocationError> {
        if let Ok(path) = resolve(workspace, text) {
            return Ok(Self { path, lines: None, column: None });
        }
        let (path, lines, column) = split(text)?;
        match resolve(workspace, path) {
            Ok(path) => Ok(Self { path, lines, column }),
            Err(LocationError::Missing { .. }) if names_file(workspace, text) => {
                Err(LocationError::Lines { text: text.to_owned() })
            }
            Err(LocationError::Missing { text, .. }) => {
                let near = unknown(workspace, &text).near;
                Err(LocationError::Missing { text, near })
            }
            Err(error) => Err(error),
        }
    }

    /// Creates a location in a file, with a path relative to the current directory or to the root.
    pub fn new(
        workspace: &Workspace,
        file: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<Self, LocationError> {
        if lines.is_some_and(|(first, last)| first == 0 || last < first) {
            let (first, last) = lines.unwrap_or_default();
            return Err(LocationError::Lines { text: format!("{file}:{first}-{last}") });
        }
        Ok(Self { path: resolve(workspace, file)?, lines, column: None })
    }

    /// Creates a location in an existing file, with a path relative to the root of the reviews.
    pub fn below_root(
        workspace: &Workspace,
        path: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<Self, LocationError> {
        let reviews = &workspace.reviews;
        let text = || path.to_owned();
        let path = WorkspacePath::parse(path, &reviews.store_path)
            .map_err(|problem| LocationError::Path { text: text(), problem })?;
        match reviews.root.join(path.as_str()).is_file() {
            true => Ok(Self { path, lines, column: None }),
            false => Err(LocationError::Missing { text: text(), near: None }),
        }
    }

    /// Reads the file and checks that the lines exist.
    pub(super) fn open(&self, workspace: &Workspace) -> Result<Source, LocationError> {
        let source = Source::read(&workspace.reviews, &self.path)?;
        self.fits(&source).map(|()| source)
    }

    /// Checks that the lines exist in a file that was read.
    pub fn fits(&self, source: &Source) -> Result<(), LocationError> {
        let path = || self.path.to_string();
        let Some((_, last)) = self.lines else { return Ok(()) };
        let lines = source.lines.len();
        if last as usize > lines {
            return Err(LocationError::PastEnd { path: path(), line: last, lines });
        }
        let Some(column) = self.column else { return Ok(()) };
        let line = self.lines.map_or(1, |(first, _)| first);
        let text = source.lines.get(line as usize - 1).map_or("", String::as_str);
        let columns = text.encode_utf16().count();
        if column as usize > columns.max(1) {
            return Err(LocationError::PastLine { path: path(), line, column, columns });
        }
        Ok(())
    }
}

type Parts<'a> = (&'a str, Option<(u32, u32)>, Option<u32>);

/// Returns whether a file precedes an invalid line number.
fn names_file(workspace: &Workspace, text: &str) -> bool {
    let before = |end| Some(text.rsplit_once(end)?.0);
    [':', '#'].into_iter().filter_map(before).any(|path| resolve(workspace, path).is_ok())
}

/// Splits the lines and the column off a path.
fn split(text: &str) -> Result<Parts<'_>, LocationError> {
    if let Some((path, lines)) = lines_of_address(text) {
        let range = range(&lines).ok_or_else(|| LocationError::Lines { text: text.to_owned() })?;
        return Ok((path, Some(range), None));
    }
    let Some((rest, last)) = text.rsplit_once(':').filter(|(_, last)| is_numbers(last)) else {
        return Ok((text, None, None));
    };
    let bad = || LocationError::Lines { text: text.to_owned() };
    match rest.rsplit_once(':').filter(|(_, lines)| is_numbers(lines)) {
        Some((path, lines)) if !last.contains('-') => {
            let column = last.parse().ok().filter(|column| *column > 0).ok_or_else(bad)?;
            Ok((path, Some(range(lines).ok_or_else(bad)?), Some(column)))
        }
        _ => Ok((rest, Some(range(last).ok_or_else(bad)?), None)),
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then_some((first, last))
}

/// Finds the file: relative to the current directory, else to the root of the reviews.
fn resolve(workspace: &Workspace, text: &str) -> Result<WorkspacePath, LocationError> {
    let reviews = &workspace.reviews;
    let check = |path: &str| {
        WorkspacePath::parse(path, &reviews.store_path)
            .map_err(|problem| LocationError::Path { text: text.to_owned(), problem })
    };
    let exists = |path: &WorkspacePath| reviews.root.join(path.as_str()).is_file();
    let is_dir = |path: &WorkspacePath| reviews.root.join(path.as_str()).is_dir();
    let Some(below) = workspace.relative_to_root(text) else {
        return Err(LocationError::Outside { text: text.to_owned(), root: reviews.root.clone() });
    };
    if below.is_empty() && !text.is_empty() {
        return Err(LocationError::Directory { text: text.to_owned() });
    }
    let here = check(&below)?;
    if exists(&here) {
        return Ok(here);
    }
    match check(text.trim_start_matches("./")) {
        Ok(path) if exists(&path) => Ok(path),
        Ok(path) if is_dir(&here) || is_dir(&path) => {
            Err(LocationError::Directory { text: text.to_owned() })
        }
        _ => Err(LocationError::Missing { text: text.to_owned(), near: None }),
    }
}

/// Returns the lines of a location, to be shown while a comment is written.
pub fn excerpt(workspace: &Workspace, place: &CodeLocation) -> Result<String, LocationError> {
    let source = place.open(workspace)?;
    let Some((first, last)) = place.lines else { return Ok(format!("{}\n", place.path)) };
    let numbered = (1..).zip(&source.lines).filter(|(number, _)| (first..=last).contains(number));
    let lines: String = numbered.map(|(number, line)| format!("{number:>5}  {line}\n")).collect();
    Ok(format!("{}\n{lines}", place.path))
}

/// Number of context lines before and after the commented ones.
const CONTEXT_LINES: usize = 3;

/// The lines of a file, without line ends.
#[derive(Clone, Debug)]
pub struct Source {
    pub lines: Vec<String>,
}

impl Source {
    /// Reads a file on which comments are allowed.
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

    /// Returns the commented range and its context.
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

    /// Returns the first lines that contain a text, counted from 1.
    pub(crate) fn numbers_with(&self, text: &str) -> Vec<u32> {
        let holds = |(number, line): (u32, &String)| line.contains(text).then_some(number);
        (1..).zip(&self.lines).filter_map(holds).take(5).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Parts<'_>>) {
        assert_eq!(split(text).ok(), expected, "{text}");
    }

    #[test]
    fn splits_off_lines_and_column() {
        check("a.rs", Some(("a.rs", None, None)));
        check("a.rs:12", Some(("a.rs", Some((12, 12)), None)));
        check("a.rs:12-14", Some(("a.rs", Some((12, 14)), None)));
        check("a.rs:12:5", Some(("a.rs", Some((12, 12)), Some(5))));
        check("a.rs:12-14:5", Some(("a.rs", Some((12, 14)), Some(5))));
        check("a:b.rs:3", Some(("a:b.rs", Some((3, 3)), None)));
        check("a.rs#L3", Some(("a.rs", Some((3, 3)), None)));
        check("a.rs#L3-L5", Some(("a.rs", Some((3, 5)), None)));
        check("a.rs:L3-5", Some(("a.rs", Some((3, 5)), None)));
        check("a.rs#L5-L3", None);
        check("a.rs#Lines", Some(("a.rs#Lines", None, None)));
        check("a.rs:0", None);
        check("a.rs:4-2", None);
        check("a.rs:-", None);
        check("a.rs:99999999999", None);
    }
}
