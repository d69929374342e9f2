//! Scripting languages and numerical languages.

use crate::code::{
    BlockComment, Calls, Capitals, Grammar, LazyGrammar, LineComment, Mark, Prefix, Quote,
};

const HASH: &[LineComment] = &[LineComment::new("#")];

const PYTHON_QUOTES: &[Quote] =
    &[Quote::lines("\"\"\""), Quote::lines("'''"), Quote::continued("\""), Quote::continued("'")];

pub(crate) static PYTHON: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and as assert async await break continue del elif else except finally for from global \
        if import in is lambda nonlocal not or pass raise return self cls try while with yield",
    soft: "match case type",
    functions: "def",
    classes: "class",
    types: "bool bytes bytearray complex dict float frozenset int list object set str tuple",
    constants: "True False None NotImplemented Ellipsis __name__ __file__",
    line: HASH,
    quotes: PYTHON_QUOTES,
    prefixes: &[Prefix {
        words: "r R b B f F u U t br Br bR BR rb rB Rb RB fr Fr fR FR rf rF Rf RF",
        quotes: PYTHON_QUOTES,
    }],
    marks: &[(b'@', Mark::Attribute)],
    ..Grammar::PLAIN
});

pub(crate) static RUBY: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "alias and begin BEGIN break case defined? do else elsif end END ensure extend for if in \
        include next not or prepend private protected public raise redo rescue retry return self \
        super then undef unless until when while yield require require_relative attr_accessor \
        attr_reader attr_writer",
    functions: "def",
    classes: "class module",
    constants: "true false nil __FILE__ __LINE__ __method__",
    line: HASH,
    block: &[BlockComment::margin("=begin", "=end")],
    quotes: &[Quote::lines("\"").hole("#{"), Quote::lines("'"), Quote::lines("`").hole("#{")],
    marks: &[
        (b'/', Mark::Pattern),
        (b':', Mark::Symbol),
        (b'?', Mark::Question),
        (b'%', Mark::Percent),
        (b'<', Mark::Heredoc),
        (b'$', Mark::Scalar),
    ],
    members: &[".", "&."],
    begins: "@",
    inside: "?!",
    ..Grammar::PLAIN
});

pub(crate) static PERL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and BEGIN chomp cmp continue defined delete die do each else elsif END eq eval exists \
        foreach for ge goto gt if keys last le local lt my ne next no not or our package pop print \
        printf push redo ref require return say shift sort splice state unless unshift until use \
        values wantarray warn while xor x join map grep split",
    functions: "sub",
    constants: "undef __FILE__ __LINE__ __PACKAGE__ __END__ __DATA__",
    line: HASH,
    block: &[
        BlockComment::margin("=pod", "=cut"),
        BlockComment::margin("=head", "=cut"),
        BlockComment::margin("=over", "=cut"),
        BlockComment::margin("=item", "=cut"),
        BlockComment::margin("=begin", "=cut"),
        BlockComment::margin("=encoding", "=cut"),
    ],
    quotes: &[Quote::lines("\""), Quote::lines("'"), Quote::line("`")],
    quoters: "q qq qw qr qx m s tr y",
    marks: &[
        (b'/', Mark::Pattern),
        (b'<', Mark::Heredoc),
        (b'$', Mark::Scalar),
        (b'@', Mark::Scalar),
    ],
    members: &["->"],
    ..Grammar::PLAIN
});

pub(crate) static LUA: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and break do else elseif end for goto if in local not or repeat return then until \
        while self",
    functions: "function",
    constants: "true false nil _G _VERSION",
    line: &[LineComment::new("--")],
    block: &[
        BlockComment::new("--[[", "]]"),
        BlockComment::new("--[=[", "]=]"),
        BlockComment::new("--[==[", "]==]"),
    ],
    quotes: &[
        Quote::continued("\""),
        Quote::continued("'"),
        Quote::between("[[", "]]"),
        Quote::between("[=[", "]=]"),
        Quote::between("[==[", "]==]"),
    ],
    members: &[".", ":"],
    ..Grammar::PLAIN
});

pub(crate) static R: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "break else for function if in next repeat return while library require",
    constants: "TRUE FALSE NULL NA NaN Inf T F NA_integer_ NA_real_ NA_character_",
    line: HASH,
    quotes: &[Quote::lines("\""), Quote::lines("'"), Quote::line("`")],
    prefixes: &[Prefix { words: "r R", quotes: &[Quote::chosen("\"")] }],
    members: &["$", "@"],
    inside: ".",
    capitals: Capitals::Nothing,
    ..Grammar::PLAIN
});

pub(crate) static JULIA: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "baremodule begin break catch const continue do else elseif end export finally for \
        global if import in isa let local macro module mutable outer primitive quote return try \
        using where while",
    functions: "function",
    classes: "struct abstract type",
    constants: "true false nothing missing pi Inf NaN",
    line: HASH,
    block: &[BlockComment::nested("#=", "=#")],
    quotes: &[Quote::lines("\"\"\"").hole("$("), Quote::lines("\"").hole("$("), Quote::lines("`")],
    prefixes: &[Prefix {
        words: "r raw b v L html md",
        quotes: &[Quote::lines("\"\"\""), Quote::lines("\"")],
    }],
    marks: &[(b'\'', Mark::Char), (b'@', Mark::Attribute), (b':', Mark::Symbol)],
    inside: "!",
    calls: Calls::Before,
    ..Grammar::PLAIN
});
