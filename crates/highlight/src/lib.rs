//! Syntax highlighting: lines in, coloured spans out.
//!
//! A scanner reads a file line by line and carries open constructs (a comment, a string) to the
//! next line. It recognizes words, literals and comments.
//!
//! ```
//! use skein_highlight::{Class, Language, lines};
//!
//! let spans = lines(Language::Rust, &["let a = 1; // one"]);
//! assert_eq!(spans[0][0].class, Class::Keyword);
//! assert_eq!(spans[0][0].range, 0..3);
//! ```
//!
//! It does not parse: it accepts any text, and is fast enough to colour a whole file for each
//! request. It produces no HTML. Most languages are rows of a table (`tables/`, read by `code/`);
//! the others have their own scanner. `languages.rs` lists them all.

mod class;
mod code;
mod coloured_span;
mod css;
mod cursor;
mod diff;
mod languages;
mod make;
mod markdown;
mod markup;
mod scalar;
mod scan;
mod tables;
mod words;
mod yaml;

pub use class::Class;
pub use coloured_span::ColouredSpan;
pub use languages::Language;

use cursor::Cursor;

/// Longer lines are not coloured: they are usually generated.
const MAX_LINE_LEN: usize = 5_000;

/// Returns the coloured ranges of each line, in order and without overlap.
///
/// The lines must be a file from its start. Text outside of all ranges is not coloured.
pub fn lines(language: Language, lines: &[impl AsRef<str>]) -> Vec<Vec<ColouredSpan>> {
    let mut scanner = languages::scanner(language);
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
