//! The grammar of a language of words and literals.

use super::Mark;

/// The words and literals of a language. Lists of words are separated by spaces.
pub(crate) struct Grammar {
    pub(crate) keywords: &'static str,
    /// Words that are keywords only where they cannot be values.
    pub(crate) soft: &'static str,
    /// Keywords that a function's name follows.
    pub(crate) functions: &'static str,
    /// Keywords that a type's name follows.
    pub(crate) classes: &'static str,
    pub(crate) types: &'static str,
    pub(crate) constants: &'static str,
    pub(crate) line: &'static [LineComment],
    pub(crate) block: &'static [BlockComment],
    pub(crate) quotes: &'static [Quote],
    pub(crate) prefixes: &'static [Prefix],
    /// Words before a literal in brackets of the author's choice.
    pub(crate) quoters: &'static str,
    pub(crate) inlays: &'static [Inlay],
    pub(crate) marks: &'static [(u8, Mark)],
    /// Separators between a value and its member, whose name is never a keyword.
    pub(crate) members: &'static [&'static str],
    /// Bytes that words may begin with, in addition to letters and `_`.
    pub(crate) begins: &'static str,
    /// Bytes that words may contain, in addition to those and digits.
    pub(crate) inside: &'static str,
    pub(crate) capitals: Capitals,
    pub(crate) calls: Calls,
    pub(crate) keys: Keys,
    pub(crate) numbers: Numbers,
    /// Whether the case of keywords does not matter.
    pub(crate) folded: bool,
}

impl Grammar {
    /// A language without words, from which the rows of the tables differ.
    pub(crate) const PLAIN: Self = Self {
        keywords: "",
        soft: "",
        functions: "",
        classes: "",
        types: "",
        constants: "",
        line: &[],
        block: &[],
        quotes: &[],
        prefixes: &[],
        quoters: "",
        inlays: &[],
        marks: &[],
        members: &["."],
        begins: "",
        inside: "",
        capitals: Capitals::Types,
        calls: Calls::Before,
        keys: Keys::None,
        numbers: Numbers::Usual,
        folded: false,
    };
}

/// What begins a comment that goes to the end of the line.
#[derive(Clone, Copy)]
pub(crate) struct LineComment {
    pub(crate) open: &'static str,
    pub(crate) place: CommentPlace,
}

impl LineComment {
    pub(crate) const fn new(open: &'static str) -> Self {
        Self::at(open, CommentPlace::Anywhere)
    }

    pub(crate) const fn at(open: &'static str, place: CommentPlace) -> Self {
        Self { open, place }
    }
}

/// Where a comment may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommentPlace {
    Anywhere,
    /// At the beginning of a word, as in a shell.
    Apart,
    /// Before anything else on the line.
    First,
    /// At the very beginning of the line.
    Margin,
}

/// A comment with two ends.
#[derive(Clone, Copy)]
pub(crate) struct BlockComment {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) is_nested: bool,
    pub(crate) place: CommentPlace,
}

impl BlockComment {
    pub(crate) const C: Self = Self::new("/*", "*/");

    pub(crate) const fn new(open: &'static str, close: &'static str) -> Self {
        Self { open, close, is_nested: false, place: CommentPlace::Anywhere }
    }

    pub(crate) const fn nested(open: &'static str, close: &'static str) -> Self {
        Self { is_nested: true, ..Self::new(open, close) }
    }

    pub(crate) const fn margin(open: &'static str, close: &'static str) -> Self {
        Self { place: CommentPlace::Margin, ..Self::new(open, close) }
    }
}

/// A literal of text.
#[derive(Clone, Copy)]
pub(crate) struct Quote {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) escape: u8,
    pub(crate) reach: Reach,
    /// What begins a piece of code inside, if anything does.
    pub(crate) hole: &'static str,
    /// The byte that may be repeated around the quotes, as in `r##"…"##`.
    pub(crate) fence: u8,
}

/// How far a literal may go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It must end on its line.
    Line,
    /// It ends on its line, unless that ends in a backslash.
    Continued,
    Lines,
    /// It ends with a word of its own, as in `R"end(…)end"`.
    Chosen,
}

impl Quote {
    pub(crate) const SINGLE: Self = Self::line("'");
    pub(crate) const DOUBLE: Self = Self::line("\"");

    pub(crate) const fn line(quote: &'static str) -> Self {
        Self::new(quote, quote, Reach::Line)
    }

    pub(crate) const fn continued(quote: &'static str) -> Self {
        Self::new(quote, quote, Reach::Continued)
    }

    pub(crate) const fn lines(quote: &'static str) -> Self {
        Self::new(quote, quote, Reach::Lines)
    }

    pub(crate) const fn between(open: &'static str, close: &'static str) -> Self {
        Self::new(open, close, Reach::Lines).raw()
    }

    pub(crate) const fn chosen(quote: &'static str) -> Self {
        Self::new(quote, quote, Reach::Chosen)
    }

    const fn new(open: &'static str, close: &'static str, reach: Reach) -> Self {
        Self { open, close, escape: b'\\', reach, hole: "", fence: 0 }
    }

    /// Gives the literal another end than its beginning.
    pub(crate) const fn to(self, close: &'static str) -> Self {
        Self { close, ..self }
    }

    /// Makes a backslash an ordinary character.
    pub(crate) const fn raw(self) -> Self {
        Self { escape: 0, ..self }
    }

    pub(crate) const fn escape(self, escape: u8) -> Self {
        Self { escape, ..self }
    }

    pub(crate) const fn hole(self, hole: &'static str) -> Self {
        Self { hole, ..self }
    }

    pub(crate) const fn fence(self, fence: u8) -> Self {
        Self { fence, ..self }
    }
}

/// Words that belong to a literal which follows them at once.
pub(crate) struct Prefix {
    pub(crate) words: &'static str,
    pub(crate) quotes: &'static [Quote],
}

/// A part of a line that has one colour, from bracket to bracket.
#[derive(Clone, Copy)]
pub(crate) struct Inlay {
    pub(crate) open: &'static str,
    pub(crate) close: u8,
    pub(crate) class: crate::Class,
}

/// What a capital letter means in a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    Nothing,
    /// The name is a type's, or a constant's if it is all in capitals.
    Types,
    /// The same, but functions have capitals too.
    TypesAndCalls,
}

/// Which names are those of functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    None,
    /// The name before a parenthesis.
    Before,
    /// The same, and the name before an exclamation mark.
    Macros,
    /// The name after a parenthesis.
    After,
    /// The name at the beginning of a line.
    Margin,
}

/// Which words and strings are the names of values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    None,
    /// A string before a colon.
    Quoted,
    /// A word before an equals sign.
    Assigned,
    /// A word before a colon or an equals sign, at the beginning of a line.
    Leading,
}

/// What a number may look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Usual,
    /// An apostrophe may separate digits.
    Apostrophes,
    /// Dates and times are numbers as well.
    Dates,
}
