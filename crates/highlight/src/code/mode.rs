//! Constructs that are open.

use super::grammar::{BlockComment, Quote};

/// A construct that is open.
pub(crate) enum OpenConstruct {
    /// A comment, and how many were opened.
    Comment { block: &'static BlockComment, depth: u32 },
    /// A literal, and how many bytes of a fence must follow its end.
    Text { quote: &'static Quote, fence: usize },
    /// Code inside a literal, and how many brackets are open in it.
    Hole { open: u8, close: u8, depth: u32 },
    /// A literal that chose its own end.
    Until { close: Box<[u8]> },
    /// Lines up to one that consists of a tag.
    Heredoc { tag: Box<[u8]> },
    /// A literal between brackets, and how many more of them follow.
    Delimited { open: u8, close: u8, depth: u32, parts: u32 },
    /// An element of markup, and how many elements are open in it.
    Element { depth: u32, part: ElementPart },
}

/// Where in an element a scanner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementPart {
    Tag,
    Text,
}

/// What is before the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Previous {
    /// Nothing of this line.
    Start,
    /// Something that a value follows.
    Operator,
    /// A value, or the end of one.
    Operand,
}
