//! The classes of code that have a colour.

/// The class of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Comment,
    /// Text, a character or a pattern.
    String,
    /// A number, a date or a measure.
    Number,
    /// A word of the language.
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a function where it is called or defined.
    Function,
    /// A value that has a name: `true`, `null`, `MAX_SIZE`.
    Constant,
    /// An annotation, or the name that a value is given in data.
    Attribute,
    /// What is about the code or gives a text its shape: a preprocessor line, a tag, a heading.
    Meta,
}

impl Class {
    /// Returns the name of the class in HTML.
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
