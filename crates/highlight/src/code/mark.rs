//! Bytes that mean something special in some languages.

/// What a byte begins, where no comment and no quote begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `@name`, an annotation.
    Attribute,
    /// `@name`, a function of the compiler.
    Builtin,
    /// `:name`, a constant.
    Symbol,
    /// `#name` as the first of a line.
    Preprocessor,
    /// `/…/`, where a value may stand.
    Regex,
    /// The same, also as the argument of a function without parentheses.
    Pattern,
    /// `'a'` or the lifetime `'a`.
    Lifetime,
    /// `'a'`, and otherwise nothing.
    Char,
    /// A literal character after this byte.
    Literal,
    /// The same, unless this byte comes after a value.
    Question,
    /// `?a`, a character of Emacs Lisp.
    LispChar,
    /// `#\a`, a character of a Lisp.
    HashLiteral,
    /// `\name`, a command of TeX.
    Command,
    /// `$name`, `${…}` or `$?` of a shell.
    Variable,
    /// `$name` or `$"` of Perl.
    Scalar,
    /// `[name]` as the only thing on a line.
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
    /// `<tag>` where a value may stand.
    Element,
    /// `\\` and the rest of the line, a string of Zig.
    LineString,
}
