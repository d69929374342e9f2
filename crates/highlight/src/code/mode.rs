//! The open constructs of a scanner, and the token before the cursor.

use super::grammar::{BlockComment, Quote};

/// A construct that is not closed yet.
pub(crate) enum OpenConstruct {
    /// A comment, and its nesting depth.
    Comment { block: &'static BlockComment, depth: u32 },
    /// A literal, and the number of fence bytes after its end.
    Text { quote: &'static Quote, fence: usize },
    /// Code inside a literal, and the number of open brackets in it.
    Hole { open: u8, close: u8, depth: u32 },
    /// A literal with an end chosen by the author.
    Until { close: Box<[u8]> },
    /// Lines up to one that contains only a tag.
    Heredoc { tag: Box<[u8]> },
    /// A literal between brackets, and the number of parts left.
    Delimited { open: u8, close: u8, depth: u32, parts: u32 },
    /// A markup element, and the number of open elements in it.
    Element { depth: u32, part: ElementPart },
}

/// The position of the scanner in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementPart {
    Tag,
    Text,
}

/// The token before the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Previous {
    /// None on this line.
    Start,
    /// A token that is followed by a value.
    Operator,
    /// A value, or the end of one.
    Operand,
}
