//! Makefiles.

use super::Class;
use super::code::CodeScanner;
use super::cursor::{Cursor, is_blank};
use super::scan::LineScanner;
use super::tables::shell::SHELL;

/// Reads a makefile.
#[derive(Default)]
pub(crate) struct MakeScanner {
    /// Whether the previous line continues on this one.
    is_continued: bool,
}

const DIRECTIVES: &[&[u8]] = &[
    b"define",
    b"else",
    b"endef",
    b"endif",
    b"export",
    b"ifdef",
    b"ifeq",
    b"ifndef",
    b"ifneq",
    b"include",
    b"-include",
    b"override",
    b"private",
    b"set",
    b"sinclude",
    b"undefine",
    b"unexport",
    b"vpath",
];

impl LineScanner for MakeScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        let is_continued = self.is_continued;
        self.is_continued = cursor.rest().ends_with(b"\\");
        if cursor.byte() == b'\t' {
            // Each recipe line runs in its own shell, so no quote extends beyond it.
            return CodeScanner::new(&SHELL).line(cursor);
        }
        cursor.skip_blank();
        if !is_continued {
            head(cursor);
        }
        values(cursor);
    }
}

/// Reads a directive, the name of a variable or the targets of a rule.
fn head(cursor: &mut Cursor<'_>) {
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'-';
    let length = cursor.rest().iter().take_while(is_letter).count();
    let word = cursor.rest().get(..length).unwrap_or_default();
    if DIRECTIVES.contains(&word) && matches!(cursor.ahead(length), 0 | b' ' | b'\t' | b'(') {
        cursor.take(length, Class::Keyword);
        if !matches!(word, b"export" | b"override" | b"private") {
            return;
        }
        cursor.skip_blank();
    }
    if let Some((length, class)) = name(cursor.rest()) {
        cursor.take(length, class);
    }
}

/// Returns the length and class of the names before `=`, `:=` or `:`.
fn name(text: &[u8]) -> Option<(usize, Class)> {
    let mut depth = 0_u32;
    for (at, &byte) in text.iter().enumerate() {
        let class = match (byte, text.get(at + 1)) {
            (b'(' | b'{', _) => {
                depth += 1;
                continue;
            }
            (b')' | b'}', _) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            (b'#', _) => return None,
            (b'=', _) | (b':', Some(b'=' | b':')) if depth == 0 => Class::Attribute,
            (b':', _) if depth == 0 => Class::Function,
            _ => continue,
        };
        let name = text.get(..at)?;
        let name = name.strip_suffix(b"?").or_else(|| name.strip_suffix(b"+")).unwrap_or(name);
        return Some((name.trim_ascii_end().len(), class));
    }
    None
}

/// Reads the rest of a line.
fn values(cursor: &mut Cursor<'_>) {
    while !cursor.is_done() {
        match cursor.byte() {
            b'#' if is_blank(cursor.behind(1)) || cursor.at() == 0 => {
                return cursor.take_all(Class::Comment);
            }
            b'\\' => cursor.skip(2),
            b'$' if matches!(cursor.ahead(1), b'(' | b'{') => {
                cursor.skip(2);
                let from = cursor.at();
                cursor.skip_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
                });
                // A function has arguments, a variable has none.
                if is_blank(cursor.byte()) {
                    cursor.paint(from, Class::Function);
                }
            }
            _ => cursor.skip(1),
        }
    }
}
