//! Bytes with a special meaning in some languages.

/// The construct that a byte begins, if no comment or quote does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `@name`, an annotation.
    Attribute,
    /// `@name`, a built-in function.
    Builtin,
    /// `:name`, a constant.
    Symbol,
    /// `#name` at the start of a line.
    Preprocessor,
    /// `/…/`, where a value may be.
    Regex,
    /// The same, also as the argument of a function without parentheses.
    Pattern,
    /// `'a'` or the lifetime `'a`.
    Lifetime,
    /// `'a'`.
    Char,
    /// A literal character after this byte.
    Literal,
    /// The same, unless this byte follows a value.
    Question,
    /// `?a`, a character in Emacs Lisp.
    LispChar,
    /// `#\a`, a character in other Lisps.
    HashLiteral,
    /// `\name`, a TeX command.
    Command,
    /// `$name`, `${…}` or `$?` of a shell.
    Variable,
    /// `$name` or `$"` of Perl.
    Scalar,
    /// `[name]` alone on a line.
    Section,
    /// `%w[…]` of Ruby.
    Percent,
    /// `~r/…/` of Elixir.
    Sigil,
    /// `<<TAG` of a shell.
    ShellHeredoc,
    /// `<<~TAG` of Ruby, Perl and others, where `<<` is also an operator.
    Heredoc,
    /// `<<<TAG` of PHP.
    PhpHeredoc,
    /// `<tag>` where a value may be.
    Element,
    /// `\\` and the rest of the line, a string in Zig.
    LineString,
}
