//! What begins with which bytes.

use std::cmp::Reverse;

use super::Mark;
use super::grammar::Grammar;

/// What begins with a certain text. The numbers are places in the lists of the grammar.
#[derive(Clone, Copy)]
pub(crate) enum Opener {
    Line(usize),
    Block(usize),
    Quote(usize),
    Inlay(usize),
    Mark(Mark),
}

/// The beginnings that a grammar knows, by their first bytes.
pub(crate) struct Openers {
    all: Vec<(&'static str, Opener)>,
    starts: Box<[usize; 257]>,
}

impl Openers {
    pub(crate) fn new(grammar: &'static Grammar) -> Self {
        let mut all = Vec::new();
        let mut add = |text: &'static str, opener| {
            all.extend(text.bytes().next().map(|first| (first, text, opener)));
        };
        grammar.line.iter().enumerate().for_each(|(n, it)| add(it.open, Opener::Line(n)));
        grammar.block.iter().enumerate().for_each(|(n, it)| add(it.open, Opener::Block(n)));
        grammar.quotes.iter().enumerate().for_each(|(n, it)| add(it.open, Opener::Quote(n)));
        grammar.inlays.iter().enumerate().for_each(|(n, it)| add(it.open, Opener::Inlay(n)));
        all.extend(grammar.marks.iter().map(|&(byte, mark)| (byte, "", Opener::Mark(mark))));
        // A longer text goes first, so that a triple quote is not taken for an empty string.
        all.sort_by_key(|&(first, text, _)| (first, Reverse(text.len())));
        let mut starts = Box::new([0; 257]);
        for (byte, start) in starts.iter_mut().enumerate() {
            *start = all.partition_point(|&(first, ..)| usize::from(first) < byte);
        }
        let all = all.into_iter().map(|(_, text, opener)| (text, opener)).collect();
        Self { all, starts }
    }

    /// Returns what may begin with a byte, the longest text first.
    pub(crate) fn starting_with(&self, byte: u8) -> &[(&'static str, Opener)] {
        let at = |byte: usize| self.starts.get(byte).copied().unwrap_or(0);
        let byte = usize::from(byte);
        self.all.get(at(byte)..at(byte + 1)).unwrap_or_default()
    }
}
