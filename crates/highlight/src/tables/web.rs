//! Web languages that consist of words and literals.

use crate::Class;
use crate::code::{
    BlockComment, Calls, Capitals, CommentPlace, Grammar, Inlay, Keys, LazyGrammar, LineComment,
    Mark, Quote,
};

const JS_KEYWORDS: &str = "await break case catch const continue debugger default delete do else \
    export extends finally for if import in instanceof let return static super switch this throw \
    try typeof var void while with yield";

const JS_QUOTES: &[Quote] =
    &[Quote::continued("\""), Quote::continued("'"), Quote::lines("`").hole("${")];

/// The common part of JavaScript and TypeScript.
const SCRIPT: Grammar = Grammar {
    keywords: JS_KEYWORDS,
    soft: "as async from get of set",
    functions: "function",
    classes: "class new",
    constants: "true false null undefined NaN Infinity",
    line: &[LineComment::new("//"), LineComment::at("#!", CommentPlace::Margin)],
    block: &[BlockComment::C],
    quotes: JS_QUOTES,
    marks: &[(b'/', Mark::Regex), (b'@', Mark::Attribute)],
    members: &[".", "?."],
    begins: "$#",
    ..Grammar::PLAIN
};

/// The marks of a language with JSX.
const ELEMENTS: &[(u8, Mark)] =
    &[(b'/', Mark::Regex), (b'@', Mark::Attribute), (b'<', Mark::Element)];

pub(crate) static JAVASCRIPT: LazyGrammar = LazyGrammar::new(Grammar { marks: ELEMENTS, ..SCRIPT });

pub(crate) static TYPESCRIPT: LazyGrammar = LazyGrammar::new(TYPED);

pub(crate) static TSX: LazyGrammar = LazyGrammar::new(Grammar { marks: ELEMENTS, ..TYPED });

const TYPED: Grammar = Grammar {
    keywords: "await break case catch const continue debugger default delete do else export extends \
        finally for if implements import in instanceof is keyof let private protected public readonly \
        return satisfies static super switch this throw try typeof var void while with yield",
    soft: "abstract as async asserts declare from get global infer module namespace of out override \
        set type unique",
    classes: "class new interface enum",
    types: "any bigint boolean never number object string symbol unknown",
    ..SCRIPT
};

pub(crate) static PHP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract and array as break callable case catch clone const continue declare default \
        do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile exit \
        extends final finally for foreach global goto if implements include include_once \
        insteadof isset list match namespace or print private protected public readonly require \
        require_once return static switch throw try unset use var while xor yield from self \
        parent",
    functions: "function fn",
    classes: "class interface trait enum new instanceof",
    types: "bool float int iterable mixed never object string void",
    constants: "true false null TRUE FALSE NULL",
    line: &[LineComment::new("//"), LineComment::new("#")],
    block: &[BlockComment::C],
    quotes: &[Quote::lines("\""), Quote::lines("'")],
    inlays: &[Inlay { open: "#[", close: b']', class: Class::Attribute }],
    marks: &[(b'<', Mark::PhpHeredoc)],
    members: &["->", "?->", "::"],
    begins: "$",
    ..Grammar::PLAIN
});

pub(crate) static JSON: LazyGrammar = LazyGrammar::new(Grammar {
    constants: "true false null",
    line: &[LineComment::new("//")],
    block: &[BlockComment::C],
    quotes: &[Quote::DOUBLE, Quote::SINGLE],
    capitals: Capitals::Nothing,
    calls: Calls::None,
    keys: Keys::Quoted,
    ..Grammar::PLAIN
});

pub(crate) static GRAPHQL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "directive extend fragment implements mutation on query repeatable schema subscription",
    classes: "type interface enum input union scalar",
    types: "Boolean Float ID Int String",
    constants: "true false null",
    line: &[LineComment::new("#")],
    quotes: &[Quote::DOUBLE, Quote::lines("\"\"\"")],
    marks: &[(b'@', Mark::Attribute)],
    begins: "$",
    ..Grammar::PLAIN
});
