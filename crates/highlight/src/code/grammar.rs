//! The grammar of a language that consists of words and literals.

use super::Mark;

/// The words and literals of a language. Lists of words are separated by spaces.
pub(crate) struct Grammar {
    pub(crate) keywords: &'static str,
    /// Words that are keywords only if they cannot be values.
    pub(crate) soft: &'static str,
    /// Keywords that are followed by the name of a function.
    pub(crate) functions: &'static str,
    /// Keywords that are followed by the name of a type.
    pub(crate) classes: &'static str,
    pub(crate) types: &'static str,
    pub(crate) constants: &'static str,
    pub(crate) line: &'static [LineComment],
    pub(crate) block: &'static [BlockComment],
    pub(crate) quotes: &'static [Quote],
    pub(crate) prefixes: &'static [Prefix],
    /// Words before a literal with delimiters chosen by the author.
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
    /// Whether keywords are case-insensitive.
    pub(crate) folded: bool,
}

impl Grammar {
    /// A language without words, the default of the tables.
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

/// The start of a comment that extends to the end of the line.
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
    /// At the start of a word, as in a shell.
    Apart,
    /// Before anything else on the line.
    First,
    /// In the first column.
    Margin,
}

/// A comment with a start and an end.
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

/// A string literal.
#[derive(Clone, Copy)]
pub(crate) struct Quote {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) escape: u8,
    pub(crate) reach: Reach,
    /// The start of interpolated code; empty if there is none.
    pub(crate) hole: &'static str,
    /// The byte that may be repeated around the quotes, as in `r##"…"##`.
    pub(crate) fence: u8,
}

/// Where a literal may end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It must end on its line.
    Line,
    /// It ends on its line, unless that ends in a backslash.
    Continued,
    Lines,
    /// It ends with a word chosen by the author, as in `R"end(…)end"`.
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

    /// Sets a closing quote that differs from the opening one.
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

/// Words that are part of a literal that immediately follows them.
pub(crate) struct Prefix {
    pub(crate) words: &'static str,
    pub(crate) quotes: &'static [Quote],
}

/// A bracketed part of a line with one colour.
#[derive(Clone, Copy)]
pub(crate) struct Inlay {
    pub(crate) open: &'static str,
    pub(crate) close: u8,
    pub(crate) class: crate::Class,
}

/// The meaning of a capital letter in a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    Nothing,
    /// The name is that of a type, or of a constant if it is all in capitals.
    Types,
    /// The same, but functions may have capitals too.
    TypesAndCalls,
}

/// Which names are functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    None,
    /// The name before a parenthesis.
    Before,
    /// The same, and the name before an exclamation mark.
    Macros,
    /// The name after a parenthesis.
    After,
    /// The name in the first column.
    Margin,
}

/// Which words and strings are keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    None,
    /// A string before a colon.
    Quoted,
    /// A word before an equals sign.
    Assigned,
    /// A word before a colon or an equals sign, at the start of a line.
    Leading,
}

/// The notation of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Usual,
    /// An apostrophe may separate digits.
    Apostrophes,
    /// Dates and times are numbers as well.
    Dates,
}
