//! A grammar with lookup tables.

use std::sync::OnceLock;

use super::grammar::{Grammar, Quote};
use super::opener::{Opener, Openers};
use crate::Class;
use crate::cursor::is_word;
use crate::words::{WordRole, WordTable};

/// A grammar that is compiled on its first use.
pub(crate) struct LazyGrammar {
    grammar: Grammar,
    ready: OnceLock<Compiled>,
}

impl LazyGrammar {
    pub(crate) const fn new(grammar: Grammar) -> Self {
        Self { grammar, ready: OnceLock::new() }
    }

    pub(crate) fn compiled(&'static self) -> &'static Compiled {
        self.ready.get_or_init(|| Compiled::new(&self.grammar))
    }
}

/// The possible role of a byte outside of comments and literals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteKind {
    Blank,
    Word,
    Digit,
    Bracket,
    /// A comment, a literal or a [`Mark`](super::Mark) may begin here.
    Opener,
    Operator,
}

/// A grammar with lookup tables.
pub(crate) struct Compiled {
    pub(crate) grammar: &'static Grammar,
    pub(crate) words: WordTable,
    /// The prefixes of string literals, with their quotes.
    pub(crate) prefixes: Vec<(&'static str, &'static Quote)>,
    openers: Openers,
    kinds: Box<[ByteKind; 256]>,
    inside: Box<[bool; 256]>,
}

impl Compiled {
    fn new(grammar: &'static Grammar) -> Self {
        let mut prefixes = Vec::new();
        for prefix in grammar.prefixes {
            for quote in prefix.quotes {
                prefixes.extend(prefix.words.split_whitespace().map(|word| (word, quote)));
            }
        }
        let openers = Openers::new(grammar);
        let inside = inside(grammar);
        let kinds = kinds(grammar, &openers);
        Self { grammar, words: words(grammar), prefixes, openers, kinds, inside }
    }

    pub(crate) fn kind(&self, byte: u8) -> ByteKind {
        self.kinds.get(usize::from(byte)).copied().unwrap_or(ByteKind::Operator)
    }

    /// Returns whether a word may contain this byte.
    pub(crate) fn is_inside(&self, byte: u8) -> bool {
        self.inside.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// Returns the constructs that may begin with a byte, longest first.
    pub(crate) fn openers(&self, byte: u8) -> &[(&'static str, Opener)] {
        self.openers.starting_with(byte)
    }
}

fn words(grammar: &'static Grammar) -> WordTable {
    WordTable::new(
        &[
            (grammar.functions, WordRole::Names(Class::Function)),
            (grammar.classes, WordRole::Names(Class::Type)),
            (grammar.keywords, WordRole::Is(Class::Keyword)),
            (grammar.soft, WordRole::Soft),
            (grammar.types, WordRole::Is(Class::Type)),
            (grammar.constants, WordRole::Is(Class::Constant)),
        ],
        grammar.folded,
    )
}

fn kinds(grammar: &Grammar, openers: &Openers) -> Box<[ByteKind; 256]> {
    let mut kinds = Box::new([ByteKind::Operator; 256]);
    for (byte, kind) in (0..=u8::MAX).zip(kinds.iter_mut()) {
        *kind = match byte {
            _ if !openers.starting_with(byte).is_empty() => ByteKind::Opener,
            b' ' | b'\t' | b'\r' => ByteKind::Blank,
            b'0'..=b'9' => ByteKind::Digit,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' => ByteKind::Bracket,
            _ if is_word(byte) || grammar.begins.as_bytes().contains(&byte) => ByteKind::Word,
            _ => ByteKind::Operator,
        };
    }
    kinds
}

fn inside(grammar: &Grammar) -> Box<[bool; 256]> {
    let mut inside = Box::new([false; 256]);
    for (byte, is_inside) in (0..=u8::MAX).zip(inside.iter_mut()) {
        *is_inside = is_word(byte)
            || grammar.begins.as_bytes().contains(&byte)
            || grammar.inside.as_bytes().contains(&byte);
    }
    inside
}
