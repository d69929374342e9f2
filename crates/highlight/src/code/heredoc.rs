//! Heredocs: texts that begin on the next line and end with a tag.

use crate::Class;
use crate::cursor::{Cursor, is_blank, is_word};

use super::CodeScanner;
use super::mode::OpenConstruct;

/// How a heredoc is introduced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announcement {
    /// As in a shell, where `<<` is not an operator.
    Free,
    /// As in Ruby, where `<<` is also an operator, so the tag must look like one.
    Tagged,
    /// As in PHP, with three signs.
    Triple,
}

/// The maximum number of heredocs introduced on one line.
const MAX_PER_LINE: usize = 8;

impl CodeScanner {
    /// Reads the introduction of a heredoc.
    pub(crate) fn announce(&mut self, cursor: &mut Cursor<'_>, how: Announcement) -> bool {
        let signs = if how == Announcement::Triple { 3 } else { 2 };
        let rest = cursor.rest();
        let count = rest.iter().take(signs + 1).take_while(|&&byte| byte == b'<').count();
        if count != signs || cursor.behind(1) == b'<' || self.pending.len() >= MAX_PER_LINE {
            return false;
        }
        // In an arithmetic expression of a shell, `<<` shifts bits.
        if how == Announcement::Free && is_arithmetic(cursor) {
            return false;
        }
        let Some((length, tag)) = tag(rest, signs, how) else {
            return false;
        };
        self.pending.push(OpenConstruct::Heredoc { tag: tag.into() });
        cursor.take(length, Class::String);
        self.finish_operand()
    }

    /// Reads a line of a heredoc, or the tag at its end.
    pub(crate) fn heredoc(&mut self, cursor: &mut Cursor<'_>) {
        let Some(OpenConstruct::Heredoc { tag }) = self.modes.last() else {
            return;
        };
        let from = cursor.at();
        let line = cursor.rest().trim_ascii_start();
        let indent = cursor.rest().len() - line.len();
        let is_end = line
            .strip_prefix(&**tag)
            .is_some_and(|after| after.first().is_none_or(|&byte| !is_word(byte) && byte != b' '));
        if !is_end {
            return cursor.take_all(Class::String);
        }
        cursor.skip(indent + tag.len());
        cursor.paint(from, Class::String);
        self.close();
    }
}

/// Returns the length of the introduction, and its tag.
fn tag(text: &[u8], signs: usize, how: Announcement) -> Option<(usize, &[u8])> {
    let mut at = signs;
    let is_indented = matches!(text.get(at), Some(b'-' | b'~'));
    at += usize::from(is_indented);
    if how != Announcement::Tagged {
        at += text.get(at..)?.iter().take_while(|&&byte| is_blank(byte)).count();
    }
    let quote = text.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b'`'));
    at += usize::from(quote.is_some());
    let tag = text.get(at..)?;
    let tag = tag.get(..tag.iter().take_while(|&&byte| is_word(byte)).count())?;
    at += tag.len();
    at += usize::from(quote.is_some_and(|quote| text.get(at) == Some(&quote)));
    let first = *tag.first()?;
    let is_uppercase = tag.len() > 1 && tag.iter().all(|byte| !byte.is_ascii_lowercase());
    let is_sure = how != Announcement::Tagged || is_indented || quote.is_some() || is_uppercase;
    (is_sure && !first.is_ascii_digit()).then_some((at, tag))
}

fn is_arithmetic(cursor: &Cursor<'_>) -> bool {
    cursor.before().windows(2).any(|pair| pair == b"((")
}
