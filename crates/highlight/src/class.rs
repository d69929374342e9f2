//! The classes of coloured code.

/// The class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Comment,
    /// A string, a character or a regular expression.
    String,
    /// A number, a date or a quantity.
    Number,
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a function that is called or defined.
    Function,
    /// A named value: `true`, `null`, `MAX_SIZE`.
    Constant,
    /// An annotation, or a key in a data format.
    Attribute,
    /// A preprocessor line, a tag or a heading.
    Meta,
}

impl Class {
    /// Returns the CSS class.
    pub const fn css(self) -> &'static str {
        match self {
            Self::Comment => "c",
            Self::String => "s",
            Self::Number => "n",
            Self::Keyword => "k",
            Self::Type => "t",
            Self::Function => "f",
            Self::Constant => "o",
            Self::Attribute => "a",
            Self::Meta => "m",
        }
    }
}
