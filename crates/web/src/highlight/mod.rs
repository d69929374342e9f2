//! The colours of code: lines in, coloured ranges out.
//!
//! A scanner reads a file line by line and carries what a line leaves open (a comment, a string) to the next one.
//! It knows words, literals and comments and no syntax, so that it never refuses a file and stays fast enough to
//! colour a whole file for each request. Most languages are rows of a table; the few that are not made of words
//! and literals have a scanner of their own.

mod class;
mod code;
mod css;
mod cursor;
mod diff;
mod html;
mod language;
mod make;
mod markdown;
mod markup;
mod names;
mod scalar;
mod scan;
mod span;
mod tables;
mod words;
mod yaml;

pub use class::Class;
pub use html::html;
pub use language::Language;
pub use span::Span;

use cursor::Cursor;

/// The length from which a line is left without colours: it was written by a program, for a program.
const MAX_LINE_LEN: usize = 5_000;

/// Returns the coloured ranges of each line, in order and apart from each other.
///
/// The lines are a whole file from its beginning. What is in no range has no colour.
pub fn lines(language: Language, lines: &[impl AsRef<str>]) -> Vec<Vec<Span>> {
    let mut scanner = scan::scanner(language);
    let mut coloured = Vec::with_capacity(lines.len());
    for line in lines {
        let line = line.as_ref();
        if line.len() > MAX_LINE_LEN {
            coloured.push(Vec::new());
            continue;
        }
        let mut cursor = Cursor::new(line);
        scanner.line(&mut cursor);
        coloured.push(cursor.into_spans());
    }
    coloured
}
