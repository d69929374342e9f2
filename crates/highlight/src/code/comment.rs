//! Comments.

use crate::Class;
use crate::cursor::Cursor;

use super::CodeScanner;
use super::grammar::{BlockComment, CommentPlace, LineComment};
use super::mode::OpenConstruct;

impl CodeScanner {
    pub(crate) fn line_comment(&self, cursor: &mut Cursor<'_>, line: &LineComment) -> bool {
        let fits = self.fits(line.place, cursor);
        if fits {
            cursor.take_all(Class::Comment);
        }
        fits
    }

    pub(crate) fn block_comment(
        &mut self,
        cursor: &mut Cursor<'_>,
        block: &'static BlockComment,
    ) -> bool {
        if !self.fits(block.place, cursor) {
            return false;
        }
        let from = cursor.at();
        cursor.skip(block.open.len());
        // A comment between two tokens does not change what may follow them.
        let (previous, expects) = (self.previous, self.expects);
        self.modes.push(OpenConstruct::Comment { block, depth: 1 });
        self.comment(cursor, from);
        (self.previous, self.expects) = (previous, expects);
        true
    }

    /// Reads a comment to its end or the end of the line.
    pub(crate) fn comment(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let Some(&OpenConstruct::Comment { block, mut depth }) = self.modes.last() else {
            return;
        };
        if block.place == CommentPlace::Margin {
            return self.margin_comment(cursor, block);
        }
        while depth > 0 && !cursor.is_done() {
            depth = past_next_end(cursor, block, depth);
        }
        cursor.paint(from, Class::Comment);
        if depth == 0 {
            return self.close();
        }
        if let Some(OpenConstruct::Comment { depth: open, .. }) = self.modes.last_mut() {
            *open = depth;
        }
    }

    fn margin_comment(&mut self, cursor: &mut Cursor<'_>, block: &BlockComment) {
        let is_last = cursor.at() == 0 && cursor.sees(block.close);
        cursor.skip_all();
        cursor.paint(0, Class::Comment);
        if is_last {
            self.close();
        }
    }
}

/// Skips past the next end of a comment, or start of a nested one, and returns the nesting depth.
fn past_next_end(cursor: &mut Cursor<'_>, block: &BlockComment, depth: u32) -> u32 {
    let first = |text: &str| text.bytes().next().unwrap_or(0);
    let (open, close) = (first(block.open), first(block.close));
    cursor.skip_while(|byte| byte != close && (byte != open || !block.is_nested));
    if cursor.sees(block.close) {
        cursor.skip(block.close.len());
        return depth - 1;
    }
    if block.is_nested && cursor.sees(block.open) {
        cursor.skip(block.open.len());
        return depth.saturating_add(1);
    }
    cursor.skip(1);
    depth
}
