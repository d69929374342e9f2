//! Replacements that a tool suggests.

use serde_json::Value;

use super::value::{number, text};

/// A replacement of one region. Lines and columns are counted from 1; the last column is after the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fix {
    pub(super) lines: (u32, u32),
    start_column: Option<u32>,
    end_column: Option<u32>,
    text: String,
}

impl Fix {
    /// Reads the fix of a result, if it replaces one region of its file.
    pub(super) fn from_result(result: &Value) -> Option<Self> {
        let fix = only(result.get("fixes")?)?;
        let change = only(fix.get("artifactChanges")?)?;
        let file = |value: &Value, pointer: &str| value.pointer(pointer).cloned();
        let own = "/locations/0/physicalLocation/artifactLocation/uri";
        let same = file(change, "/artifactLocation/uri") == file(result, own);
        let replacement = only(change.get("replacements")?).filter(|_| same)?;
        let region = replacement.get("deletedRegion")?;
        let start = number(region, "/startLine")?;
        let end = number(region, "/endLine").unwrap_or(start);
        let inserted = text(replacement, "/insertedContent/text").unwrap_or_default();
        let fix = Self {
            lines: (start, end),
            start_column: number(region, "/startColumn"),
            end_column: number(region, "/endColumn"),
            text: inserted,
        };
        Some(fix.whole_lines())
    }

    /// Changes a region that ends at the start of a line to end at the line before.
    fn whole_lines(mut self) -> Self {
        let (start, end) = self.lines;
        if self.end_column == Some(1) && end > start {
            self.lines.1 = end - 1;
            self.end_column = None;
            if let Some(text) = self.text.strip_suffix('\n') {
                self.text = text.strip_suffix('\r').unwrap_or(text).to_owned();
            }
        }
        self
    }

    /// Returns the text that replaces complete lines of the file.
    pub(super) fn suggestion(&self, lines: &[String]) -> Option<String> {
        let (start, end) = self.lines;
        let first = lines.get(usize::try_from(start).ok()?.checked_sub(1)?)?;
        let last = lines.get(usize::try_from(end).ok()?.checked_sub(1)?)?;
        let before = cut(first, 0, Some(self.start_column.unwrap_or(1)))?;
        let after = match self.end_column {
            Some(column) => cut(last, column.checked_sub(1)?, None)?,
            None => String::new(),
        };
        Some(format!("{before}{}{after}", self.text))
    }
}

/// Returns the UTF-16 units from a position up to a column.
fn cut(line: &str, from: u32, to_column: Option<u32>) -> Option<String> {
    let units: Vec<u16> = line.encode_utf16().collect();
    let from = usize::try_from(from).ok()?;
    let to = match to_column {
        Some(column) => usize::try_from(column.checked_sub(1)?).ok()?,
        None => units.len(),
    };
    String::from_utf16(units.get(from..to)?).ok()
}

fn only(list: &Value) -> Option<&Value> {
    match list.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(region: &str, inserted: &str, expected: Option<&str>) {
        let result = format!(
            "{{\"fixes\": [{{\"artifactChanges\": [{{\"replacements\": [{{\"deletedRegion\": {region}, \"insertedContent\": {{\"text\": {inserted:?}}}}}]}}]}}]}}"
        );
        let fix = Fix::from_result(&serde_json::from_str(&result).unwrap());
        let lines = ["let x = 1;".to_owned(), "é😀y".to_owned()];
        assert_eq!(fix.and_then(|fix| fix.suggestion(&lines)).as_deref(), expected, "{region}");
    }

    #[test]
    fn a_replacement_becomes_whole_lines() {
        check("{\"startLine\": 1}", "let y;", Some("let y;"));
        check("{\"startLine\": 1, \"startColumn\": 5, \"endColumn\": 6}", "y", Some("let y = 1;"));
        check("{\"startLine\": 1, \"endLine\": 2, \"endColumn\": 1}", "let y;\n", Some("let y;"));
        check("{\"startLine\": 2, \"startColumn\": 2, \"endColumn\": 4}", "", Some("éy"));
        check("{\"startLine\": 2, \"startColumn\": 3, \"endColumn\": 4}", "", None);
        check("{\"startLine\": 9}", "", None);
        check("{\"startLine\": 0}", "", None);
        check("{\"startLine\": 1, \"startColumn\": 99}", "", None);
    }
}
