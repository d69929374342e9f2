//! Constructs by the text that they begin with.

use std::cmp::Reverse;

use super::Mark;
use super::grammar::{BlockComment, Grammar, Inlay, LineComment, Quote};

/// A construct that begins with a certain text.
#[derive(Clone, Copy)]
pub(crate) enum Opener {
    Line(&'static LineComment),
    Block(&'static BlockComment),
    Quote(&'static Quote),
    Inlay(&'static Inlay),
    Mark(Mark),
}

/// The constructs of a grammar, by their first byte.
pub(crate) struct Openers(Vec<Vec<(&'static str, Opener)>>);

impl Openers {
    pub(crate) fn new(grammar: &'static Grammar) -> Self {
        let mut openers = vec![Vec::new(); 256];
        let mut add = |first: Option<u8>, text, opener| {
            if let Some(list) = first.and_then(|byte| openers.get_mut(usize::from(byte))) {
                list.push((text, opener));
            }
        };
        let mut add_text = |text: &'static str, opener| add(text.bytes().next(), text, opener);
        grammar.line.iter().for_each(|line| add_text(line.open, Opener::Line(line)));
        grammar.block.iter().for_each(|block| add_text(block.open, Opener::Block(block)));
        grammar.quotes.iter().for_each(|quote| add_text(quote.open, Opener::Quote(quote)));
        grammar.inlays.iter().for_each(|inlay| add_text(inlay.open, Opener::Inlay(inlay)));
        grammar.marks.iter().for_each(|&(byte, mark)| add(Some(byte), "", Opener::Mark(mark)));
        // Longer texts come first, so that a triple quote is not read as an empty string.
        openers.iter_mut().for_each(|list| list.sort_by_key(|(text, _)| Reverse(text.len())));
        Self(openers)
    }

    /// Returns the constructs that may begin with a byte, longest first.
    pub(crate) fn starting_with(&self, byte: u8) -> &[(&'static str, Opener)] {
        self.0.get(usize::from(byte)).map_or(&[], Vec::as_slice)
    }
}
